import { normalQuantile } from "./distributions.ts";
import { type Interval, type Rate, requireConfidence } from "./rate-intervals.ts";
import type { PairedRates } from "./set-interval.ts";

/** One cell with its share in the mean; the shares of all cells add up to 1. */
export type WeightedCell = PairedRates & { readonly weight: number };

/**
 * Mean uplift Σ w·u with its standard error √Σ w²·(V + V′), V = p̃(1 − p̃)/(n + 2), p̃ = (k + 1)/(n + 2) per arm: the
 * interval of `setInterval` for means in which cells weigh differently (models inside tasks inside skills). Null without
 * a cell, or where an arm has no trial. Source: Agresti and Caffo 2000, summed over strata.
 */
export function weightedUplift(
  cells: readonly WeightedCell[],
): { readonly uplift: number; readonly standardError: number } | null {
  if (cells.length === 0) return null;
  if (cells.some(({ treated, control }) => treated.n === 0 || control.n === 0)) return null;
  let [uplift, variance] = [0, 0];
  for (const { treated, control, weight } of cells) {
    uplift += weight * (treated.k / treated.n - control.k / control.n);
    variance += weight ** 2 * (varianceOf(treated) + varianceOf(control));
  }
  return { uplift, standardError: Math.sqrt(variance) };
}

/** Cut off at −1 and 1, which no difference of rates goes beyond. */
export function normalInterval(mean: number, standardError: number, confidence = 0.95): Interval {
  const half = normalQuantile(1 - (1 - requireConfidence(confidence)) / 2) * standardError;
  return [Math.max(-1, mean - half), Math.min(1, mean + half)];
}

function varianceOf({ k, n }: Rate): number {
  const rate = (k + 1) / (n + 2);
  return (rate * (1 - rate)) / (n + 2);
}
