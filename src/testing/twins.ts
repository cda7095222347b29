import { type SpecChange } from "./changed-container.ts";

/**
 * Every protection of DESIGN §9 that a probe inside can see, with its twin: the same probe in a container that differs
 * from the specification by one protection. A probe that says the same in both proves nothing.
 */
export type Row = {
  readonly probe: string;
  readonly command: string;
  readonly closed: RegExp;
  /** The protection switched off. */
  readonly off: SpecChange;
  readonly open: RegExp;
  /** Where the probe needs more than an agent has, so that it meets this protection and no other. */
  readonly base?: SpecChange;
};

export const folder = "/usr/local/lib/skillproof";

/** The server started by a program that changes it first; `processes` is imported. */
export function server(change: string): SpecChange {
  const start = "import toolserver; toolserver.main()";
  const program = `import sys; sys.path.insert(0, '${folder}'); import processes; ${change}; ${start}`;
  return { Cmd: ["python3", "-I", "-S", "-B", "-c", program, "agent", "600"] };
}

/** Commands may write below /proc. Without no-new-privileges they cannot be kept from it. */
export const unfenced = "processes._fence.known = False";
export const noFence = server(unfenced);
/** Commands of uid 0 with the capabilities that engines give by default. */
export const root: SpecChange = {
  ...server(`${unfenced}; processes.AGENT = processes.Identity('agent', 0, 0, [0], 0o022, '/tmp/home', 500)`),
  User: "0:0",
  HostConfig: { CapDrop: [] },
};
/** The engine's bridge may be missing, the network of its host is not. */
export const hostNetwork: SpecChange = {
  NetworkDisabled: false,
  HostConfig: { NetworkMode: "host", Sysctls: {} },
};
/** A server without its own filter of system calls, which sets no-new-privileges for commands as well. */
export const noOwnFilter = server(`${unfenced}; processes._filter.enter = lambda: None`);
export const noFilter = ["no-new-privileges", "seccomp=unconfined"];
export const memory = (options: string): string => `rw,exec,${options},mode=1777`;

export function tried(act: string): string {
  return `${act} 2> /dev/null && echo done || echo refused`;
}

export function python(program: string): string {
  return `python3 -c "${program}"`;
}

export const connectOut = `import errno, socket
try:
 socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 80)); print('connected')
except OSError as error: print(errno.errorcode[error.errno])`;
export const fork400 = `import os, signal
made = []
try:
 for _ in range(400):
  pid = os.fork()
  pid or signal.pause()
  made.append(pid)
 print('all')
except OSError: print('stopped')
for pid in made: os.kill(pid, 9)`;
