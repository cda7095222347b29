import type { Clusters, SweepEntry } from "../artefacts/clusters.ts";
import { at, cosineDistances, type Points, rotatedToFewDimensions, unitLength } from "./geometry.ts";
import { bestPartition } from "./k-means.ts";
import { membersByLabel } from "./labels.ts";
import { silhouette } from "./silhouette.ts";

export type KSettings = Pick<Clusters["settings"], "seed" | "kMin" | "kMax" | "benchmarks">;

/** One k tried: what `clusters.json` says of it, and which point is in which cluster. */
export interface SweptPartition {
  readonly entry: SweepEntry;
  readonly labels: readonly number[];
}

/** How many clusters, and which point is in which; labels are canonical. */
export type ChosenK =
  | {
      readonly method: "one-per-chunk";
      readonly k: number;
      readonly labels: readonly number[];
      readonly sweep: readonly [];
    }
  | {
      readonly method: "k-means";
      readonly k: number;
      readonly labels: readonly number[];
      readonly sweep: readonly SweptPartition[];
      readonly structure: NonNullable<Clusters["structure"]>;
    };

/** Mean silhouettes closer than this are equal; the smaller k wins. */
const silhouetteTie = 1e-9;

/**
 * The k to try for n points, or null when there are too few and each is its own cluster. Half of n is the natural
 * ceiling (above it most clusters are single points), but never below what the user asked for.
 */
export function kBounds(
  n: number,
  { kMin, kMax, benchmarks }: Omit<KSettings, "seed">,
): { lo: number; hi: number } | null {
  const lo = Math.max(kMin, benchmarks, 2);
  if (n <= 2 || n <= benchmarks || lo > n - 1) return null;
  return { lo, hi: Math.min(n - 1, Math.max(lo, Math.min(kMax, Math.floor(n / 2)))) };
}

/**
 * Partitions the points (any length but 0; directions count) with every k between the bounds and takes the one with
 * the largest mean cosine silhouette.
 */
export function chooseK(points: Points, settings: KSettings): ChosenK {
  const bounds = kBounds(points.length, settings);
  if (bounds === null) {
    return { method: "one-per-chunk", k: points.length, labels: [...points.keys()], sweep: [] };
  }
  const units = rotatedToFewDimensions(points.map(unitLength));
  const distances = cosineDistances(units);
  const sweep = Array.from({ length: bounds.hi - bounds.lo + 1 }, (_, i) => {
    const k = bounds.lo + i;
    const { labels, inertia } = bestPartition(units, k, settings.seed);
    const sizes = membersByLabel(labels, k).map((members) => members.length);
    const singletonShare = sizes.filter((size) => size === 1).length / k;
    const value = silhouette(distances, labels);
    if (value === null) throw new Error(`no silhouette for ${points.length} points in ${k} clusters`);
    return { entry: { k, silhouette: value.mean, inertia, sizes, singletonShare }, labels };
  });
  const largest = Math.max(...sweep.map(({ entry }) => entry.silhouette));
  const best = at(
    sweep.filter(({ entry }) => entry.silhouette >= largest - silhouetteTie),
    0,
  );
  return {
    method: "k-means",
    k: best.entry.k,
    labels: best.labels,
    sweep,
    structure: structureOf(best.entry.silhouette),
  };
}

/** Vectors without any groups reach a best silhouette of 0.02 to 0.07, weak groups 0.25, clear ones 0.5 and more. */
function structureOf(meanSilhouette: number): NonNullable<Clusters["structure"]> {
  if (meanSilhouette < 0.1) return "none";
  return meanSilhouette < 0.3 ? "weak" : "clear";
}
