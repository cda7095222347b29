import { expect, test } from "vitest";
import { cutText, shownOfWhole, sizeWords } from "./cut-text.ts";

test.each([
  { what: "plain text", text: "0123456789".repeat(10), most: 20 },
  { what: "characters of two bytes", text: "ä".repeat(100), most: 21 },
  { what: "characters of four bytes", text: "👩".repeat(100), most: 23 },
  { what: "a mix of them", text: "aä€👩".repeat(50), most: 37 },
  { what: "lone halves of characters", text: "\ud83d".repeat(100), most: 20 },
])("$what is cut between characters, and no more is shown than was asked for", ({ text, most }) => {
  const { head, tail, shownBytes, wholeBytes } = cutText(text, most);
  expect(wholeBytes).toBe(Buffer.byteLength(text));
  expect(shownBytes).toBe(Buffer.byteLength(head + (tail ?? "")));
  expect(shownBytes).toBeLessThanOrEqual(most);
  expect(shownBytes).toBeGreaterThan(most - 8);
  const decoded = Buffer.from(text).toString("utf8");
  expect(decoded.startsWith(head)).toBe(true);
  expect(decoded.endsWith(tail ?? "?")).toBe(true);
});

test("what fits is not cut", () => {
  expect(cutText("äb", 3)).toEqual({ head: "äb", tail: null, shownBytes: 3, wholeBytes: 3 });
});

test.each([
  [12_000, 340_000, "12 of 340 KB"],
  [3, 900, "3 of 900 bytes"],
  [1500, 2_000_000, "1.5 of 2000 KB"],
])("%i of %i is said as %s", (shown, whole, words) => {
  expect(shownOfWhole(shown, whole)).toBe(words);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1234, "1.2 KB"],
])("%i is said as %s", (bytes, words) => {
  expect(sizeWords(bytes)).toBe(words);
});
