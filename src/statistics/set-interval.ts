import { normalQuantile } from "./distributions.ts";
import { type Interval, type Rate, requireConfidence } from "./rate-intervals.ts";

/** One cell (task × model) with its two arms. */
export type PairedRates = { readonly treated: Rate; readonly control: Rate };

/**
 * Interval of the mean uplift over these very cells, whose trials alone are chance: mean ± z · √Σ var / cells, with
 * Agresti and Caffo's variance p̃(1 − p̃) / (n + 2), p̃ = (k + 1) / (n + 2) per arm, which stays honest at 0 of 3 and 3 of
 * 3. Null without a cell, or where an arm has no trial. Source: Agresti and Caffo 2000, summed over strata.
 */
export function setInterval(cells: readonly PairedRates[], confidence = 0.95): Interval | null {
  if (cells.length === 0) return null;
  if (cells.some(({ treated, control }) => treated.n === 0 || control.n === 0)) return null;
  const z = normalQuantile(1 - (1 - requireConfidence(confidence)) / 2);
  const uplift = cells.map(({ treated, control }) => treated.k / treated.n - control.k / control.n);
  const mean = uplift.reduce((sum, one) => sum + one, 0) / cells.length;
  const variance = cells.reduce(
    (sum, { treated, control }) => sum + varianceOf(treated) + varianceOf(control),
    0,
  );
  const half = (z * Math.sqrt(variance)) / cells.length;
  return [Math.max(-1, mean - half), Math.min(1, mean + half)];
}

function varianceOf({ k, n }: Rate): number {
  const p = (k + 1) / (n + 2);
  return (p * (1 - p)) / (n + 2);
}
