import type { Unit } from "../artefacts/chunks.ts";
import { type Clusters, clustersFormat } from "../artefacts/clusters.ts";
import { InfrastructureError, UserError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import { direction } from "./centroids.ts";
import { chooseK, type ChosenK } from "./choose-k.ts";
import { clusterIds } from "./cluster-ids.ts";
import { keptPoints, representatives } from "./duplicates.ts";
import { at, norm, type Point, type Points, unitLength } from "./geometry.ts";
import { membersByLabel } from "./labels.ts";
import { selectClusters } from "./select-clusters.ts";

/** The vectors of the units, in their order; null for a unit that the embedder could not place. */
export type UnitVectors = Clusters["embedding"] & { readonly vectors: readonly (Point | null)[] };

/** More duplicates than this are more likely a threshold too low for the embedding than a skill that repeats itself. */
const manyDuplicates = 0.25;

/** A unit with its vector at length 1. */
interface PlacedUnit {
  readonly unit: Unit;
  readonly point: Point;
}

/**
 * Groups the units of one skill (in document order) and chooses the clusters that become benchmarks. Leaves out
 * what the embedder could not place, folds near duplicates, picks k by silhouette, selects by max-min. The same
 * input and seed give the same bytes.
 *
 * @throws UserError when no unit can be placed, InfrastructureError when a vector is unusable.
 */
export function clusterUnits(
  units: readonly Unit[],
  embedding: UnitVectors,
  settings: Clusters["settings"],
  skill: string,
): Clusters {
  const { placed, leftOut } = placeUnits(units, embedding);
  if (placed.length === 0) {
    throw new UserError(
      `${skill}: no section with a word in it, so nothing to cluster. Write instructions in SKILL.md.`,
    );
  }
  const representative = representatives(points(placed), settings.duplicateCosine);
  const kept = keptPoints(representative);
  const choice = chooseK(
    kept.map((index) => at(placed, index).point),
    settings,
  );
  const labels = representative.map((leader) => at(choice.labels, kept.indexOf(leader)));
  const groups = membersByLabel(labels, choice.k).map((members) => members.map((index) => at(placed, index)));
  const selection = selectClusters(describe(groups), groups.map(points).map(direction), settings);
  const { provider, model, dimensions, vectorHash } = embedding;
  return {
    format: clustersFormat,
    skill,
    unitsHash: hashJson(units),
    embedding: { provider, model, dimensions, vectorHash },
    settings,
    method: choice.method,
    k: choice.k,
    structure: choice.method === "k-means" ? choice.structure : null,
    sweep: choice.sweep.map(({ entry }) => entry),
    duplicates: duplicatesOf(placed, representative),
    leftOut,
    clusters: [...selection.clusters],
    warnings: [
      ...warningsAbout(choice, placed.length, kept.length, leftOut, settings),
      ...selection.warnings,
    ],
  };
}

function points(placed: readonly PlacedUnit[]): Points {
  return placed.map(({ point }) => point);
}

function placeUnits(units: readonly Unit[], { vectors, dimensions, provider, model }: UnitVectors) {
  if (vectors.length !== units.length)
    throw new RangeError(`${vectors.length} vectors for ${units.length} units`);
  const placed: PlacedUnit[] = [];
  const leftOut: string[] = [];
  for (const [index, unit] of units.entries()) {
    const vector = at(vectors, index);
    if (vector === null) leftOut.push(unit.id);
    else if (vector.length === dimensions && norm(vector) > 0 && Number.isFinite(norm(vector))) {
      placed.push({ unit, point: unitLength(vector) });
    } else {
      throw new InfrastructureError(
        `${provider}/${model}: the vector of ${unit.id} ("${unit.title}") is zero, not finite or not of ${dimensions} dimensions. Embed again.`,
      );
    }
  }
  return { placed, leftOut };
}

function describe(groups: readonly (readonly PlacedUnit[])[]) {
  const ids = clusterIds(groups.map((group) => group.map(({ unit }) => unit)));
  return groups.map((group, index) => ({
    index,
    id: at(ids, index),
    units: group.map(({ unit }) => unit.id),
    tokens: group.reduce((sum, { unit }) => sum + unit.tokens, 0),
    boilerplate: group.every(({ unit }) => unit.boilerplate),
  }));
}

function duplicatesOf(
  placed: readonly PlacedUnit[],
  representative: readonly number[],
): Clusters["duplicates"] {
  return placed.flatMap(({ unit }, index) => {
    const leader = at(representative, index);
    return leader === index ? [] : [{ unit: unit.id, of: at(placed, leader).unit.id }];
  });
}

function warningsAbout(
  choice: ChosenK,
  placed: number,
  kept: number,
  leftOut: readonly string[],
  settings: Clusters["settings"],
): readonly string[] {
  const warnings: string[] = [];
  if (leftOut.length > 0) warnings.push(`left out, no word to place them by: ${leftOut.join(", ")}`);
  if (placed - kept > placed * manyDuplicates) {
    warnings.push(
      `${placed - kept} of ${placed} units count as near duplicates (cosine ${settings.duplicateCosine} or more): if they are not, raise duplicateCosine`,
    );
  }
  if (choice.method === "one-per-chunk") {
    warnings.push(
      `${kept} distinct units are too few to group for kMin ${settings.kMin} and ${settings.benchmarks} benchmarks: each is a cluster of its own`,
    );
  } else if (choice.structure === "none") {
    const best = Math.max(...choice.sweep.map(({ entry }) => entry.silhouette));
    warnings.push(
      `the units show no groups (best mean silhouette ${best.toFixed(3)}, under 0.1): k = ${choice.k} is arbitrary`,
    );
  }
  if (choice.k < settings.benchmarks)
    warnings.push(`${choice.k} of ${settings.benchmarks} wanted benchmarks: there are no more clusters`);
  return warnings;
}
