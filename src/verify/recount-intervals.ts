import { normalAt, rootOf, tAt } from "./recount-intervals-quantiles.ts";

export type Ends = readonly [low: number, high: number];

/** Passes of graded trials. */
export type Passes = { readonly passed: number; readonly graded: number };

/**
 * Wilson's: all rates that lie within z standard errors, their own, of the one that was seen. Its ends are found where
 * the distance is z, by halving; null without a trial.
 */
export function scoreEnds({ passed, graded }: Passes, confidence: number): Ends | null {
  if (graded === 0) return null;
  const z = normalAt(1 - (1 - confidence) / 2);
  const seen = passed / graded;
  const beyond = (rate: number): number => (seen - rate) ** 2 - (z * z * rate * (1 - rate)) / graded;
  return [
    passed === 0 ? 0 : rootOf(0, seen, (rate) => -beyond(rate)),
    passed === graded ? 1 : rootOf(seen, 1, beyond),
  ];
}

/** Newcombe's of the difference of two rates: the distances to their own ends, as sides of right angles. */
export function differenceEnds(treated: Passes, control: Passes, confidence: number): Ends | null {
  const [ofTreated, ofControl] = [scoreEnds(treated, confidence), scoreEnds(control, confidence)];
  if (ofTreated === null || ofControl === null) return null;
  const [a, b] = [treated.passed / treated.graded, control.passed / control.graded];
  const down = Math.sqrt((a - ofTreated[0]) ** 2 + (ofControl[1] - b) ** 2);
  const up = Math.sqrt((ofTreated[1] - a) ** 2 + (b - ofControl[0]) ** 2);
  return within([a - b - down, a - b + up]);
}

/** mean ± z standard errors. */
export function normalEnds(mean: number, standardError: number, confidence: number): Ends {
  const half = normalAt(1 - (1 - confidence) / 2) * standardError;
  return [mean - half, mean + half];
}

export type Spread = { readonly count: number; readonly mean: number; readonly sd: number };

/** Of at least two values; their deviation by differences from the first of them, which leaves it the same. */
export function spreadOf(values: readonly number[]): Spread | null {
  const [first] = values;
  if (first === undefined || values.length < 2) return null;
  let [sum, squares] = [0, 0];
  for (const value of values) {
    sum += value - first;
    squares += (value - first) ** 2;
  }
  const count = values.length;
  const sd = Math.sqrt(Math.max(0, squares - (sum * sum) / count) / (count - 1));
  return { count, mean: first + sum / count, sd };
}

/** Student's: mean ± t · sd / √n. */
export function tEnds({ count, mean, sd }: Spread, confidence: number): Ends {
  const half = (tAt(1 - (1 - confidence) / 2, count - 1) * sd) / Math.sqrt(count);
  return [mean - half, mean + half];
}

/** No difference of rates lies beyond ±1. */
export function within([low, high]: Ends): Ends {
  return [Math.max(-1, low), Math.min(1, high)];
}

/** The middle share of ordered values; between two of them in proportion. */
export function middle(ordered: Float64Array, confidence: number): Ends {
  const tail = (1 - confidence) / 2;
  return [valueAt(ordered, tail), valueAt(ordered, 1 - tail)];
}

export function valueAt(ordered: Float64Array, share: number): number {
  const place = share * (ordered.length - 1);
  const before = Math.floor(place);
  const [low, high] = [ordered[before] ?? NaN, ordered[Math.min(before + 1, ordered.length - 1)] ?? NaN];
  const part = place - before;
  // Infinity × 0 is not a number.
  if (part === 0 || low === high) return low;
  return (1 - part) * low + part * high;
}
