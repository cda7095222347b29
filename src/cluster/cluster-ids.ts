import type { Unit } from "../artefacts/chunks.ts";
import { at } from "./geometry.ts";

const longestSlug = 60;

/**
 * One id per cluster, in order: the slug of its leading unit's title, `[a-z0-9-]`, unique by a number at the end,
 * `cluster-<place>` where the title leaves nothing to write with (Chinese, say).
 */
export function clusterIds(clusters: readonly (readonly Unit[])[]): readonly string[] {
  const taken = new Set<string>();
  return clusters.map((units, index) => {
    const slug = slugOf(leadingUnit(units).title) || `cluster-${index + 1}`;
    let id = slug;
    for (let copy = 2; taken.has(id); copy++) id = `${slug}-${copy}`;
    taken.add(id);
    return id;
  });
}

/** The unit that gives a cluster its name: most tokens, boilerplate only if there is nothing else, first of equals. */
export function leadingUnit(units: readonly Unit[]): Unit {
  const capabilities = units.filter((unit) => !unit.boilerplate);
  const candidates = capabilities.length > 0 ? capabilities : units;
  return candidates.reduce(
    (leader, unit) => (unit.tokens > leader.tokens ? unit : leader),
    at(candidates, 0),
  );
}

function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  let slug = "";
  for (const word of words.filter((word) => word !== "")) {
    const longer = slug === "" ? word.slice(0, longestSlug) : `${slug}-${word}`;
    if (longer.length > longestSlug) break;
    slug = longer;
  }
  return slug;
}
