import type { Capture, CommandOutcome, CommandRequest, Container } from "../sandbox/port.ts";

/** What a scripted command leaves; text stands for the whole of a stream. */
export type FakeOutcome = Partial<Omit<CommandOutcome, "stdout" | "stderr">> & {
  readonly stdout?: string | Capture;
  readonly stderr?: string | Capture;
};

export type FakeContainer = Container & {
  /** Absolute path → bytes. */
  readonly files: Map<string, Uint8Array>;
  readonly commands: readonly CommandRequest[];
};

/**
 * A container in memory: files by absolute path, commands answered by `run` (which may throw `SandboxError`).
 * It has no shell, no tar and no other users; what needs those is tested in a real container.
 */
export function fakeContainer(
  options: {
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    readonly run?: (request: CommandRequest, files: Map<string, Uint8Array>) => FakeOutcome;
  } = {},
): FakeContainer {
  const { run = () => ({}) } = options;
  const files = new Map(Object.entries(options.files ?? {}).map(([path, data]) => [path, bytesOf(data)]));
  const commands: CommandRequest[] = [];
  return {
    files,
    commands,
    run: (request, signal) =>
      new Promise((resolve) => {
        signal?.throwIfAborted();
        commands.push(request);
        resolve(outcomeOf(run(request, files)));
      }),
    readFile(path, maxBytes) {
      const bytes = files.get(path);
      return Promise.resolve(
        bytes === undefined
          ? { kind: "refused", reason: `${path}: no such file` }
          : { kind: "read", bytes: bytes.subarray(0, maxBytes), totalBytes: bytes.length },
      );
    },
    writeFile(path, bytes) {
      if (path.startsWith("/skill/"))
        return Promise.resolve({ kind: "refused", reason: `${path}: read-only` });
      files.set(path, bytes);
      return Promise.resolve({ kind: "written" });
    },
    unpack: () => Promise.reject(new Error("the fake container has no tar")),
    snapshot: () => {
      throw new Error("the fake container has no tar");
    },
    dispose: () => Promise.resolve(),
  };
}

export function captureOf(data: string | Uint8Array): Capture {
  const bytes = bytesOf(data);
  return { head: bytes, tail: new Uint8Array(), totalBytes: bytes.length };
}

function outcomeOf({ stdout = "", stderr = "", ...rest }: FakeOutcome): CommandOutcome {
  return {
    exitCode: 0,
    signal: null,
    timedOut: false,
    outOfMemory: false,
    leftProcesses: false,
    descriptor3: captureOf(""),
    seconds: 0.01,
    ...rest,
    stdout: typeof stdout === "string" ? captureOf(stdout) : stdout,
    stderr: typeof stderr === "string" ? captureOf(stderr) : stderr,
  };
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}
