import { tCdf, tQuantile } from "./distributions.ts";
import { type Interval, requireConfidence } from "./rate-intervals.ts";

export type TInterval = {
  readonly mean: number;
  readonly sd: number;
  readonly standardError: number;
  readonly tCritical: number;
  readonly ci: Interval;
};

/**
 * mean ± t · sd / √n over tasks; null from fewer than two. With equal values the interval is a point, which a report
 * has to call uninformative. Throws `RangeError` for a value that is not finite.
 */
export function tInterval(values: readonly number[], confidence = 0.95): TInterval | null {
  const spread = spreadOf(values);
  if (spread === null) return null;
  const { mean, sd, standardError } = spread;
  const tCritical = tQuantile(1 - (1 - requireConfidence(confidence)) / 2, values.length - 1);
  const half = tCritical * standardError;
  return { mean, sd, standardError, tCritical, ci: [mean - half, mean + half] };
}

export type Equivalence = {
  readonly pNotWorse: number;
  readonly pNotBetter: number;
  readonly pEquivalence: number;
  /** At 1 − 2α. */
  readonly ci: Interval;
  readonly equivalent: boolean;
  readonly nonInferior: boolean;
};

/**
 * Two one-sided t tests against ±`delta` (a fraction): equivalent when the 1 − 2α interval lies inside, not worse when
 * its lower end lies above −`delta`. Null from fewer than two values. Source: Schuirmann 1987.
 */
export function equivalence(values: readonly number[], delta: number, alpha = 0.05): Equivalence | null {
  if (!(delta > 0)) throw new RangeError(`delta: ${delta} is not above 0`);
  const spread = spreadOf(values);
  const interval = tInterval(values, 1 - 2 * alpha);
  if (spread === null || interval === null) return null;
  const degrees = values.length - 1;
  const beyond = (distance: number): number => {
    if (spread.standardError === 0) return distance > 0 ? 0 : 1;
    return 1 - tCdf(distance / spread.standardError, degrees);
  };
  const pNotWorse = beyond(spread.mean + delta);
  const pNotBetter = beyond(delta - spread.mean);
  const [low, high] = interval.ci;
  return {
    pNotWorse,
    pNotBetter,
    pEquivalence: Math.max(pNotWorse, pNotBetter),
    ci: interval.ci,
    equivalent: low > -delta && high < delta,
    nonInferior: low > -delta,
  };
}

type Spread = Pick<TInterval, "mean" | "sd" | "standardError">;

function spreadOf(values: readonly number[]): Spread | null {
  const wrong = values.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) throw new RangeError(`values: ${wrong} is not finite`);
  const n = values.length;
  if (n < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sd = Math.sqrt(squares / (n - 1));
  return { mean, sd, standardError: sd / Math.sqrt(n) };
}
