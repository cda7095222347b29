import type { Io } from "../cli/io.ts";

export type CapturedIo = Io & { readonly stdout: () => string; readonly stderr: () => string };

/** An `Io` whose output is kept. The environment is empty unless given. */
export function capturedIo(
  cwd: string,
  over: Partial<Pick<Io, "env" | "ask" | "drain" | "signal">> = {},
): CapturedIo {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    env: over.env ?? {},
    cwd,
    ask: over.ask ?? null,
    drain: over.drain ?? new AbortController().signal,
    signal: over.signal ?? new AbortController().signal,
    stdout: () => out.join(""),
    stderr: () => err.join(""),
  };
}
