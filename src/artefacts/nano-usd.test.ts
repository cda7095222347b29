import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import type { Prices } from "./endpoint.ts";
import { dollars, highestPriceOf, nanoOf, type PricedTokens, priceOf } from "./nano-usd.ts";

const none: PricedTokens = { uncached: 0, cached: 0, cacheWrite: 0, output: 0, requests: 0 };
const plain: Prices = {
  prompt: "0.0000006",
  completion: "0.0000022",
  cacheRead: "0.00000006",
  cacheWrite: "0.00000075",
  request: "0.001",
};
const bare: Prices = { ...plain, cacheRead: null, cacheWrite: null, request: null };

test.each<readonly [string, Partial<PricedTokens>, Prices, number | null]>([
  ["nothing costs nothing", {}, plain, 0],
  ["input", { uncached: 1000 }, plain, 1000 * 600],
  ["output", { output: 1000 }, plain, 1000 * 2200],
  ["input from the cache", { cached: 1000 }, plain, 1000 * 60],
  [
    "what is written to the cache is part of the input",
    { uncached: 1000, cacheWrite: 400 },
    plain,
    600 * 600 + 400 * 750,
  ],
  ["each request", { requests: 3 }, plain, 3_000_000],
  ["without cache prices all input costs the same", { uncached: 10, cached: 90 }, bare, 100 * 600],
  [
    "a price below a nano-dollar adds up before it is rounded",
    { uncached: 10 },
    { ...bare, prompt: "0.00000000025" },
    3,
  ],
  [
    "servers write small prices with an exponent",
    { uncached: 1000 },
    { ...bare, prompt: "6e-7" },
    1000 * 600,
  ],
  ["a price of 0", { uncached: 1000, output: 5 }, { ...bare, prompt: "0", completion: "0" }, 0],
  ["-1 is no price", { uncached: 1 }, { ...bare, prompt: "-1" }, null],
  ["nor is a word", { uncached: 1 }, { ...bare, completion: "free" }, null],
  ["nor is nothing", { uncached: 1 }, { ...bare, completion: "" }, null],
  ["more than any bill", { uncached: Number.MAX_SAFE_INTEGER }, plain, null],
])("%s", (_name, tokens, prices, expected) => {
  expect(priceOf({ ...none, ...tokens }, prices)).toBe(expected);
});

test("the price of many requests is the sum of their prices, for any prices and counts", () => {
  const random = randomFrom("prices");
  const upTo = (most: number): number => Math.floor(random() * most);
  for (let round = 0; round < 300; round++) {
    // Whole nano-dollars a token: then nothing is rounded, and the sums must be equal to the last digit.
    const prices = { ...bare, prompt: `${upTo(1e5)}e-9`, completion: (upTo(1e5) / 1e9).toFixed(9) };
    const requests = Array.from({ length: 20 }, () => ({ ...none, uncached: upTo(2e5), output: upTo(1e4) }));
    const together = requests.reduce((sum, { uncached, output }) => ({
      ...none,
      uncached: sum.uncached + uncached,
      output: sum.output + output,
    }));
    const each = requests.map((tokens) => priceOf(tokens, prices) ?? Number.NaN);
    expect(each.reduce((sum, nano) => sum + nano, 0)).toBe(priceOf(together, prices));
  }
});

test("the most is at least the price, however the input splits up", () => {
  const random = randomFrom("splits");
  for (let round = 0; round < 300; round++) {
    const input = Math.floor(random() * 1e5);
    const cached = Math.floor(random() * input);
    const cacheWrite = Math.floor(random() * (input - cached));
    const output = Math.floor(random() * 1e4);
    const tokens = { uncached: input - cached, cached, cacheWrite, output, requests: 1 };
    for (const prices of [plain, bare, { ...plain, cacheWrite: "0.0000001" }]) {
      expect(highestPriceOf({ input, output }, prices)).toBeGreaterThanOrEqual(
        priceOf(tokens, prices) ?? NaN,
      );
    }
  }
});

test("dollars become nano-dollars without the noise of binary fractions", () => {
  expect(nanoOf(0.1 + 0.2)).toBe(300_000_000);
  expect(nanoOf(0.000075)).toBe(75_000);
  expect(nanoOf(1e-7)).toBe(100);
  expect(nanoOf(1e-12)).toBe(1);
  expect(nanoOf(0)).toBe(0);
  for (const nano of [1, 12_345, 999_999_999, 1_000_000_001, 123_456_789_012])
    expect(nanoOf(nano / 1e9)).toBe(nano);
  for (const odd of [-0.01, Number.NaN, Infinity, 1e9]) expect(() => nanoOf(odd)).toThrow(RangeError);
});

test("ten thousand costs of a tenth of a cent are ten dollars", () => {
  const costs = Array.from({ length: 10_000 }, () => 0.001);
  expect(costs.reduce((sum, usd) => sum + usd, 0)).not.toBe(10);
  expect(costs.reduce((sum, usd) => sum + nanoOf(usd), 0)).toBe(nanoOf(10));
});

test.each<readonly [usd: number | null, words: string]>([
  [null, "unknown"],
  [0, "$0.00"],
  [0.00000001, "under $0.0001"],
  [0.00005, "$0.0001"],
  [0.0123, "$0.0123"],
  [0.99994, "$0.9999"],
  [0.99996, "$1.00"],
  [1.005, "$1.01"],
  [12.4, "$12.40"],
  [1234.5, "$1234.50"],
])("%d is shown as %s", (usd, words) => {
  expect(dollars(usd === null ? null : nanoOf(usd))).toBe(words);
});
