import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { chooseK } from "./choose-k.ts";
import { keptPoints, representatives } from "./duplicates.ts";
import { cosineDistances, euclideanDistances, squaredDistances } from "./geometry.ts";
import { lloyd } from "./lloyd.ts";
import { maxMin } from "./max-min.ts";
import { smallestInertiaPartition } from "./partitions.ts";
import { plusPlusSeeds } from "./seeding.ts";
import { silhouette } from "./silhouette.ts";

const golden = resolve(
  process.env["GOLDEN_DIR"] ?? resolve(dirname(fileURLToPath(import.meta.url)), "../testing/golden"),
);

const points = z.array(z.array(z.number()));
const labels = z.array(z.number());
const tolerance = z.object({ abs: z.number(), rel: z.number() });
const silhouetteValues = z.object({ samples: z.array(z.number()).nullable(), mean: z.number().nullable() });

function vectorsOf<Input extends z.ZodType, Expected extends z.ZodType>(input: Input, expected: Expected) {
  return z.array(z.object({ id: z.string(), input, expected, tolerance: tolerance.partial().default({}) }));
}

const setSchema = z.object({
  schema: z.literal("skillproof-golden-clustering/1"),
  tolerance,
  vectors: z.number(),
  groups: z.strictObject({
    silhouette: vectorsOf(
      z.object({ points, labels }),
      z.object({
        clusters: z.number(),
        defined: z.boolean(),
        euclidean: silhouetteValues,
        cosine: silhouetteValues,
      }),
    ),
    kmeansOptimum: vectorsOf(
      z.object({ points, k: z.number() }),
      z.object({ inertia: z.number(), labels: labels.nullable() }),
    ),
    lloyd: vectorsOf(
      z.object({ points, initialCentroids: points }),
      z.object({ labels, inertia: z.number(), assignments: z.number(), reseeds: z.number() }),
    ),
    kmeansPlusPlus: vectorsOf(
      z.object({ points, k: z.number(), uniforms: z.array(z.number()) }),
      z.object({ seeds: z.array(z.number()) }),
    ),
    maxMin: vectorsOf(
      z.object({
        centroids: points,
        sizes: z.array(z.number()).nullable(),
        k: z.number(),
        metric: z.enum(["cosine", "euclidean"]),
        start: z.union([z.literal("farthest-pair"), z.number()]),
      }),
      z.object({
        order: z.array(z.number()),
        distanceToSelectedWhenChosen: z.array(z.number().nullable()),
        minPairwiseDistance: z.number().nullable(),
        bestPossibleMinPairwiseDistance: z.number().nullable(),
      }),
    ),
    chooseK: vectorsOf(
      z.object({ points, kBenchmarks: z.number(), kMin: z.number(), kMax: z.number() }),
      z.object({
        sweep: z.array(
          z.object({
            k: z.number(),
            inertia: z.number(),
            unique: z.boolean(),
            silhouetteCosine: z.number(),
            labels: labels.nullable(),
          }),
        ),
        chosenK: z.number(),
        labels: labels.nullable(),
        runnerUpGap: z.number().nullable().optional(),
      }),
    ),
    dedupe: vectorsOf(
      z.object({ points, threshold: z.number() }),
      z.object({ kept: z.array(z.number()), representative: z.array(z.number()) }),
    ),
  }),
});

const file = resolve(golden, "clustering.json");
const present = ["skills", "clustering.json", "stats.json"].filter((name) =>
  existsSync(resolve(golden, name)),
);
const set = existsSync(file) ? setSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : null;
let compared = 0;

/** `|got − want| ≤ max(abs, rel·|want|)`; null is "undefined" and matches only null. A vector's own limits win. */
function near(own: { readonly abs?: number | undefined; readonly rel?: number | undefined }) {
  const abs = own.abs ?? set!.tolerance.abs;
  const rel = own.rel ?? set!.tolerance.rel;
  const matches = (got: number | null, want: number | null): void => {
    const close =
      got === null || want === null
        ? got === want
        : Math.abs(got - want) <= Math.max(abs, rel * Math.abs(want));
    expect(close, `got ${String(got)}, want ${String(want)}`).toBe(true);
  };
  return {
    number: matches,
    list: (got: readonly (number | null)[] | null, want: readonly (number | null)[] | null): void => {
      expect(got?.length).toBe(want?.length);
      want?.forEach((value, i) => {
        matches(got![i]!, value);
      });
    },
  };
}

/** The best smallest distance that any `size` of n points can have, by trying every subset; null below two points. */
function bestSmallestDistance(
  n: number,
  size: number,
  distance: (i: number, j: number) => number,
): number | null {
  const best = (next: number, taken: readonly number[], smallest: number): number => {
    if (taken.length === size) return smallest;
    if (next === n) return -Infinity;
    const withNext = Math.min(smallest, ...taken.map((i) => distance(i, next)));
    return Math.max(best(next + 1, [...taken, next], withNext), best(next + 1, taken, smallest));
  };
  return size < 2 ? null : best(0, [], Infinity);
}

