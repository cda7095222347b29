import type { Matrix } from "ml-matrix";
import type { Random } from "../seed.ts";
import { at } from "./geometry.ts";

/**
 * Indices of k points to start k-means from (k-means++, Arthur and Vassilvitskii 2007), given the squared distances
 * of all points. The first is ⌊u·n⌋; each further one is the first whose running sum of squared distances to the
 * nearest seed exceeds u·total, or the lowest unused index when every distance is 0. Takes exactly k numbers from
 * `random`.
 */
export function plusPlusSeeds(squared: Matrix, k: number, random: Random): number[] {
  const seeds = [Math.floor(random() * squared.rows)];
  let nearest = squared.getRow(at(seeds, 0));
  while (seeds.length < k) {
    const next = draw(nearest, random()) ?? nearest.findIndex((_, i) => !seeds.includes(i));
    seeds.push(next);
    nearest = nearest.map((distance, i) => Math.min(distance, squared.get(i, next)));
  }
  return seeds;
}

/** An index drawn in proportion to its weight, or null when all weights are 0. */
function draw(weights: readonly number[], uniform: number): number | null {
  const threshold = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  let last: number | null = null;
  for (const [i, weight] of weights.entries()) {
    if (weight === 0) continue;
    sum += weight;
    last = i;
    if (sum > threshold) return i;
  }
  // Rounding may leave the whole sum at the threshold: the last point that is no seed yet stands for it.
  return last;
}
