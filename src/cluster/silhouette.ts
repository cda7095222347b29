import type { Matrix } from "ml-matrix";
import { at } from "./geometry.ts";
import { canonicalLabels, membersByLabel } from "./labels.ts";

export interface Silhouette {
  /** One value per point, −1 to 1. */
  readonly samples: readonly number[];
  readonly mean: number;
}

/**
 * Silhouette of a partition (P. J. Rousseeuw 1987, J. Comput. Appl. Math. 20:53–65): s = (b − a) / max(a, b), with
 * a the mean distance to the own cluster without self and b the smallest mean distance to another cluster. A point
 * alone in its cluster has 0, and so has one with a = b = 0. Null where it is undefined: outside 2 ≤ k ≤ n − 1.
 */
export function silhouette(distances: Matrix, labels: readonly number[]): Silhouette | null {
  const own = canonicalLabels(labels);
  const k = Math.max(-1, ...own) + 1;
  if (k < 2 || k > labels.length - 1) return null;
  const clusters = membersByLabel(own, k);
  const samples = own.map((label, point) => {
    const sums = clusters.map((members) =>
      members.reduce((sum, other) => sum + distances.get(point, other), 0),
    );
    const size = at(clusters, label).length;
    if (size === 1) return 0;
    const a = at(sums, label) / (size - 1);
    const b = Math.min(...sums.map((sum, i) => (i === label ? Infinity : sum / at(clusters, i).length)));
    const larger = Math.max(a, b);
    return larger === 0 ? 0 : (b - a) / larger;
  });
  return { samples, mean: samples.reduce((sum, value) => sum + value, 0) / samples.length };
}
