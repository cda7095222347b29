import { expect, test } from "vitest";
import { type Random, randomFrom } from "../seed.ts";
import { setInterval } from "./set-interval.ts";
import {
  agrestiCaffoVariance,
  normalInterval,
  type WeightedCell,
  weightedUplift,
} from "./weighted-interval.ts";

function equallyWeighted(cells: readonly Omit<WeightedCell, "weight">[]): readonly WeightedCell[] {
  return cells.map((cell) => ({ ...cell, weight: 1 / cells.length }));
}

function passes(n: number, rate: number, random: Random): { readonly k: number; readonly n: number } {
  return { k: Array.from({ length: n }, () => random() < rate).filter(Boolean).length, n };
}

const random = randomFrom(7, "weighted-interval");
const cells = equallyWeighted(
  Array.from({ length: 15 }, () => ({
    treated: passes(3, random(), random),
    control: passes(5, random(), random),
  })),
);

test("with equal weights Agresti and Caffo's variance is that of the set's interval", () => {
  const [low, high] = setInterval(cells, 0.8)!;
  const { uplift } = weightedUplift(cells)!;
  const ours = normalInterval(uplift, Math.sqrt(agrestiCaffoVariance(cells)!), 0.8);
  expect(ours[0]).toBeCloseTo(low, 12);
  expect(ours[1]).toBeCloseTo(high, 12);
});

/** Pass rates of both arms of a cell. */
const worlds: readonly [string, (random: Random) => readonly [number, number], number][] = [
  ["rates of a half", () => [0.5, 0.5], 3],
  ["rates of a half", () => [0.5, 0.5], 5],
  ["rates anywhere", (one) => [one(), one()], 3],
  ["easy and hard tasks", (one) => (one() < 0.5 ? [0.97, 0.9] : [0.02, 0.1]), 3],
  ["easy and hard tasks", (one) => (one() < 0.5 ? [0.97, 0.9] : [0.02, 0.1]), 5],
];
test.for(worlds)("95 %% intervals cover 95 %% of 15 cells: %s", ([name, ratesOf, n]) => {
  const repetitions = 2000;
  const one = randomFrom(7, "coverage", name, n);
  const covered = Array.from({ length: repetitions }, () => {
    const rates = Array.from({ length: 15 }, () => ratesOf(one));
    const truth = rates.reduce((sum, [treated, control]) => sum + treated - control, 0) / rates.length;
    const tossed = rates.map(([a, b]) => ({ treated: passes(n, a, one), control: passes(n, b, one) }));
    const { uplift, standardError } = weightedUplift(equallyWeighted(tossed))!;
    const [low, high] = normalInterval(uplift, standardError);
    return low <= truth && truth <= high;
  }).filter(Boolean).length;
  const share = covered / repetitions;
  console.log(`${name}, ${n} trials: ${(100 * share).toFixed(1)} % of ${repetitions}`);
  const error = Math.sqrt((0.95 * 0.05) / repetitions);
  expect(share).toBeGreaterThan(0.95 - 3 * error - 0.005);
  expect(share).toBeLessThan(0.98);
});

test("a cell without weight has no influence on the mean", () => {
  const [one, other, third] = cells;
  const two = [one!, other!].map((cell) => ({ ...cell, weight: 0.5 }));
  expect(weightedUplift([...two, { ...third!, weight: 0 }])!.uplift).toBe(weightedUplift(two)!.uplift);
});

test("cells where every trial ended alike still have an error, less with every trial and cell", () => {
  const errorOf = (count: number, n: number): number =>
    weightedUplift(
      equallyWeighted(Array.from({ length: count }, () => ({ treated: { k: n, n }, control: { k: 0, n } }))),
    )!.standardError;
  expect(errorOf(15, 3)).toBeGreaterThan(0);
  expect(errorOf(15, 3)).toBeLessThan(errorOf(5, 3));
  expect(errorOf(15, 5)).toBeLessThan(errorOf(15, 3));
  expect(normalInterval(1, errorOf(1, 3))[1]).toBe(1);
});

test("one trial per arm tells nothing of its variance, which is taken at its largest", () => {
  const { standardError } = weightedUplift([
    { treated: { k: 1, n: 1 }, control: { k: 0, n: 1 }, weight: 1 },
  ])!;
  expect(standardError).toBeCloseTo(Math.sqrt(0.5), 12);
});

test("nothing follows from no cell or an arm without a trial", () => {
  const armless = [{ treated: { k: 0, n: 0 }, control: { k: 1, n: 3 }, weight: 1 }];
  for (const none of [[], armless]) {
    expect(weightedUplift(none)).toBeNull();
    expect(agrestiCaffoVariance(none)).toBeNull();
  }
  expect(() => normalInterval(0, 1, 1)).toThrow(/^confidence/);
});
