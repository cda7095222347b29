import type { Cluster } from "../artefacts/clusters.ts";
import { at, cosineDistances, type Points } from "./geometry.ts";
import { type Choice, maxMin } from "./max-min.ts";

export type UnselectedCluster = Omit<Cluster, "selected" | "notSelected">;

/** Why a cluster is taken only when the better ones are used up; in the order in which they are then taken. */
const handicaps = ["none", "small", "boilerplate"] as const;
type Handicap = (typeof handicaps)[number];

/**
 * Chooses up to `benchmarks` mutually dissimilar clusters by max-min over the cosine distance of their directions.
 * Clusters under `minClusterTokens` and then clusters of boilerplate only are taken when no other is left, with a
 * warning. Each cluster comes back with its distance when chosen, or with the reason why it was not.
 */
export function selectClusters(
  clusters: readonly UnselectedCluster[],
  directions: Points,
  settings: { readonly benchmarks: number; readonly minClusterTokens: number },
): { readonly clusters: readonly Cluster[]; readonly warnings: readonly string[] } {
  const distances = cosineDistances(directions);
  const sizes = clusters.map((cluster) => cluster.units.length);
  const handicapOf = clusters.map((cluster) => handicap(cluster, settings.minClusterTokens));
  let chosen: readonly Choice[] = [];
  for (const wanted of handicaps) {
    const candidates = [...clusters.keys()].filter((i) => handicapOf[i] === wanted);
    chosen = maxMin(distances, { wanted: settings.benchmarks, candidates, sizes, chosen });
  }

  const reason = (index: number): string => {
    const said = explain(at(handicapOf, index), at(clusters, index), settings.minClusterTokens);
    if (said !== null) return `${said}, and others remained`;
    const near = chosen.map((choice) => ({ ...choice, apart: distances.get(index, choice.index) }));
    const nearest = near.reduce((best, choice) => (choice.apart < best.apart ? choice : best), at(near, 0));
    const id = at(clusters, nearest.index).id;
    return `enough are chosen; cosine distance ${nearest.apart.toFixed(3)} to the nearest of them, "${id}"`;
  };
  const decided = clusters.map((cluster, index): Cluster => {
    const order = chosen.findIndex((choice) => choice.index === index);
    return order === -1
      ? { ...cluster, selected: null, notSelected: reason(index) }
      : { ...cluster, selected: { order, distance: at(chosen, order).distance }, notSelected: null };
  });
  const warnings = chosen.flatMap(({ index }) => {
    const said = explain(at(handicapOf, index), at(clusters, index), settings.minClusterTokens);
    return said === null
      ? []
      : [`cluster "${at(clusters, index).id}" was chosen because no better one is left: ${said}`];
  });
  return { clusters: decided, warnings };
}

function handicap(cluster: UnselectedCluster, minClusterTokens: number): Handicap {
  if (cluster.boilerplate) return "boilerplate";
  return cluster.tokens < minClusterTokens ? "small" : "none";
}

function explain(kind: Handicap, cluster: UnselectedCluster, minClusterTokens: number): string | null {
  switch (kind) {
    case "none":
      return null;
    case "small":
      return `its text has ${cluster.tokens} tokens, minClusterTokens is ${minClusterTokens}`;
    case "boilerplate":
      return "it is made only of boilerplate (it describes the skill, not a capability)";
  }
}
