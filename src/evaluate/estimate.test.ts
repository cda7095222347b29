import { expect, test } from "vitest";
import type { Prices } from "../artefacts/endpoint.ts";
import { priceOf } from "../artefacts/nano-usd.ts";
import { randomFrom } from "../seed.ts";
import {
  assumedAnswerTokens,
  assumedGrowthTokens,
  assumedPrefixTokens,
  assumedQuestionTokens,
  assumedTurnOutputTokens,
  assumedTurns,
  estimateCost,
  estimateWords,
  loopInput,
  type MeasuredTrial,
  type WorkLeft,
} from "./estimate.ts";

type Loops = Extract<WorkLeft, { readonly kind: "loops" }>;

const prices: Prices = {
  prompt: "0.000001",
  completion: "0.000004",
  cacheRead: "0.0000001",
  cacheWrite: "0.00000125",
  request: null,
};
const trials: Loops = {
  kind: "loops",
  role: "agent",
  model: "acme/coder",
  prices,
  count: 36,
  maxTurns: 30,
  prefixTokens: null,
  measured: null,
};
const questions: WorkLeft = { kind: "questions", role: "judge", model: "bravo/judge", prices, count: 12 };
const measured: MeasuredTrial = {
  modelCalls: 11,
  uncachedInputTokens: 20_000,
  cachedInputTokens: 110_500,
  outputTokens: 4200,
};

test("input of the loop that the notes reckon with", () => {
  expect(loopInput(25, assumedPrefixTokens, assumedGrowthTokens)).toEqual({
    total: 650_000,
    repeated: 606_000,
  });
  expect(loopInput(1, 8000, 1500)).toEqual({ total: 8000, repeated: 0 });
  expect(loopInput(0, 8000, 1500)).toEqual({ total: 0, repeated: 0 });
});

test.each<readonly [family: string, read: string, write: string | null, savedPercent: number]>([
  ["a tenth to read, a quarter more to write", "0.0000001", "0.00000125", 82],
  ["a tenth to read, written for nothing", "0.0000001", null, 84],
  ["a quarter to read", "0.00000025", null, 70],
  ["half to read", "0.0000005", null, 47],
])("what a cache saves in that loop: %s", (_family, cacheRead, cacheWrite, savedPercent) => {
  // No output, so that only the input counts.
  const inputOnly: Prices = { ...prices, completion: "0", cacheRead, cacheWrite };
  const loop: Loops = { ...trials, prices: inputOnly, count: 1, maxTurns: 25 };
  const { total } = estimateCost([loop]);
  expect(total.high).toBe(650_000 * 1000);
  expect(Math.round(100 * (1 - total.expected! / total.high!))).toBe(savedPercent);
});

test("the expected trial is the assumed one", () => {
  const { total, repeated } = loopInput(assumedTurns.expected, assumedPrefixTokens, assumedGrowthTokens);
  const fresh = total - repeated;
  const one = priceOf(
    {
      uncached: fresh,
      cached: repeated,
      cacheWrite: fresh,
      output: assumedTurns.expected * assumedTurnOutputTokens.expected,
      requests: 0,
    },
    prices,
  );
  expect(estimateCost([trials]).total.expected).toBe(36 * one!);
});

test("a measured trial, times the trials", () => {
  const plain = { ...prices, cacheWrite: null };
  const one = priceOf(
    { uncached: 20_000, cached: 110_500, cacheWrite: 0, output: 4200, requests: 11 },
    plain,
  );
  const estimate = estimateCost([{ ...trials, prices: plain, measured }]).total;
  expect([estimate.low, estimate.expected]).toEqual([36 * one!, 36 * one!]);
  expect(estimate.high! - estimate.expected!).toBe(36 * 110_500 * (1000 - 100));
  const uncached = { ...measured, uncachedInputTokens: 130_500, cachedInputTokens: 0 };
  const certain = estimateCost([{ ...trials, prices: plain, measured: uncached }]).total;
  expect([certain.low, certain.expected]).toEqual([certain.high, certain.high]);
});

test("medians between two whole numbers are no trouble", () => {
  const half = { modelCalls: 10.5, uncachedInputTokens: 0.5, cachedInputTokens: 0, outputTokens: 0 };
  expect(estimateCost([{ ...trials, count: 3, measured: half }]).total.expected).toBe(2 * 1000);
});

