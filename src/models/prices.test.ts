import { expect, test } from "vitest";
import { decimal, describePrices, hasOverrides, listedPrices, perToken } from "./prices.ts";

test.each<[number | string, number, string]>([
  ["0.6", -6, "0.0000006"],
  [0.6, -6, "0.0000006"],
  [6e-7, 0, "0.0000006"],
  ["6E-7", 0, "0.0000006"],
  ["0.00000060", 6, "0.6"],
  ["2.20", -6, "0.0000022"],
  [15, -6, "0.000015"],
  ["1e3", 0, "1000"],
  ["0", -6, "0"],
  ["0.0", 6, "0"],
  ["007.50", 0, "7.5"],
  ["12.", 0, "12"],
  // More digits than a float holds.
  ["0.123456789012345678901", -6, "0.000000123456789012345678901"],
])("%s shifted by %i is %s", (value, shift, expected) => {
  expect(decimal(value, shift)).toBe(expected);
});

test.each([null, undefined, "", "-1", -1, "free", "1,5", "0x10", "Infinity", NaN, "1e999"])(
  "%s is no price",
  (value) => {
    expect(decimal(value)).toBeNull();
  },
);

test("a shift and back gives the same number", () => {
  for (const text of ["0.1", "3", "0.075", "2.5", "0.0000001", "1234.5678"]) {
    expect(decimal(decimal(text, -6), 6)).toBe(text);
  }
});

test("a card's prices, as text or numbers; what it does not name is null", () => {
  expect(
    listedPrices({ prompt: "0.0000006", completion: 0.0000022, input_cache_read: "0.00000011", image: "0" }),
  ).toEqual({
    prompt: "0.0000006",
    completion: "0.0000022",
    cacheRead: "0.00000011",
    cacheWrite: null,
    request: null,
  });
});

test.each<[unknown, "varies" | null]>([
  [{ prompt: "-1", completion: "-1" }, "varies"],
  [{ prompt: -1, completion: 0 }, "varies"],
  [{ prompt: "0.1" }, null],
  [{ prompt: "cheap", completion: "0.1" }, null],
  [{}, null],
  [null, null],
  [undefined, null],
])("%j is no fixed price", (pricing, expected) => {
  expect(listedPrices(pricing)).toBe(expected);
});

test("prices beside the base are noticed", () => {
  const pricing = { prompt: "0.1", completion: "0.2" };
  expect(hasOverrides(pricing)).toBe(false);
  expect(hasOverrides({ ...pricing, overrides: [{ min_prompt_tokens: 200_000, prompt: "0.2" }] })).toBe(true);
});

test("dollars per million become dollars per token and are printed as they were written", () => {
  const prices = perToken({ input: 0.6, output: "2.2", cacheRead: 0.075 });
  expect(prices).toEqual({
    prompt: "0.0000006",
    completion: "0.0000022",
    cacheRead: "0.000000075",
    cacheWrite: null,
    request: null,
  });
  expect(describePrices(prices!)).toBe("$0.60/$2.20 per million");
  expect(describePrices(perToken({ input: 0, output: "0.075" })!)).toBe("$0.00/$0.075 per million");
  expect(perToken({ input: "dear", output: 1 })).toBeNull();
});
