import type { Clock } from "../models/clock.ts";

export type FakeClock = Clock & {
  /** Every wait asked for, in ms. */
  readonly waits: readonly number[];
};

/** A clock that never waits: sleeping moves its time. `random` is constant, so that jitter is known. */
export function fakeClock(options: { readonly now?: number; readonly random?: number } = {}): FakeClock {
  const { random = 1 } = options;
  let { now = 1_700_000_000_000 } = options;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    random: () => random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        signal?.throwIfAborted();
        waits.push(ms);
        now += ms;
        resolve();
      }),
  };
}
