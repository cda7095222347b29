import { kmeans } from "ml-kmeans";
import { at, mean, type Points, squaredDistance } from "./geometry.ts";
import { membersByLabel } from "./labels.ts";

export interface Lloyd {
  /** 0 to k−1, by place in the initial centroids; no label is without a point. */
  readonly labels: readonly number[];
  readonly inertia: number;
  /** How often every point was assigned, the last time that changed nothing included. */
  readonly assignments: number;
  /** How often an empty cluster was given a point. */
  readonly reseeds: number;
}

/** Rounding could in principle make two partitions alternate; real inputs settle in under 50. */
const mostAssignments = 10_000;

/**
 * Lloyd's iterations from given centroids until no label changes. ml-kmeans makes each one (assignment, lowest index
 * on ties, then new means); it is driven one at a time because it keeps the old centroid of a cluster that lost all
 * its points, and we give such a cluster a point. Needs k ≤ n.
 */
export function lloyd(points: Points, initialCentroids: Points): Lloyd {
  const k = initialCentroids.length;
  const data = points.map((point) => [...point]);
  let centroids = initialCentroids.map((centroid) => [...centroid]);
  let labels: readonly number[] = [];
  let reseeds = 0;
  for (let assignments = 1; ; assignments++) {
    const step = kmeans(data, k, { initialization: centroids, maxIterations: 1 });
    const filled = withoutEmptyClusters(points, centroids, step.clusters);
    const given = filled.filter((label, i) => label !== step.clusters[i]).length;
    const settled = filled.every((label, i) => label === labels[i]);
    reseeds += given;
    centroids = given > 0 ? centroidsOf(points, filled, k) : step.centroids;
    labels = filled;
    if (settled || assignments === mostAssignments) {
      return { labels, inertia: inertiaOf(points, labels, centroids), assignments, reseeds };
    }
  }
}

/**
 * Each empty cluster, in order, takes the point farthest from the centroid it was assigned to, among clusters of
 * more than one point; the lowest index on ties.
 */
function withoutEmptyClusters(
  points: Points,
  centroids: Points,
  labels: readonly number[],
): readonly number[] {
  const sizes = membersByLabel(labels, centroids.length).map((members) => members.length);
  if (!sizes.includes(0)) return labels;
  const filled = [...labels];
  const distances = points.map((point, i) => squaredDistance(point, at(centroids, at(labels, i))));
  for (const empty of sizes.keys()) {
    if (sizes[empty] !== 0) continue;
    let farthest = -1;
    filled.forEach((label, i) => {
      const free = at(sizes, label) > 1;
      if (free && (farthest === -1 || at(distances, i) > at(distances, farthest))) farthest = i;
    });
    const donor = at(filled, farthest);
    sizes[donor] = at(sizes, donor) - 1;
    sizes[empty] = 1;
    filled[farthest] = empty;
  }
  return filled;
}

function centroidsOf(points: Points, labels: readonly number[], k: number): number[][] {
  return membersByLabel(labels, k).map((members) => mean(members.map((i) => at(points, i))));
}

function inertiaOf(points: Points, labels: readonly number[], centroids: Points): number {
  return points.reduce((sum, point, i) => sum + squaredDistance(point, at(centroids, at(labels, i))), 0);
}
