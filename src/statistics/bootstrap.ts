import { randomFrom } from "../seed.ts";
import { normalCdf, normalQuantile } from "./distributions.ts";
import { type Interval, requireConfidence } from "./rate-intervals.ts";

/** Linear interpolation on sorted values at (n − 1) · q: Hyndman and Fan's type 7. Null of none. */
export function quantile(sorted: readonly number[], q: number): number | null {
  const at = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) return null;
  // Infinity − Infinity is not a number.
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
}

/** Which of `n` values each of `resamples` draws with return takes; seeded. */
export function* resampled(n: number, resamples: number, seed: number): Generator<readonly number[]> {
  const random = randomFrom(seed, "bootstrap", n);
  for (let b = 0; b < resamples; b++) yield Array.from({ length: n }, () => Math.floor(random() * n));
}

/** The middle `confidence` of resampled estimates; null of none. */
export function percentileInterval(estimates: readonly number[], confidence = 0.95): Interval | null {
  const tail = (1 - requireConfidence(confidence)) / 2;
  const sorted = estimates.toSorted((a, b) => a - b);
  const [low, high] = [quantile(sorted, tail), quantile(sorted, 1 - tail)];
  return low === null || high === null ? null : [low, high];
}

export type Bootstrap = {
  readonly estimate: number;
  readonly standardError: number;
  readonly percentile: Interval;
  /** Null when all values are equal. */
  readonly bca: Bca | null;
};

export type Bca = {
  readonly z0: number;
  readonly acceleration: number;
  readonly levels: Interval;
  readonly ci: Interval;
};

/**
 * Bootstrap of a mean over tasks; null from no value or fewer than two resamples. Source: Efron 1987; DiCiccio and Efron
 * 1996.
 */
export function bootstrapMean(
  values: readonly number[],
  resamples: Iterable<readonly number[]>,
  confidence = 0.95,
): Bootstrap | null {
  const estimates = Array.from(resamples, (indices) => mean(indices.map((at) => values[at] ?? NaN)));
  const percentile = percentileInterval(estimates, confidence);
  if (values.length === 0 || estimates.length < 2 || percentile === null) return null;
  const centre = mean(estimates);
  const squares = estimates.reduce((sum, estimate) => sum + (estimate - centre) ** 2, 0);
  return {
    estimate: mean(values),
    standardError: Math.sqrt(squares / (estimates.length - 1)),
    percentile,
    bca: bcaOf(values, estimates, confidence),
  };
}

function bcaOf(values: readonly number[], estimates: readonly number[], confidence: number): Bca | null {
  const observed = mean(values);
  const below = estimates.filter((one) => one < observed).length;
  const upTo = estimates.filter((one) => one <= observed).length;
  const z0 = normalQuantile((below + upTo) / (2 * estimates.length));
  const total = values.reduce((sum, value) => sum + value, 0);
  const jackknife = values.map((value) => (total - value) / (values.length - 1));
  const centre = mean(jackknife);
  const cubes = jackknife.reduce((sum, one) => sum + (centre - one) ** 3, 0);
  const squares = jackknife.reduce((sum, one) => sum + (centre - one) ** 2, 0);
  if (squares === 0 || !Number.isFinite(z0)) return null;
  const acceleration = cubes / (6 * squares ** 1.5);
  const levelOf = (p: number): number => {
    const z = z0 + normalQuantile(p);
    return normalCdf(z0 + z / (1 - acceleration * z));
  };
  const tail = (1 - confidence) / 2;
  const levels: Interval = [levelOf(tail), levelOf(1 - tail)];
  const sorted = estimates.toSorted((a, b) => a - b);
  const [low, high] = [quantile(sorted, levels[0]), quantile(sorted, levels[1])];
  return low === null || high === null ? null : { z0, acceleration, levels, ci: [low, high] };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
