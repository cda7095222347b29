/** A vector shorter than this points nowhere: it is rounding noise. */
const noDirection = 1e-9;

export function lengthOf(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** The vector at length 1. The caller has made sure that it is not zero. */
export function unitLength(vector: readonly number[]): readonly number[] {
  const length = lengthOf(vector);
  return vector.map((value) => value / length);
}

/** Weighted mean of vectors of one dimension, not normalised. */
export function weightedMean(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return (vectors[0] ?? []).map(
    (_, i) => vectors.reduce((sum, vector, v) => sum + (vector[i] ?? 0) * (weights[v] ?? 0), 0) / total,
  );
}

/**
 * The vectors without what they all share: minus their mean, at length 1 again. Null where one of them is the mean
 * (a single vector, equal vectors): centred it would point nowhere, so such a batch has nothing to be centred by.
 */
export function centred(vectors: readonly (readonly number[])[]): readonly (readonly number[])[] | null {
  const centre = weightedMean(
    vectors,
    vectors.map(() => 1),
  );
  const moved = vectors.map((vector) => vector.map((value, i) => value - (centre[i] ?? 0)));
  return moved.some((vector) => lengthOf(vector) < noDirection) ? null : moved.map(unitLength);
}
