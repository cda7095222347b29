import { type ChildProcess, spawn } from "node:child_process";
import { InterruptedError } from "../errors.ts";

export type ProgramRequest = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input, which is then closed. */
  readonly input: string;
  readonly timeoutMs: number;
};

export type ProgramEnd =
  | { readonly kind: "not started"; readonly reason: string }
  | {
      readonly kind: "ended";
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly timedOut: boolean;
      /** The end of its output and errors, mixed as they came. */
      readonly log: string;
    };

const keptLogBytes = 64 * 1024;
const drainMs = 1000;
/** Between asking a process group to end and killing it. */
const graceMs = 3000;

/**
 * Executes a program of the user on this host, in a process group of its own that is gone when this resolves, on
 * every path. Rejects with the signal's reason when aborted.
 */
export async function startProgram(request: ProgramRequest, signal?: AbortSignal): Promise<ProgramEnd> {
  signal?.throwIfAborted();
  const { program, args, cwd, env, input, timeoutMs } = request;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const log = boundedLog(child);
  // A program that does not read its input is free to; the broken pipe says no more than its exit code.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  let timedOut = false;
  const stop = (): void => {
    signalGroup(child, "SIGTERM");
    grace = setTimeout(() => {
      signalGroup(child, "SIGKILL");
    }, graceMs);
  };
  let grace: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => {
    timedOut = true;
    stop();
  }, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const closed = outputEnd(child);
    const exit = await exitOf(child);
    if (exit.kind === "not started") return exit;
    signalGroup(child, "SIGKILL");
    await closed;
    if (signal?.aborted === true)
      throw signal.reason instanceof Error ? signal.reason : new InterruptedError("interrupted");
    return { kind: "ended", exitCode: exit.exitCode, signal: exit.signal, timedOut, log: log() };
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
    signal?.removeEventListener("abort", stop);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

type Exit =
  | { readonly kind: "not started"; readonly reason: string }
  | { readonly kind: "exit"; readonly exitCode: number | null; readonly signal: string | null };

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      resolve({ kind: "not started", reason: error.message });
    });
    child.once("exit", (exitCode, signal) => {
      resolve({ kind: "exit", exitCode, signal });
    });
  });
}

/** The last output arrives after the exit. Bounded, for a process that left the group may hold it open for ever. */
function outputEnd(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const bound = setTimeout(resolve, drainMs);
    child.once("close", () => {
      clearTimeout(bound);
      resolve();
    });
  });
}

function signalGroup(child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    // Everything in the group has ended already; some systems say EPERM of processes not yet waited for.
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")))
      throw error;
  }
}

function boundedLog(child: ChildProcess): () => string {
  let pieces: Buffer[] = [];
  const keep = (piece: Buffer): void => {
    pieces.push(piece);
    const total = pieces.reduce((sum, { length }) => sum + length, 0);
    if (total > 2 * keptLogBytes) pieces = [Buffer.concat(pieces).subarray(-keptLogBytes)];
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  return () => Buffer.concat(pieces).subarray(-keptLogBytes).toString("utf8");
}
