import { expect, test } from "vitest";
import { newcombe } from "../../statistics/rate-intervals.ts";
import { cellOf } from "../../testing/sectioned-skill.ts";
import { sectionEffect } from "./effect.ts";

const comparison = { arm: "with_skill", against: "without_skill" };
const cell = (
  benchmark: string,
  withSkill: readonly [number, number],
  without: readonly [number, number],
  model = "m",
) => cellOf(benchmark, { with_skill: withSkill, without_skill: without }, { model });

test("of one cell the interval is Newcombe's, with both tallies", () => {
  const effect = sectionEffect([cell("a", [9, 10], [4, 8])], comparison, 0.95);
  expect(effect).toMatchObject({
    method: "newcombe",
    ...{ cells: 1, cellsPlanned: 1 },
    with: { passed: 9, graded: 10, planned: 10 },
    without: { passed: 4, graded: 8, planned: 10 },
    interval: newcombe({ k: 9, n: 10 }, { k: 4, n: 8 }, 0.95),
  });
  expect(effect.difference).toBeCloseTo(0.9 - 0.5, 12);
});

test("every benchmark has one vote, however many models met it", () => {
  const cells = [
    cell("a", [10, 10], [0, 10], "m"),
    cell("b", [0, 10], [0, 10], "m"),
    cell("b", [0, 10], [0, 10], "n"),
  ];
  const effect = sectionEffect(cells, comparison, 0.95);
  expect(effect.method).toBe("stratified");
  expect(effect.difference).toBeCloseTo(1 / 2, 12);
  const [low, high] = effect.interval ?? [];
  expect(low).toBeLessThan(0.5);
  expect(high).toBeGreaterThan(0.5);
});

test.each([
  ["an arm without a graded trial", [cell("a", [3, 3], [0, 0])], 0, 1],
  ["an arm that was never planned", [cellOf("a", { with_skill: [1, 1] })], 0, 0],
  ["no cell at all", [], 0, 0],
] as const)("nothing is known from %s", (_what, cells, used, planned) => {
  const effect = sectionEffect(cells, comparison, 0.95);
  expect(effect).toMatchObject({ difference: null, interval: null, method: null, smallestP: 1 });
  expect([effect.cells, effect.cellsPlanned]).toEqual([used, planned]);
});

// Ways to choose the trials of one arm among both: C(6, 3) = 20, C(4, 2) = 6, C(8, 4) = 70.
test.each([
  [[cell("a", [3, 3], [0, 3])], 2 / 20],
  [[cell("a", [2, 2], [0, 2], "m"), cell("a", [2, 2], [0, 2], "n")], 2 / (6 * 6)],
  [[cell("a", [4, 4], [0, 4])], 2 / 70],
  [[cell("a", [1, 1], [0, 1])], 1],
])("the smallest p that so many trials can give", (cells, p) => {
  expect(sectionEffect(cells, comparison, 0.95).smallestP).toBeCloseTo(p, 12);
});

test("ten thousand trials are counted without an overflow", () => {
  const { smallestP, interval } = sectionEffect([cell("a", [5000, 5000], [0, 5000])], comparison, 0.95);
  expect(smallestP).toBe(0);
  expect(interval?.[0]).toBeGreaterThan(0.99);
});