test("what was not measured is still assumed", () => {
  const calls = { modelCalls: 10, uncachedInputTokens: 5000, cachedInputTokens: null, outputTokens: null };
  const assumed = { ...trials, maxTurns: 10 };
  expect(estimateCost([{ ...assumed, measured: calls }]).total.high).toBe(estimateCost([assumed]).total.high);
});

test("judges are asked once, at worst twice", () => {
  const { low, expected, high } = estimateCost([questions]).total;
  const cost = (level: "low" | "expected" | "high"): number =>
    12 * (assumedQuestionTokens[level] * 1000 + assumedAnswerTokens[level] * 4000);
  expect([low, expected, high]).toEqual([cost("low"), cost("expected"), 2 * cost("high")]);
});

test("low ≤ expected ≤ high, and more work never costs less", () => {
  const random = randomFrom("estimates");
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const price = (): string => `${upTo(5000)}e-9`;
  for (let round = 0; round < 300; round++) {
    const loops: Loops = {
      ...trials,
      prices: {
        prompt: price(),
        completion: price(),
        cacheRead: random() < 0.5 ? null : price(),
        cacheWrite: random() < 0.5 ? null : price(),
        request: null,
      },
      count: upTo(50),
      maxTurns: 1 + upTo(60),
      prefixTokens: upTo(40_000),
    };
    // A cache that is dearer to read than the input itself is no cache.
    if (Number(loops.prices?.cacheRead ?? 0) > Number(loops.prices?.prompt)) continue;
    const base = estimateCost([loops]).total;
    expect(base.low).toBeLessThanOrEqual(base.expected!);
    expect(base.expected).toBeLessThanOrEqual(base.high!);
    const more: readonly Partial<Loops>[] = [
      { count: loops.count + 1 },
      { maxTurns: loops.maxTurns + 1 },
      { prefixTokens: loops.prefixTokens! + 100 },
    ];
    for (const change of more) {
      const grown = estimateCost([{ ...loops, ...change }]).total;
      for (const level of ["low", "expected", "high"] as const) {
        expect(grown[level], JSON.stringify(change)).toBeGreaterThanOrEqual(base[level]!);
      }
    }
  }
});

test("the total is the sum of its parts, and of nothing it is nothing", () => {
  const { total, parts } = estimateCost([trials, questions]);
  for (const level of ["low", "expected", "high"] as const) {
    expect(total[level]).toBe(parts.reduce((sum, { range }) => sum + range[level]!, 0));
  }
  expect(estimateCost([]).total).toEqual({ low: 0, expected: 0, high: 0 });
});

test("one unknown price makes the total unknown, and the words say whose it is", () => {
  const unpriced: Loops = { ...trials, model: "local/llama", prices: null };
  const estimate = estimateCost([unpriced, questions]);
  expect(estimate.total).toEqual({ low: null, expected: null, high: null });
  const [first, ...rest] = estimateWords(estimate);
  expect(first).toMatch(/^Estimated cost unknown: nobody told a price for local\/llama\. The rest: \$/);
  expect(rest).toContain("  local/llama, 36 trial(s): unknown");
  expect(estimateWords(estimateCost([unpriced]))[0]).toBe(
    "Estimated cost unknown: nobody told a price for local/llama.",
  );
  const odd = { ...trials, prices: { ...prices, prompt: "-1" } };
  expect(estimateCost([odd]).total.expected).toBeNull();
});

test("no work left costs nothing, whatever the price", () => {
  expect(estimateCost([{ ...trials, prices: null, count: 0 }]).total.expected).toBe(0);
});

test("the words tell the range, the parts and what they rest on", () => {
  const free = { ...prices, prompt: "0", completion: "0", cacheRead: null, cacheWrite: null };
  const words = estimateWords(estimateCost([{ ...trials, prices: free }]));
  expect(words.slice(0, 2)).toEqual(["Estimated cost $0.00.", "  acme/coder, 36 trial(s): $0.00"]);
  expect(words[2]).toMatch(/Assumed: 8 to 25 turns a trial/);
  expect(estimateWords(estimateCost([{ ...trials, measured }]))[2]).toMatch(/were measured/);
  expect(estimateWords(estimateCost([trials]))[0]).toMatch(
    /^Estimated cost \$[\d.]+ \(\$[\d.]+ to \$[\d.]+\)\.$/,
  );
});
