import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import { chooseK, kBounds } from "./choose-k.ts";

test.each([
  { n: 0, benchmarks: 5, kMin: 2, kMax: 10, bounds: null },
  { n: 2, benchmarks: 1, kMin: 2, kMax: 10, bounds: null },
  { n: 5, benchmarks: 5, kMin: 2, kMax: 10, bounds: null },
  { n: 6, benchmarks: 2, kMin: 6, kMax: 10, bounds: null },
  { n: 3, benchmarks: 1, kMin: 2, kMax: 10, bounds: { lo: 2, hi: 2 } },
  { n: 6, benchmarks: 5, kMin: 2, kMax: 10, bounds: { lo: 5, hi: 5 } },
  { n: 16, benchmarks: 5, kMin: 2, kMax: 10, bounds: { lo: 5, hi: 8 } },
  { n: 40, benchmarks: 5, kMin: 7, kMax: 10, bounds: { lo: 7, hi: 10 } },
  { n: 40, benchmarks: 12, kMin: 2, kMax: 10, bounds: { lo: 12, hi: 12 } },
])("$n points, $benchmarks benchmarks, k from $kMin to $kMax", ({ n, bounds, ...settings }) => {
  expect(kBounds(n, settings)).toEqual(bounds);
});

/** `groups` directions at right angles, `size` points about each. */
function grouped(groups: number, size: number, spread: number): number[][] {
  const random = randomFrom("groups", groups, size);
  return Array.from({ length: groups * size }, (_, i) =>
    Array.from({ length: 8 }, (_, axis) => (axis === i % groups ? 1 : 0) + spread * (random() - 0.5)),
  );
}

test("clear groups are found, whatever the length of the vectors", () => {
  const points = grouped(4, 6, 0.2).map((point, i) => point.map((value) => value * (1 + i)));
  const choice = chooseK(points, { seed: 1, kMin: 2, kMax: 10, benchmarks: 2 });
  expect(choice).toMatchObject({ method: "k-means", k: 4, structure: "clear" });
  expect(choice.labels).toEqual(points.map((_, i) => i % 4));
  expect(choice.sweep.map(({ entry }) => entry.k)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(choice.sweep[2]!.entry.sizes).toEqual([6, 6, 6, 6]);
  for (const { entry, labels } of choice.sweep) {
    expect(entry.singletonShare).toBe(entry.sizes.filter((size) => size === 1).length / entry.k);
    expect(entry.sizes.reduce((sum, size) => sum + size)).toBe(labels.length);
  }
});

test("points at equal distances have no structure", () => {
  const points = Array.from({ length: 8 }, (_, i) =>
    Array.from({ length: 8 }, (_, axis) => (axis === i ? 1 : 0)),
  );
  const choice = chooseK(points, { seed: 1, kMin: 2, kMax: 10, benchmarks: 3 });
  // Every silhouette is 0: the smallest k wins.
  expect(choice).toMatchObject({ method: "k-means", k: 3, structure: "none" });
});

test("the largest silhouette wins, however close the others come", () => {
  const random = randomFrom("close");
  for (let set = 0; set < 20; set++) {
    const points = Array.from({ length: 9 }, () => [random() - 0.5, random() - 0.5, random() - 0.5]);
    const choice = chooseK(points, { seed: 1, kMin: 2, kMax: 4, benchmarks: 2 });
    const best = choice.sweep.toSorted((a, b) => b.entry.silhouette - a.entry.silhouette)[0]!;
    expect(choice.k).toBe(best.entry.k);
    expect(choice.labels).toEqual(best.labels);
  }
});
