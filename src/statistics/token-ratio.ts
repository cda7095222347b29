import { mean, percentileInterval, quantile } from "./bootstrap.ts";
import { type Interval } from "./rate-intervals.ts";
import { tInterval } from "./t-interval.ts";

/** Tokens of the trials of one task, by arm. */
export type TaskTokens = { readonly treated: readonly number[]; readonly control: readonly number[] };

export type TokenRatio = {
  readonly perTaskRatio: readonly number[];
  /** Symmetric, and not led by one task: the primary figure. Null without a task. */
  readonly geometricMean: number | null;
  readonly arithmeticMean: number | null;
  readonly median: number | null;
  /** Of the sums of the tasks' means: the bill. */
  readonly pooledRatio: number | null;
  /** t interval on logarithms; null from fewer than two tasks. */
  readonly geometricTCI: Interval | null;
  readonly geometricPercentileCI: Interval | null;
  readonly arithmeticPercentileCI: Interval | null;
};

/**
 * Mean tokens with the skill ÷ mean tokens of the control, per task. Tasks where an arm has no trial with a known count,
 * or where a mean is 0, are left out. `resamples` are draws of tasks with return.
 */
export function tokenRatio(
  tasks: readonly TaskTokens[],
  resamples: Iterable<readonly number[]>,
  confidence = 0.95,
): TokenRatio {
  const means = tasks
    .filter(({ treated, control }) => treated.length > 0 && control.length > 0)
    .map(({ treated, control }) => ({ treated: mean(treated), control: mean(control) }))
    .filter(({ treated, control }) => treated > 0 && control > 0);
  const ratios = means.map(({ treated, control }) => treated / control);
  const logs = ratios.map(Math.log);
  const draws = ratios.length < 2 ? [] : [...resamples];
  const resampled = (values: readonly number[]): readonly number[] =>
    draws.map((indices) => mean(indices.map((at) => values[at] ?? NaN)));
  const t = tInterval(logs, confidence);
  const geometric = percentileInterval(resampled(logs), confidence);
  const known = ratios.length > 0;
  return {
    perTaskRatio: ratios,
    geometricMean: known ? Math.exp(mean(logs)) : null,
    arithmeticMean: known ? mean(ratios) : null,
    median: quantile(
      ratios.toSorted((a, b) => a - b),
      0.5,
    ),
    pooledRatio: known
      ? mean(means.map(({ treated }) => treated)) / mean(means.map(({ control }) => control))
      : null,
    geometricTCI: t === null ? null : [Math.exp(t.ci[0]), Math.exp(t.ci[1])],
    geometricPercentileCI: geometric === null ? null : [Math.exp(geometric[0]), Math.exp(geometric[1])],
    arithmeticPercentileCI: percentileInterval(resampled(ratios), confidence),
  };
}
