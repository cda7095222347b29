import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import { setInterval } from "./set-interval.ts";
import { normalInterval, weightedUplift } from "./weighted-interval.ts";

const random = randomFrom(7, "weighted-interval");
const cells = Array.from({ length: 15 }, () => ({
  treated: { k: Math.floor(random() * 4), n: 3 },
  control: { k: Math.floor(random() * 6), n: 5 },
}));

test.for([0.8, 0.9, 0.95])("with equal weights it is the interval of the set at %f", (confidence) => {
  const got = weightedUplift(cells.map((cell) => ({ ...cell, weight: 1 / cells.length })))!;
  const [low, high] = setInterval(cells, confidence)!;
  const ours = normalInterval(got.uplift, got.standardError, confidence);
  expect(ours[0]).toBeCloseTo(low, 12);
  expect(ours[1]).toBeCloseTo(high, 12);
});

test("a cell without weight has no influence", () => {
  const two = cells.slice(0, 2).map((cell) => ({ ...cell, weight: 0.5 }));
  expect(weightedUplift([...two, { ...cells[2]!, weight: 0 }])).toEqual(weightedUplift(two));
});

test("cells where every trial ended alike still have an error", () => {
  const got = weightedUplift([{ treated: { k: 3, n: 3 }, control: { k: 0, n: 3 }, weight: 1 }])!;
  expect(got.uplift).toBe(1);
  expect(got.standardError).toBeGreaterThan(0);
  expect(normalInterval(got.uplift, got.standardError)[1]).toBe(1);
});

test("nothing follows from no cell or an arm without a trial", () => {
  expect(weightedUplift([])).toBeNull();
  expect(weightedUplift([{ treated: { k: 0, n: 0 }, control: { k: 1, n: 3 }, weight: 1 }])).toBeNull();
  expect(() => normalInterval(0, 1, 1)).toThrow(/^confidence/);
});
