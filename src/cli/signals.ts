import { InterruptedError } from "../errors.ts";

/** How far a command is to stop: `drain` begins nothing new, `signal` ends what is under way. */
export type Stops = { readonly drain: AbortSignal; readonly signal: AbortSignal };

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm hands on the Ctrl-C that the terminal has already given to us: two signals, one wish. */
const oneWishMs = 300;

/**
 * SIGINT, SIGTERM and SIGHUP: the first aborts `drain`, the second `signal` too, the third calls `exit`. `now` is in
 * milliseconds.
 */
export function stopOnSignals(
  source: { on(name: (typeof names)[number], listener: () => void): unknown },
  exit: () => void,
  now: () => number = () => performance.now(),
): Stops {
  const drain = new AbortController();
  const kill = new AbortController();
  let last = { name: "", at: -Infinity };
  const stop = (name: string): void => {
    const repeated = name === last.name && now() - last.at < oneWishMs;
    last = { name, at: now() };
    if (repeated) return;
    if (kill.signal.aborted) exit();
    else (drain.signal.aborted ? kill : drain).abort(new InterruptedError(name));
  };
  for (const name of names) {
    source.on(name, () => {
      stop(name);
    });
  }
  return { drain: drain.signal, signal: kill.signal };
}

/** For commands that have nothing to drain: the first signal ends what is under way. */
export function withoutDraining<T extends Stops>(io: T): T {
  return { ...io, signal: AbortSignal.any([io.drain, io.signal]) };
}

/** Says once, when draining begins, what happens now and how to hurry. Answers with what calls this off. */
export function sayWhenDraining(io: Stops & { readonly err: (text: string) => void }): () => void {
  const say = (): void => {
    io.err(
      "stopping: no further trial is begun; those under way are finished and graded. Once more (Ctrl-C or a signal) " +
        "kills them, a third time leaves at once.\n",
    );
  };
  io.drain.addEventListener("abort", say, { once: true });
  return () => {
    io.drain.removeEventListener("abort", say);
  };
}
