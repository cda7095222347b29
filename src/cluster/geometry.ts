import { Matrix, QrDecomposition } from "ml-matrix";

export type Point = readonly number[];
export type Points = readonly Point[];

/** Distances and inertias closer than this are equal: angles of identical vectors come out as 1e-16, not 0. */
export const tieTolerance = 1e-12;

/** `list[index]`, or a RangeError: reading past the end is our own mistake and must not become NaN. */
export function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return value;
}

export function squaredDistance(a: Point, b: Point): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (at(a, i) - at(b, i)) ** 2;
  return sum;
}

export function norm(point: Point): number {
  return Math.sqrt(point.reduce((sum, value) => sum + value * value, 0));
}

/** The point at length 1. The caller has made sure that it is not zero. */
export function unitLength(point: Point): number[] {
  const length = norm(point);
  return point.map((value) => value / length);
}

export function mean(points: Points): number[] {
  return at(points, 0).map((_, i) => points.reduce((sum, point) => sum + at(point, i), 0) / points.length);
}

function pairwise(points: Points, distance: (a: Point, b: Point) => number): Matrix {
  const matrix = Matrix.zeros(points.length, points.length);
  points.forEach((a, i) => {
    points.slice(0, i).forEach((b, j) => {
      const value = distance(a, b);
      matrix.set(i, j, value).set(j, i, value);
    });
  });
  return matrix;
}

export function squaredDistances(points: Points): Matrix {
  return pairwise(points, squaredDistance);
}

export function euclideanDistances(points: Points): Matrix {
  return pairwise(points, (a, b) => Math.sqrt(squaredDistance(a, b)));
}

/**
 * 1 − cosine for every pair, 0 to 2. Taken as half the squared chord of the unit vectors, which is the same value
 * and keeps its digits where two vectors nearly agree.
 */
export function cosineDistances(points: Points): Matrix {
  return pairwise(points.map(unitLength), (a, b) => {
    const distance = squaredDistance(a, b) / 2;
    return distance < tieTolerance ? 0 : distance;
  });
}

/**
 * The same points, turned into at most as many dimensions as there are points. A rotation changes no distance, and
 * k-means on 40 embeddings of 1,536 numbers becomes 40 times cheaper. Source: X = LQ, Q orthonormal.
 */
export function rotatedToFewDimensions(points: Points): number[][] {
  const copy = points.map((point) => [...point]);
  if (copy.length === 0 || at(copy, 0).length <= copy.length) return copy;
  return new QrDecomposition(new Matrix(copy).transpose()).upperTriangularMatrix.transpose().to2DArray();
}
