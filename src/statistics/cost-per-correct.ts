import { percentileInterval } from "./bootstrap.ts";

/** What the trials of one task cost in all, and how many passed. */
export type TaskCost = { readonly costUsd: number; readonly passes: number };

export type CostPerCorrect = {
  readonly totalCost: number;
  readonly totalPasses: number;
  /** US dollars; null without a pass, which is unbounded and not 0. */
  readonly costPerCorrect: number | null;
  readonly unbounded: boolean;
  readonly resamplesWithoutPass: number;
  /** An end is null where the resamples have no bound there. */
  readonly ci: readonly [number | null, number | null];
  readonly ciUpperUnbounded: boolean;
};

/**
 * Total cost ÷ total passes, every trial paid for, with a bootstrap over tasks; a resample without a pass counts as
 * unbounded.
 */
export function costPerCorrect(
  tasks: readonly TaskCost[],
  resamples: Iterable<Iterable<number>>,
  confidence = 0.95,
): CostPerCorrect {
  const all = ratioOf(tasks);
  const estimates = Array.from(resamples, (indices) => drawnRatio(tasks, indices));
  const interval = percentileInterval(estimates, confidence);
  const end = (value: number | undefined): number | null =>
    value !== undefined && Number.isFinite(value) ? value : null;
  const ci = [end(interval?.[0]), end(interval?.[1])] as const;
  return {
    totalCost: all.cost,
    totalPasses: all.passes,
    costPerCorrect: end(all.ratio),
    unbounded: all.passes === 0,
    resamplesWithoutPass: estimates.filter((estimate) => estimate === Infinity).length,
    ci,
    ciUpperUnbounded: ci[1] === null,
  };
}

function ratioOf(tasks: readonly TaskCost[]): {
  readonly cost: number;
  readonly passes: number;
  readonly ratio: number;
} {
  const cost = tasks.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const passes = tasks.reduce((sum, one) => sum + one.passes, 0);
  return { cost, passes, ratio: passes === 0 ? Infinity : cost / passes };
}

/** Of tasks drawn with return. Without a list of them: a campaign draws a million times. */
function drawnRatio(tasks: readonly TaskCost[], indices: Iterable<number>): number {
  let [cost, passes] = [0, 0];
  for (const at of indices) {
    cost += tasks[at]?.costUsd ?? 0;
    passes += tasks[at]?.passes ?? 0;
  }
  return passes === 0 ? Infinity : cost / passes;
}
