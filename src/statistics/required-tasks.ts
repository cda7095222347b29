import { normalQuantile } from "./distributions.ts";
import { tInterval } from "./t-interval.ts";

export type Sides = 1 | 2;

/**
 * Tasks needed to find a mean difference of `delta` (a fraction) with the spread that these tasks show:
 * ((z_α + z_power) · sd / δ)². Null from fewer than two values.
 */
export function requiredTasks(
  values: readonly number[],
  { delta, alpha, power, sides }: { delta: number; alpha: number; power: number; sides: Sides },
): { readonly sd: number; readonly exact: number; readonly tasks: number } | null {
  const spread = tInterval(values);
  if (spread === null) return null;
  const z = normalQuantile(1 - alpha / sides) + normalQuantile(power);
  const exact = ((z * spread.sd) / delta) ** 2;
  return { sd: spread.sd, exact, tasks: Math.ceil(exact) };
}
