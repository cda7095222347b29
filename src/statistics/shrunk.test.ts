import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import { type Estimate, shrunk } from "./shrunk.ts";

function estimates(seed: number, count: number): readonly Estimate[] {
  const random = randomFrom(seed, "shrunk");
  return Array.from({ length: count }, () => ({ value: random() - 0.5, variance: 0.001 + random() / 50 }));
}

test.for([1, 2, 3, 4, 5])("estimates move towards the mean, never beyond it, seed %i", (seed) => {
  const given = estimates(seed, 12);
  const pulled = shrunk(given)!;
  for (const [at, { value, variance }] of given.entries()) {
    const got = pulled.estimates[at]!;
    const [low, high] = [Math.min(value, pulled.mean), Math.max(value, pulled.mean)];
    expect(got.value).toBeGreaterThanOrEqual(low);
    expect(got.value).toBeLessThanOrEqual(high);
    expect(got.sd).toBeLessThanOrEqual(Math.sqrt(variance));
  }
});

test("with equal variances restricted maximum likelihood is the sample variance less the error's", () => {
  const given = estimates(6, 9).map(({ value }) => ({ value, variance: 0.01 }));
  const values = given.map(({ value }) => value);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sample = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const pulled = shrunk(given)!;
  expect(pulled.mean).toBeCloseTo(mean, 12);
  expect(pulled.tauSquared).toBeCloseTo(sample - 0.01, 8);
});

test("estimates that differ no more than their errors all become the mean", () => {
  const pulled = shrunk([-0.01, 0, 0.01].map((value) => ({ value, variance: 0.04 })))!;
  expect(pulled.tauSquared).toBe(0);
  expect(pulled.estimates.map(({ value }) => value)).toEqual([pulled.mean, pulled.mean, pulled.mean]);
});

test("equal estimates stay", () => {
  const pulled = shrunk([0.2, 0.2, 0.2].map((value, at) => ({ value, variance: 0.01 * (at + 1) })))!;
  expect(pulled.tauSquared).toBe(0);
  expect(pulled.mean).toBeCloseTo(0.2, 12);
});

test("an order of the estimates has no influence, nor has a shift", () => {
  const given = estimates(7, 8);
  const backwards = shrunk(given.toReversed())!;
  const shifted = shrunk(given.map(({ value, variance }) => ({ value: value + 3, variance })))!;
  for (const [at, { value }] of shrunk(given)!.estimates.entries()) {
    expect(backwards.estimates.at(-1 - at)!.value).toBeCloseTo(value, 6);
    expect(shifted.estimates[at]!.value).toBeCloseTo(value + 3, 6);
  }
});

test("two estimates do not tell how far apart true values lie", () => {
  expect(shrunk([])).toBeNull();
  expect(shrunk(estimates(8, 2))).toBeNull();
});

test.for([
  [{ value: NaN, variance: 1 }, "value"],
  [{ value: 0, variance: 0 }, "variance"],
  [{ value: 0, variance: -1 }, "variance"],
  [{ value: 0, variance: Infinity }, "variance"],
] as const)("refuses %o", ([estimate, name]) => {
  expect(() => shrunk([estimate])).toThrow(new RegExp(`^${name}`));
});
