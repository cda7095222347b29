import type { Interval } from "./rate-intervals.ts";
import { type Fraction, onLattice } from "./fraction.ts";

/**
 * Percentile interval of the bootstrapped mean without drawing: its distribution is the n-fold convolution of one draw,
 * exact on the lattice that holds the values. Null from fewer than two values.
 */
export function bootstrapExact(
  values: readonly Fraction[],
  confidence = 0.95,
): { readonly estimate: number; readonly ci: Interval } | null {
  if (values.length < 2) return null;
  const { totals, unit } = onLattice(values);
  const n = totals.length;
  const least = Math.min(...totals);
  const spread = Math.max(...totals) - least;
  const one = new Float64Array(spread + 1);
  for (const total of totals) one[total - least] = (one[total - least] ?? 0) + 1 / n;
  let shares: Float64Array = Float64Array.of(1);
  for (let draw = 0; draw < n; draw++) shares = convolve(shares, one);
  const tail = (1 - confidence) / 2;
  const point = (q: number): number => {
    let reached = 0;
    const at = shares.findIndex((share) => (reached += share) >= q);
    return ((at === -1 ? shares.length - 1 : at) + n * least) / (n * unit);
  };
  const estimate = totals.reduce((sum, total) => sum + total, 0) / (n * unit);
  return { estimate, ci: [point(tail), point(1 - tail)] };
}

function convolve(a: Float64Array, b: Float64Array): Float64Array {
  const sum = new Float64Array(a.length + b.length - 1);
  for (const [i, x] of a.entries()) {
    if (x === 0) continue;
    for (const [j, y] of b.entries()) sum[i + j] = (sum[i + j] ?? 0) + x * y;
  }
  return sum;
}
