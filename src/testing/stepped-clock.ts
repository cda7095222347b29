import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../models/clock.ts";

export type SteppedClock = Clock & {
  /** How many sleep. */
  sleepers(): number;
  /** Moves time on by `ms`: wakes the sleepers that are due, one after the other, and lets each get to its next wait. */
  advance(ms: number): Promise<void>;
};

type Sleeper = { readonly at: number; readonly wake: () => void };

/** A clock that stands still until it is moved. `random` is constant, so that jitter is known. */
export function steppedClock(
  options: { readonly now?: number; readonly random?: number } = {},
): SteppedClock {
  const { random = 0 } = options;
  let { now = 1_700_000_000_000 } = options;
  const sleepers = new Set<Sleeper>();
  const next = (until: number): Sleeper | undefined =>
    [...sleepers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    random: () => random,
    sleepers: () => sleepers.size,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const wake = (): void => {
          signal?.removeEventListener("abort", abort);
          resolve();
        };
        const sleeper: Sleeper = { at: now + ms, wake };
        signal?.addEventListener("abort", abort, { once: true });
        sleepers.add(sleeper);
      }),
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        await turn();
        const sleeper = next(until);
        if (sleeper === undefined) break;
        now = Math.max(now, sleeper.at);
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      now = until;
    },
  };
}
