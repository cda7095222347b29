import { at, cosineDistances, type Points, tieTolerance } from "./geometry.ts";

/**
 * For each point the index of the point that stands for it, itself when it is kept. Leader rule, in order: a point
 * joins the first kept one whose cosine similarity is at least `threshold`, so chains do not merge.
 */
export function representatives(points: Points, threshold: number): readonly number[] {
  const distances = cosineDistances(points);
  const kept: number[] = [];
  return points.map((_, i) => {
    const leader = kept.find((other) => distances.get(i, other) <= 1 - threshold + tieTolerance);
    if (leader === undefined) kept.push(i);
    return leader ?? i;
  });
}

/** Indices of the points that stand for themselves. */
export function keptPoints(representative: readonly number[]): readonly number[] {
  return [...representative.keys()].filter((i) => at(representative, i) === i);
}
