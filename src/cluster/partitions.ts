import type { Matrix } from "ml-matrix";
import { at, type Points, squaredDistances, tieTolerance } from "./geometry.ts";
import { membersByLabel } from "./labels.ts";

export interface Partition {
  /** Canonical: numbered by first appearance. */
  readonly labels: readonly number[];
  /** Sum of squared distances to the cluster means. */
  readonly inertia: number;
}

/** Sum of squared distances to the cluster means, from the pairs: Σ d² / |C| over the pairs of each cluster C. */
export function inertiaOf(squared: Matrix, labels: readonly number[], k: number): number {
  return membersByLabel(labels, k).reduce((inertia, members) => {
    let pairs = 0;
    for (const i of members) for (const j of members) pairs += squared.get(i, j);
    return inertia + pairs / (2 * members.length);
  }, 0);
}

interface OpenCluster {
  readonly members: number[];
  /** Sum of squared distances over its pairs; divided by its size, its inertia. */
  pairs: number;
}

/**
 * The partition into exactly k non-empty clusters with the smallest inertia, by trying all of them; among equals
 * (within 1e-12) the one with the lexicographically smallest canonical labels. For few points only: 10 points have
 * 115,975 partitions over all k. Uses inertia(C) = Σ over pairs of d² / |C|, so that no mean is ever formed, and
 * leaves a branch as soon as it cannot win: a point more never makes a cluster's inertia smaller.
 */
export function smallestInertiaPartition(points: Points, k: number): Partition {
  if (k < 1 || k > points.length)
    throw new RangeError(`cannot part ${points.length} points into ${k} clusters`);
  return search(squaredDistances(points), points.length, k);
}

function search(squared: Matrix, n: number, k: number): Partition {
  const clusters: OpenCluster[] = [];
  const labels: number[] = [];
  let best: Partition = { labels: [], inertia: Infinity };

  const inertia = (): number => clusters.reduce((sum, { pairs, members }) => sum + pairs / members.length, 0);
  const place = (point: number): void => {
    if (inertia() >= best.inertia - tieTolerance) return;
    if (point === n) best = { labels: [...labels], inertia: inertia() };
    else for (const label of openTo(point)) visit(point, label);
  };
  /** Restricted growth: a point joins an open cluster or opens the next one; enough points stay for k clusters. */
  const openTo = (point: number): readonly number[] => {
    const mustOpen = k - clusters.length === n - point;
    const choices = mustOpen ? [] : [...clusters.keys()];
    return clusters.length < k ? [...choices, clusters.length] : choices;
  };
  const visit = (point: number, label: number): void => {
    if (label === clusters.length) clusters.push({ members: [], pairs: 0 });
    const cluster = at(clusters, label);
    const before = cluster.pairs;
    for (const other of cluster.members) cluster.pairs += squared.get(point, other);
    cluster.members.push(point);
    labels.push(label);
    place(point + 1);
    labels.pop();
    cluster.members.pop();
    cluster.pairs = before;
    if (cluster.members.length === 0) clusters.pop();
  };

  place(0);
  return best;
}
