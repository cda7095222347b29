import type { FileTree } from "../artefacts/tree.ts";

/**
 * The container or the engine under it failed: gone, stream broken, start refused, archive truncated.
 * Never a statement about the commands inside; the trial that meets it is void.
 */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

export type ImageRecord = {
  /** `sha256:…` of the engine's image. */
  readonly id: string;
  /** Hash of everything the image is made from (Dockerfile, tool server, package list, extra packages). */
  readonly recipe: string;
  /** `registry` when the base was pulled, `packages` when it was made from Debian packages, `user` otherwise. */
  readonly base: "registry" | "packages" | "user";
};

/** Who a command runs as. An agent's container knows only `agent`; a grading container knows all three. */
export type ContainerUser = "agent" | "grader" | "candidate";

export type ContainerRequest = {
  /** `agent`: server and commands are uid 1000. `grader`: three uids and `sp-run` (DESIGN §9). */
  readonly role: "agent" | "grader";
  /** Written on the container, so that leftovers can be named and swept. */
  readonly labels: { readonly campaign: string; readonly trial: string };
  /** Mounted read-only at /skill; null leaves no trace of it. */
  readonly skill: FileTree | null;
};

/** Circumstances that a sound grader does not notice. */
export type Conditions = {
  /** Laid over the environment of the command and of everything that it starts through `sp-run`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Cores that the command and what it starts through `sp-run` see and are scheduled on. */
  readonly cores?: number;
};

export type CommandRequest = {
  /** Run as `bash -c <command>` in a session of its own with empty stdin. */
  readonly command: string;
  readonly timeoutMs: number;
  /** Kept of each stream: half from its head, half from its tail. The rest is drained and counted. */
  readonly maxOutputBytes: number;
  /** Default `agent` in an agent's container, `grader` in a grading container. */
  readonly user?: ContainerUser;
  /** Default /workspace. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Only in a grading container. */
  readonly conditions?: Conditions;
  /** Opens descriptor 3 in the command and captures what is written to it (the grader's assertions). */
  readonly descriptor3?: boolean;
};

/** A bounded capture of one stream: `head` then, after a gap of `totalBytes - head - tail`, `tail`. */
export type Capture = {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
};

export type CommandOutcome = {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The container's memory limit killed a process while this command ran. */
  readonly outOfMemory: boolean;
  /** bash has exited but something it started still holds its output. */
  readonly leftProcesses: boolean;
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** Empty unless `descriptor3` was asked for. */
  readonly descriptor3: Capture;
  readonly seconds: number;
};

export type ReadOutcome =
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly totalBytes: number }
  | { readonly kind: "refused"; readonly reason: string };

export type WriteOutcome =
  { readonly kind: "written" } | { readonly kind: "refused"; readonly reason: string };

/** One fresh container. Every method throws `SandboxError` when the container or its stream is gone. */
export interface Container {
  /** Calls are serial; a second call waits for the first. Aborting `signal` kills everything the command started. */
  run(request: CommandRequest, signal?: AbortSignal): Promise<CommandOutcome>;
  /** Reads as the container's default user. A missing file, folder or forbidden path is an answer, not an error. */
  readFile(path: string, maxBytes: number): Promise<ReadOutcome>;
  /** Writes as the container's default user, making parent folders. Every path error is an answer. */
  writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome>;
  /**
   * Unpacks a tar inside the container: /workspace as uid 1000, /grader as uid 1001 with mode 0700. Whatever the
   * tar holds, the kernel decides what that uid may do; members it refuses are named in `refused`.
   */
  unpack(
    tar: AsyncIterable<Uint8Array>,
    into: "/workspace" | "/grader",
  ): Promise<{ readonly refused: string }>;
  /**
   * Kills everything but the tool server, then streams /workspace as a sparse tar. Throws on a truncated archive. What
   * is over a limit of the sandbox is the agent's doing and no failure: it is left out, and `onLeftOut` is told, in
   * words that hold no text of the agent's, before the stream ends.
   */
  snapshot(onLeftOut?: (words: string) => void): AsyncIterable<Uint8Array>;
  /** Removes the container. Safe to call twice; never throws for a container that is already gone. */
  dispose(): Promise<void>;
}

/** Makes fresh, network-less containers, all from one image. */
export interface Sandbox {
  readonly image: ImageRecord;
  /** Each engine by itself and by its address, where `open` chooses between several. */
  readonly endpoints?: readonly { readonly name: string; readonly sandbox: Sandbox }[];
  /** Resolves when the tool server inside has answered. Throws `SandboxError` after its bounded wait. */
  open(request: ContainerRequest, signal?: AbortSignal): Promise<Container>;
}
