import { at, cosineDistances, mean, norm, type Points, unitLength } from "./geometry.ts";

/** A mean of unit vectors shorter than this points nowhere: it is rounding noise. */
const noDirection = 1e-9;

/**
 * The direction of a cluster of unit vectors: their mean at length 1. Where they cancel out, the medoid: the member
 * with the smallest sum of distances to the others, the first of equals.
 */
export function direction(members: Points): readonly number[] {
  const centre = mean(members);
  return norm(centre) < noDirection ? medoid(members) : unitLength(centre);
}

function medoid(members: Points): readonly number[] {
  const distances = cosineDistances(members);
  const sums = members.map((_, i) => distances.getRow(i).reduce((sum, distance) => sum + distance, 0));
  return at(members, sums.indexOf(Math.min(...sums)));
}
