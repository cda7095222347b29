import { expect, test } from "vitest";
import type { Unit } from "../artefacts/chunks.ts";
import { type Clusters, clustersSchema } from "../artefacts/clusters.ts";
import { InfrastructureError, UserError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import { unitWith } from "../testing/unit.ts";
import { clusterUnits } from "./cluster-units.ts";

const defaults: Clusters["settings"] = {
  seed: 7,
  kMin: 2,
  kMax: 10,
  benchmarks: 2,
  duplicateCosine: 0.98,
  minClusterTokens: 120,
};

function cluster(
  rows: readonly { vector: readonly number[] | null; unit?: Partial<Unit> }[],
  settings: Partial<Clusters["settings"]> = {},
): Clusters {
  const units = rows.map(({ unit }, i) => unitWith(i, unit));
  const vectors = rows.map(({ vector }) => vector);
  const dimensions = vectors.find((vector) => vector !== null)?.length ?? 0;
  const embedding = { provider: "table", model: "test", dimensions, vectorHash: "0".repeat(64), vectors };
  return clusterUnits(units, embedding, { ...defaults, ...settings }, "ledger");
}

/** Unit vectors at these angles, in degrees. */
const at = (...degrees: readonly number[]) =>
  degrees.map((degree) => ({
    vector: [Math.cos((degree * Math.PI) / 180), Math.sin((degree * Math.PI) / 180)],
  }));
const chosen = ({ clusters }: Clusters) =>
  clusters
    .filter(({ selected }) => selected !== null)
    .sort((a, b) => a.selected!.order - b.selected!.order)
    .map(({ id }) => id);

const threeGroups = at(0, 15, 30, 110, 125, 140, 230, 245, 260);

test("groups become clusters in document order, and the farthest are chosen", () => {
  const clusters = cluster(threeGroups);
  expect(() => clustersSchema.parse(clusters)).not.toThrow();
  expect(clusters).toMatchObject({
    skill: "ledger",
    method: "k-means",
    k: 3,
    structure: "clear",
    leftOut: [],
  });
  expect(clusters.unitsHash).toBe(hashJson(threeGroups.map((_, i) => unitWith(i))));
  expect(clusters.embedding).toEqual({
    provider: "table",
    model: "test",
    dimensions: 2,
    vectorHash: "0".repeat(64),
  });
  expect(clusters.clusters.map(({ units }) => units)).toEqual([
    ["SKILL.md#0", "SKILL.md#1", "SKILL.md#2"],
    ["SKILL.md#3", "SKILL.md#4", "SKILL.md#5"],
    ["SKILL.md#6", "SKILL.md#7", "SKILL.md#8"],
  ]);
  expect(clusters.clusters.map(({ tokens }) => tokens)).toEqual([600, 600, 600]);
  // Directions at 15, 125 and 245 degrees: 130 degrees part the first and the third.
  const farthest = 1 - Math.cos((130 * Math.PI) / 180);
  expect(clusters.clusters[0]!.selected).toEqual({
    order: 0,
    distance: expect.closeTo(farthest, 9) as number,
  });
  expect(clusters.clusters[2]!.selected).toEqual({
    order: 1,
    distance: expect.closeTo(farthest, 9) as number,
  });
  expect(clusters.clusters[1]!.selected).toBeNull();
  expect(clusters.clusters[1]!.notSelected).toBe(
    'enough are chosen; cosine distance 1.342 to the nearest of them, "section-0"',
  );
  expect(clusters.warnings).toEqual([]);
});

test("the same input gives the same bytes", () => {
  expect(JSON.stringify(cluster(threeGroups))).toBe(JSON.stringify(cluster(threeGroups)));
});

test("one benchmark: the largest cluster, with no distance", () => {
  const clusters = cluster(at(0, 15, 30, 110, 125, 140, 155, 260), { benchmarks: 1, kMin: 3 });
  expect(clusters.clusters.map(({ selected }) => selected)).toEqual([
    null,
    { order: 0, distance: null },
    null,
  ]);
});

test("near duplicates are clustered once and follow the one that stands for them", () => {
  const clusters = cluster([...threeGroups, ...at(0.5, 110)]);
  expect(clusters.duplicates).toEqual([
    { unit: "SKILL.md#9", of: "SKILL.md#0" },
    { unit: "SKILL.md#10", of: "SKILL.md#3" },
  ]);
  expect(clusters.clusters[0]!.units).toEqual(["SKILL.md#0", "SKILL.md#1", "SKILL.md#2", "SKILL.md#9"]);
  expect(clusters.sweep.every(({ sizes }) => sizes.reduce((sum, size) => sum + size) === 9)).toBe(true);
});

test("many duplicates are a warning: the threshold may be too low for this embedding", () => {
  const { warnings } = cluster(threeGroups, { duplicateCosine: 0.96 });
  expect(warnings).toContain(
    "3 of 9 units count as near duplicates (cosine 0.96 or more): if they are not, raise duplicateCosine",
  );
});

test("boilerplate and small clusters are passed over while others remain, and say why", () => {
  const boilerplate = threeGroups.map((row, i) => ({
    ...row,
    unit: { boilerplate: i < 3, tokens: i < 6 ? 200 : 30 },
  }));
  const rows = [...boilerplate, ...at(180, 185, 190).map((row) => ({ ...row, unit: { tokens: 100 } }))];
  const clusters = cluster(rows, { kMin: 4 });
  expect(clusters.k).toBe(4);
  expect(chosen(clusters)).toEqual(["section-3", "section-9"]);
  expect(clusters.clusters[0]!.notSelected).toBe(
    "it is made only of boilerplate (it describes the skill, not a capability), and others remained",
  );
  expect(clusters.clusters[2]!.notSelected).toBe(
    "its text has 90 tokens, minClusterTokens is 120, and others remained",
  );
});

test("when nothing better is left, small ones come before boilerplate, with a warning each", () => {
  const rows = threeGroups.map((row, i) => ({
    ...row,
    unit: { boilerplate: i < 3, tokens: i < 6 ? 200 : 30 },
  }));
  const clusters = cluster(rows, { benchmarks: 3 });
  expect(chosen(clusters)).toEqual(["section-3", "section-6", "section-0"]);
  expect(clusters.clusters[1]!.selected).toEqual({ order: 0, distance: null });
  expect(clusters.warnings).toEqual([
    'cluster "section-6" was chosen because no better one is left: its text has 90 tokens, minClusterTokens is 120',
    'cluster "section-0" was chosen because no better one is left: it is made only of boilerplate (it describes the skill, not a capability)',
  ]);
});

test("too few units: one cluster each, and fewer benchmarks than wanted", () => {
  const clusters = cluster(at(0, 90, 180), { benchmarks: 5 });
  expect(clusters).toMatchObject({ method: "one-per-chunk", k: 3, structure: null, sweep: [] });
  expect(chosen(clusters)).toEqual(["section-0", "section-2", "section-1"]);
  expect(clusters.warnings).toEqual([
    "3 distinct units are too few to group for kMin 2 and 5 benchmarks: each is a cluster of its own",
    "3 of 5 wanted benchmarks: there are no more clusters",
  ]);
});

test("a single unit is a cluster and a benchmark", () => {
  const clusters = cluster(at(40), { benchmarks: 1 });
  expect(clusters).toMatchObject({
    k: 1,
    clusters: [{ id: "section-0", selected: { order: 0, distance: null } }],
  });
});

test("a unit that could not be placed is left out and named", () => {
  const clusters = cluster([{ vector: null }, ...threeGroups]);
  expect(clusters.leftOut).toEqual(["SKILL.md#0"]);
  expect(clusters.clusters.flatMap(({ units }) => units)).not.toContain("SKILL.md#0");
  expect(clusters.warnings).toEqual(["left out, no word to place them by: SKILL.md#0"]);
});

test("units without groups are a warning, not a failure", () => {
  const axes = Array.from({ length: 8 }, (_, i) => ({
    vector: Array.from({ length: 8 }, (_, j) => (i === j ? 1 : 0)),
  }));
  const clusters = cluster(axes);
  expect(clusters.structure).toBe("none");
  expect(clusters.warnings[0]).toBe(
    "the units show no groups (best mean silhouette 0.000, under 0.1): k = 2 is arbitrary",
  );
});

test.each([
  ["zero", [0, 0]],
  ["not finite", [Number.NaN, 1]],
  ["of another dimension", [1, 0, 0]],
])("a vector that is %s names its unit", (_name, vector) => {
  const rows = [...threeGroups, { vector, unit: { title: "Ledger" } }];
  expect(() => cluster(rows)).toThrow(InfrastructureError);
  expect(() => cluster(rows)).toThrow('table/test: the vector of SKILL.md#9 ("Ledger") is zero, not finite');
});

test.each([
  ["no units", []],
  ["no unit with a word", [{ vector: null }]],
])("%s: the user must write something", (_name, rows) => {
  expect(() => cluster(rows)).toThrow(UserError);
  expect(() => cluster(rows)).toThrow("ledger: no section with a word in it");
});