afterAll(() => {
  console.log(`clustering.json in ${golden}: ${compared} vectors compared`);
});

test("the golden directory holds something", () => {
  if (set === null) console.log(`clustering.json is absent in ${golden}: no clustering vector compared`);
  expect(present, `${golden} holds neither skills/ nor clustering.json nor stats.json`).not.toEqual([]);
});

if (set !== null) {
  const { groups, vectors } = set;

  test("the file holds as many vectors as it says", () => {
    expect(Object.values(groups).reduce((sum, group) => sum + group.length, 0)).toBe(vectors);
  });

  test.each(groups.silhouette)("silhouette: $id", ({ input, expected, tolerance }) => {
    compared++;
    const { number, list } = near(tolerance);
    const euclidean = silhouette(euclideanDistances(input.points), input.labels);
    const cosine = silhouette(cosineDistances(input.points), input.labels);
    expect(cosine !== null).toBe(expected.defined);
    list(euclidean?.samples ?? null, expected.euclidean.samples);
    list(cosine?.samples ?? null, expected.cosine.samples);
    number(euclidean?.mean ?? null, expected.euclidean.mean);
    number(cosine?.mean ?? null, expected.cosine.mean);
  });

  test.each(groups.kmeansOptimum)("k-means optimum: $id", ({ input, expected, tolerance }) => {
    compared++;
    const partition = smallestInertiaPartition(input.points, input.k);
    near(tolerance).number(partition.inertia, expected.inertia);
    expect(new Set(partition.labels).size).toBe(input.k);
    if (expected.labels !== null) expect(partition.labels).toEqual(expected.labels);
  });

  test.each(groups.lloyd)("Lloyd: $id", ({ input, expected, tolerance }) => {
    compared++;
    const { inertia, ...counted } = lloyd(input.points, input.initialCentroids);
    near(tolerance).number(inertia, expected.inertia);
    expect(counted).toEqual({
      labels: expected.labels,
      assignments: expected.assignments,
      reseeds: expected.reseeds,
    });
  });

  test.each(groups.kmeansPlusPlus)("k-means++: $id", ({ input, expected }) => {
    compared++;
    const uniforms = [...input.uniforms];
    expect(plusPlusSeeds(squaredDistances(input.points), input.k, () => uniforms.shift()!)).toEqual(
      expected.seeds,
    );
    expect(uniforms).toEqual([]);
  });

  test.each(groups.maxMin)("max-min: $id", ({ input, expected, tolerance }) => {
    compared++;
    const { number, list } = near(tolerance);
    const distances =
      input.metric === "cosine" ? cosineDistances(input.centroids) : euclideanDistances(input.centroids);
    const chosen = maxMin(distances, {
      wanted: input.k,
      candidates: [...input.centroids.keys()],
      sizes: input.sizes ?? input.centroids.map(() => 1),
      chosen: input.start === "farthest-pair" ? [] : [{ index: input.start, distance: null }],
    });
    const order = chosen.map((choice) => choice.index);
    expect(order).toEqual(expected.order);
    list(
      chosen.map((choice) => choice.distance),
      expected.distanceToSelectedWhenChosen,
    );
    number(
      bestSmallestDistance(order.length, order.length, (i, j) => distances.get(order[i]!, order[j]!)),
      expected.minPairwiseDistance,
    );
    number(
      bestSmallestDistance(input.centroids.length, order.length, (i, j) => distances.get(i, j)),
      expected.bestPossibleMinPairwiseDistance,
    );
  });

  test.each(groups.chooseK)("choice of k: $id", ({ input, expected, tolerance }) => {
    compared++;
    const { number } = near(tolerance);
    const choice = chooseK(input.points, {
      seed: 1,
      benchmarks: input.kBenchmarks,
      kMin: input.kMin,
      kMax: input.kMax,
    });
    expect(choice.k).toBe(expected.chosenK);
    if (expected.labels !== null) expect(choice.labels).toEqual(expected.labels);
    expect(choice.method).toBe(expected.sweep.length === 0 ? "one-per-chunk" : "k-means");
    expect(choice.sweep.map(({ entry }) => entry.k)).toEqual(expected.sweep.map(({ k }) => k));
    expected.sweep.forEach((want, i) => {
      const { entry: got, labels } = choice.sweep[i]!;
      number(got.inertia, want.inertia);
      if (!want.unique) return;
      number(got.silhouette, want.silhouetteCosine);
      expect(labels).toEqual(want.labels);
    });
    if (expected.runnerUpGap === undefined || expected.runnerUpGap === null) return;
    const [best, second] = choice.sweep.map(({ entry }) => entry.silhouette).sort((a, b) => b - a);
    number(best! - second!, expected.runnerUpGap);
  });

  test.each(groups.dedupe)("duplicates: $id", ({ input, expected }) => {
    compared++;
    const representative = representatives(input.points, input.threshold);
    expect(representative).toEqual(expected.representative);
    expect(keptPoints(representative)).toEqual(expected.kept);
  });
}
