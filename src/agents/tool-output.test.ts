import { expect, test } from "vitest";
import { captureOf } from "../testing/fake-container.ts";
import { captureText, cleanText, sharedLimits } from "./tool-output.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  { name: "what fits is whole", capture: captureOf("abc"), limit: 3, expected: "abc" },
  {
    name: "head and tail without a gap are one text",
    capture: { head: bytes("€".slice(0)).subarray(0, 2), tail: bytes("€").subarray(2), totalBytes: 3 },
    limit: 10,
    expected: "€",
  },
  {
    name: "the middle goes, and is counted",
    capture: captureOf("0123456789"),
    limit: 4,
    expected: "01\n[… 6 bytes left out …]\n89",
  },
  {
    name: "no code point is cut in two, on either side",
    capture: captureOf("€€€€€€"),
    limit: 10,
    expected: "€\n[… 12 bytes left out …]\n€",
  },
  {
    name: "a gap from the source is part of the count",
    capture: { head: bytes("head"), tail: bytes("tail"), totalBytes: 1_000_000 },
    limit: 1000,
    expected: "head\n[… 999992 bytes left out …]\ntail",
  },
  {
    name: "a gap from the source, and a smaller limit",
    capture: { head: bytes("head"), tail: bytes("tail"), totalBytes: 100 },
    limit: 4,
    expected: "he\n[… 96 bytes left out …]\nil",
  },
  { name: "NUL goes", capture: captureOf("a\0b"), limit: 10, expected: "ab" },
  {
    name: "what is no UTF-8 is replaced",
    capture: captureOf(new Uint8Array([0x61, 0xff])),
    limit: 10,
    expected: "a\uFFFD",
  },
])("$name", ({ capture, limit, expected }) => {
  expect(captureText(capture, limit)).toBe(expected);
});

test.each([
  [100, 0, [100, 900]],
  [5000, 100, [900, 100]],
  [100, 5000, [100, 900]],
  [5000, 5000, [500, 500]],
])("%i and %i bytes share 1000", (first, second, expected) => {
  const of = (size: number): ReturnType<typeof captureOf> => captureOf("x".repeat(size));
  expect(sharedLimits(of(first), of(second), 1000)).toEqual(expected);
});

test("a lone surrogate is replaced, a pair stays", () => {
  expect(cleanText("a\uD800b😀")).toBe("a\uFFFDb😀");
});
