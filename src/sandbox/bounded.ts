import { messageOf } from "../errors.ts";
import { SandboxError } from "./port.ts";

/**
 * Awaits `act`, at most `milliseconds` and until `signal` aborts. `act` gets a signal that aborts then, and only then:
 * once it has answered, nothing that it left open is touched. Throws `SandboxError` when the time is over and the
 * signal's reason when it aborts.
 */
export async function bounded<T>(
  what: string,
  milliseconds: number,
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => {
    controller.abort(new SandboxError(`${what}: no answer in ${milliseconds / 1000} s`));
  }, milliseconds);
  const aborted = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => {
      reject(asError(controller.signal.reason));
    });
  });
  try {
    return await Promise.race([aborted, act(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(messageOf(reason));
}
