import { betaQuantile, normalQuantile } from "./distributions.ts";

/** Lower and upper end. */
export type Interval = readonly [number, number];

/** `k` passes of `n` trials. */
export type Rate = { readonly k: number; readonly n: number };

/** Score interval of one rate, the usual choice; null without a trial. Source: Wilson 1927. */
export function wilson(rate: Rate, confidence = 0.95): Interval | null {
  const { k, n } = requireRate(rate);
  if (n === 0) return null;
  const z = normalQuantile(1 - (1 - requireConfidence(confidence)) / 2);
  const p = k / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [k === 0 ? 0 : Math.max(0, middle - half), k === n ? 1 : Math.min(1, middle + half)];
}

/** Never covers less than it says; null without a trial. Source: Clopper and Pearson 1934. */
export function clopperPearson(rate: Rate, confidence = 0.95): Interval | null {
  const { k, n } = requireRate(rate);
  if (n === 0) return null;
  const tail = (1 - requireConfidence(confidence)) / 2;
  return [k === 0 ? 0 : betaQuantile(tail, k, n - k + 1), k === n ? 1 : betaQuantile(1 - tail, k + 1, n - k)];
}

/** Equal-tailed, of a Beta(½, ½) prior, with its ends at 0 and 1. Source: Brown, Cai and DasGupta 2001. */
export function jeffreys(rate: Rate, confidence = 0.95): Interval | null {
  const { k, n } = requireRate(rate);
  if (n === 0) return null;
  const tail = (1 - requireConfidence(confidence)) / 2;
  return [
    k === 0 ? 0 : betaQuantile(tail, k + 0.5, n - k + 0.5),
    k === n ? 1 : betaQuantile(1 - tail, k + 0.5, n - k + 0.5),
  ];
}

/**
 * Difference of two independent rates, by square-and-add of their Wilson limits; null where one has no trial. Source:
 * Newcombe 1998, method 10.
 */
export function newcombe(a: Rate, b: Rate, confidence = 0.95): Interval | null {
  const [ofA, ofB] = [wilson(a, confidence), wilson(b, confidence)];
  if (ofA === null || ofB === null) return null;
  const [p, q] = [a.k / a.n, b.k / b.n];
  const below = Math.hypot(p - ofA[0], ofB[1] - q);
  const above = Math.hypot(ofA[1] - p, q - ofB[0]);
  return [Math.max(-1, p - q - below), Math.min(1, p - q + above)];
}

export function requireConfidence(confidence: number): number {
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`confidence: ${confidence} is not between 0 and 1`);
  return confidence;
}

function requireRate(rate: Rate): Rate {
  const { k, n } = rate;
  if (!Number.isInteger(k) || !Number.isInteger(n) || k < 0 || k > n)
    throw new RangeError(`rate: ${k} of ${n} is no count of passes and trials`);
  return rate;
}
