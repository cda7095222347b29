import { EigenvalueDecomposition, type Matrix } from "ml-matrix";
import { lengthOf, unitLength } from "./unit-length.ts";

/** Relative to the largest eigenvalue: below it a direction is rounding noise, closer than it two are equal. */
const eigenTolerance = 1e-9;
/** A text with less than this left in the kept dimensions is not described by them. */
const leastShare = 1e-6;

interface Axis {
  readonly eigenvalue: number;
  /** Coordinate of each text: eigenvector times the root of the eigenvalue. */
  readonly coordinates: readonly number[];
}

/**
 * Coordinates of N texts on the strongest max(2, round(√N)) axes of their Gram matrix, at length 1 (latent semantic
 * analysis; the eigenvectors of the Gram matrix are the left singular vectors of the weights). Axes as strong as the
 * last one kept are kept too, because which of them comes first is arbitrary, and so are as many as it takes until
 * no text lies at the origin.
 */
export function latentVectors(gram: Matrix): readonly (readonly number[])[] {
  const axes = axesOf(gram);
  const tie = (axes[0]?.eigenvalue ?? 0) * eigenTolerance;
  for (let keep = Math.max(2, Math.round(Math.sqrt(gram.rows))); ; keep++) {
    const weakest = axes[Math.min(keep, axes.length) - 1]?.eigenvalue ?? 0;
    const kept = axes.filter(({ eigenvalue }) => eigenvalue >= weakest - tie);
    const vectors = Array.from({ length: gram.rows }, (_, text) =>
      kept.map(({ coordinates }) => coordinates[text] ?? 0),
    );
    if (keep >= axes.length || vectors.every((vector) => lengthOf(vector) > leastShare))
      return vectors.map(unitLength);
  }
}

/** The axes that carry anything, strongest first. */
function axesOf(gram: Matrix): readonly Axis[] {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(gram, { assumeSymmetric: true });
  const largest = Math.max(...realEigenvalues);
  return realEigenvalues
    .map((eigenvalue, column) => {
      const vector = withFixedSign(eigenvectorMatrix.getColumn(column));
      return { eigenvalue, coordinates: vector.map((value) => value * Math.sqrt(Math.max(0, eigenvalue))) };
    })
    .filter(({ eigenvalue }) => eigenvalue > largest * eigenTolerance)
    .sort((a, b) => b.eigenvalue - a.eigenvalue);
}

/** An eigenvector has no sign of its own: its largest coordinate (the first of equals) is made positive. */
function withFixedSign(vector: readonly number[]): readonly number[] {
  const largest = Math.max(...vector.map(Math.abs));
  const leading = vector.find((value) => Math.abs(value) >= largest - eigenTolerance) ?? 1;
  return leading < 0 ? vector.map((value) => -value) : vector;
}
