import { Matrix } from "ml-matrix";
import { at, tieTolerance } from "./geometry.ts";

/**
 * Moves single points to other clusters while that lowers the inertia by more than 1e-12, and returns the labels.
 * Lloyd's iterations stop at partitions that such moves still improve (Hartigan and Wong 1979). Points are tried in
 * order, each takes the best move it has (lowest label on ties); a cluster's last point stays. Works on squared
 * distances alone: inertia(C) = Σ over pairs of d² / |C|.
 */
export function singlePointMoves(squared: Matrix, labels: readonly number[], k: number): number[] {
  const current = [...labels];
  const clusters = new OpenClusters(squared, labels, k);
  for (let moved = true; moved;) {
    moved = false;
    for (const point of current.keys()) {
      const from = at(current, point);
      const to = clusters.bestMove(point, from);
      if (to === null) continue;
      clusters.move(point, from, to);
      current[point] = to;
      moved = true;
    }
  }
  return current;
}

/** What a move costs, kept up to date from move to move. */
class OpenClusters {
  readonly #squared: Matrix;
  readonly #sizes: number[];
  /** Sum of squared distances over the pairs of each cluster. */
  readonly #pairs: number[];
  /** Sum of squared distances from each point (row) to the members of each cluster (column). */
  readonly #toMembers: Matrix;

  constructor(squared: Matrix, labels: readonly number[], k: number) {
    this.#squared = squared;
    this.#sizes = Array.from({ length: k }, () => 0);
    this.#pairs = Array.from({ length: k }, () => 0);
    this.#toMembers = Matrix.zeros(labels.length, k);
    labels.forEach((label, point) => {
      this.#add(point, label);
    });
  }

  /** The cluster to which `point` had best move, or null when it had best stay. */
  bestMove(point: number, from: number): number | null {
    const size = at(this.#sizes, from);
    if (size === 1) return null;
    const pairs = at(this.#pairs, from);
    let best: number | null = null;
    let cheapest = pairs / size - (pairs - this.#toMembers.get(point, from)) / (size - 1) - tieTolerance;
    for (const [label, there] of this.#pairs.entries()) {
      if (label === from) continue;
      const room = at(this.#sizes, label);
      const cost = (there + this.#toMembers.get(point, label)) / (room + 1) - there / room;
      if (cost < cheapest) [best, cheapest] = [label, cost];
    }
    return best;
  }

  move(point: number, from: number, to: number): void {
    this.#sizes[from] = at(this.#sizes, from) - 1;
    this.#pairs[from] = at(this.#pairs, from) - this.#toMembers.get(point, from);
    this.#shift(point, from, -1);
    this.#add(point, to);
  }

  #add(point: number, label: number): void {
    this.#sizes[label] = at(this.#sizes, label) + 1;
    this.#pairs[label] = at(this.#pairs, label) + this.#toMembers.get(point, label);
    this.#shift(point, label, 1);
  }

  #shift(point: number, label: number, sign: 1 | -1): void {
    for (let other = 0; other < this.#toMembers.rows; other++) {
      const sum = this.#toMembers.get(other, label) + sign * this.#squared.get(other, point);
      this.#toMembers.set(other, label, sum);
    }
  }
}
