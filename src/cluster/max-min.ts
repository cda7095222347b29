import type { Matrix } from "ml-matrix";
import { at, tieTolerance } from "./geometry.ts";

export interface Choice {
  readonly index: number;
  /** To the nearest chosen before it. Null for a start without a partner; both ends of a first pair have theirs. */
  readonly distance: number | null;
}

export interface MaxMinRequest {
  /** How many shall be chosen in all, `chosen` included. */
  readonly wanted: number;
  /** Indices that may be chosen, ascending. */
  readonly candidates: readonly number[];
  /** Size of every point, by index: one point wanted is the largest (the first of equals). */
  readonly sizes: readonly number[];
  /** Chosen before; the order goes on from them. Default none. */
  readonly chosen?: readonly Choice[];
}

/**
 * Chooses mutually dissimilar points by farthest-first traversal (Gonzalez 1985): from the farthest pair, or from
 * `chosen`, always the candidate whose distance to the nearest chosen is largest. Ties within 1e-12 go to the lowest
 * index, of pairs to the lexicographically first. Fewer candidates than wanted: all of them. The smallest chord
 * between chosen points is at least half of the best possible.
 */
export function maxMin(distances: Matrix, request: MaxMinRequest): readonly Choice[] {
  const chosen = [...(request.chosen ?? [])];
  if (chosen.length === 0) chosen.push(...firstChoices(distances, request));
  const rest = request.candidates.filter((index) => chosen.every((choice) => choice.index !== index));
  while (chosen.length < request.wanted && rest.length > 0) {
    let farthest: { index: number; distance: number } | null = null;
    for (const index of rest) {
      const distance = Math.min(...chosen.map((choice) => distances.get(index, choice.index)));
      if (farthest === null || distance > farthest.distance + tieTolerance) farthest = { index, distance };
    }
    if (farthest === null) break;
    chosen.push(farthest);
    rest.splice(rest.indexOf(farthest.index), 1);
  }
  return chosen;
}

function firstChoices(distances: Matrix, { wanted, candidates, sizes }: MaxMinRequest): readonly Choice[] {
  if (wanted < 1 || candidates.length === 0) return [];
  if (wanted === 1 || candidates.length === 1) {
    const largest = Math.max(...candidates.map((index) => at(sizes, index)));
    return candidates
      .filter((index) => sizes[index] === largest)
      .slice(0, 1)
      .map((index) => ({ index, distance: null }));
  }
  let pair: readonly Choice[] = [];
  let widest = -Infinity;
  for (const [place, i] of candidates.entries()) {
    for (const j of candidates.slice(place + 1)) {
      const distance = distances.get(i, j);
      if (distance <= widest + tieTolerance) continue;
      widest = distance;
      pair = [i, j].map((index) => ({ index, distance }));
    }
  }
  return pair;
}
