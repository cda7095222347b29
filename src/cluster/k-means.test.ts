import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import { rotatedToFewDimensions, squaredDistances, unitLength } from "./geometry.ts";
import { bestOfStarts, bestPartition } from "./k-means.ts";
import { lloyd } from "./lloyd.ts";
import { inertiaOf, smallestInertiaPartition } from "./partitions.ts";
import { plusPlusSeeds } from "./seeding.ts";
import { singlePointMoves } from "./single-moves.ts";

/** Directions without structure: where starts miss the optimum most. */
function directions(n: number, dimensions: number, seed: number): number[][] {
  const random = randomFrom(seed, "directions");
  return Array.from({ length: n }, () =>
    unitLength(Array.from({ length: dimensions }, () => random() - 0.5)),
  );
}

test("200 starts with single moves find the optimum that trying every partition finds", () => {
  const found = Array.from({ length: 12 }, (_, seed) => {
    const points = directions(9, 6, seed);
    const optimum = smallestInertiaPartition(points, 4);
    const best = bestOfStarts(points, 4, seed);
    expect(best.inertia).toBeGreaterThan(optimum.inertia - 1e-9);
    expect(best.inertia).toBeLessThan(optimum.inertia * 1.02);
    return best.inertia < optimum.inertia + 1e-9 && String(best.labels) === String(optimum.labels);
  });
  expect(found.filter((same) => same).length).toBeGreaterThanOrEqual(10);
});

test("single moves improve a partition at which Lloyd's iterations stop", () => {
  // Means at 0 and 3.5: the point at 1.7 is nearer to 0, yet the small cluster gains more from it than the large loses.
  const points = [[-1], [1.7], [3.5]];
  const stuck = lloyd(points, [[0.3], [3.5]]);
  expect(stuck.labels).toEqual([0, 0, 1]);
  expect(singlePointMoves(squaredDistances(points), stuck.labels, 2)).toEqual([0, 1, 1]);
});

test("single moves never raise the inertia and never empty a cluster", () => {
  for (let seed = 0; seed < 20; seed++) {
    const points = directions(15, 5, seed);
    const squared = squaredDistances(points);
    const random = randomFrom(seed, "labels");
    const labels = points.map((_, i) => (i < 4 ? i : Math.floor(random() * 4)));
    const moved = singlePointMoves(squared, labels, 4);
    expect(new Set(moved).size).toBe(4);
    expect(inertiaOf(squared, moved, 4)).toBeLessThanOrEqual(inertiaOf(squared, labels, 4) + 1e-12);
  }
});

test("the same seed gives the same partition; labels are numbered by first appearance", () => {
  const points = directions(20, 4, 3);
  const partition = bestPartition(points, 5, 8);
  expect(bestPartition(points, 5, 8)).toEqual(partition);
  expect([...new Set(partition.labels)]).toEqual([0, 1, 2, 3, 4]);
});

test.each([
  ["trying every partition", 1],
  ["starts", 3],
])("of equally good partitions the smallest labels win: %s", (_name, copies) => {
  const corners = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ];
  const points = Array.from({ length: copies }, () => corners).flat();
  const { labels } = bestPartition(points, 2, 1);
  expect(labels).toEqual(Array.from({ length: copies }, () => [0, 0, 1, 1]).flat());
});

test("a running sum that only reaches u·total goes on to the next point", () => {
  const uniforms = [0, 0.5];
  expect(plusPlusSeeds(squaredDistances([[0], [1], [-1]]), 2, () => uniforms.shift()!)).toEqual([0, 2]);
});

test("more clusters than distinct points: each still gets a point", () => {
  const points = Array.from({ length: 12 }, (_, i) => (i < 6 ? [1, 0] : [0, 1]));
  const { labels, inertia } = bestPartition(points, 4, 1);
  expect(new Set(labels).size).toBe(4);
  expect(inertia).toBe(0);
});

test("turning points into fewer dimensions changes no distance", () => {
  const points = directions(6, 40, 5);
  const turned = rotatedToFewDimensions(points);
  expect(turned.map((point) => point.length)).toEqual([6, 6, 6, 6, 6, 6]);
  const [before, after] = [squaredDistances(points), squaredDistances(turned)];
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < 6; j++) expect(after.get(i, j)).toBeCloseTo(before.get(i, j), 12);
});

test.each([0, 4])("%i clusters of three points are refused", (k) => {
  expect(() => smallestInertiaPartition([[1], [2], [3]], k)).toThrow(
    `cannot part 3 points into ${k} clusters`,
  );
});
