import { setTimeout as delay } from "node:timers/promises";
import { SandboxError } from "./port.ts";

const firstDelayMs = 250;
const longestDelayMs = 2000;

/** What a connection to an engine that is not there, or not there any more, fails with. */
const codes = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
];

/** None of the engines answers. Its cause may be of any kind: a start that broke off, after which no ping was answered. */
export class NoEngineError extends SandboxError {}

/** Whether the engine did not answer at all, by the error or by what it was caused by. Its refusals are answers. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoEngineError) return true;
  const code = "code" in error ? error.code : null;
  if (typeof code === "string" && codes.includes(code)) return true;
  // The socket's file is gone while the engine is down.
  if (code === "ENOENT" && "syscall" in error && error.syscall === "connect") return true;
  return isAway(error.cause);
}

/**
 * Repeats `act` while it fails with an error that `again` takes, until `milliseconds` after the first failure; then its
 * error is thrown. Throws the signal's reason when it aborts.
 */
export async function patiently<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  again: (error: unknown) => boolean,
  act: () => Promise<T>,
): Promise<T> {
  let end: number | null = null;
  for (let wait = firstDelayMs; ; wait = Math.min(2 * wait, longestDelayMs)) {
    try {
      return await act();
    } catch (error) {
      signal?.throwIfAborted();
      end ??= performance.now() + milliseconds;
      if (!again(error) || performance.now() + wait > end) throw error;
    }
    // An engine that comes back tells nobody.
    await delay(wait, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }
}
