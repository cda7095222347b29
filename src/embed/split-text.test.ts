import { expect, test } from "vitest";
import { countTokens } from "../tokens.ts";
import { splitText } from "./split-text.ts";

const words = (n: number, word = "house"): string => Array.from({ length: n }, () => word).join(" ");
const squeezed = (text: string): string => text.replace(/\s+/g, "");

test("a text that fits stays whole", () => {
  expect(splitText("one\n\ntwo", 10)).toEqual([{ text: "one\n\ntwo", tokens: countTokens("one\n\ntwo") }]);
});

test("paragraphs are kept together while they fit", () => {
  const paragraphs = [words(20, "alpha"), words(20, "bravo"), words(20, "delta")];
  const texts = splitText(paragraphs.join("\n\n"), 50).map(({ text }) => text);
  expect(texts).toEqual([`${paragraphs[0]!}\n\n${paragraphs[1]!}`, paragraphs[2]]);
});

test.each([
  ["a long paragraph", [words(30), words(30), words(30)].join("\n")],
  ["a long line", words(500)],
  ["a long word", "abcdefgh".repeat(200)],
  ["Chinese without a space", "退款金额按照实际付款计算".repeat(40)],
  ["all at once", [words(10), "x".repeat(900), `${words(90)}\n${words(9)}`, ""].join("\n\n")],
])("%s: every part is within the limit, and nothing is lost", (_name, text) => {
  const parts = splitText(text, 40);
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(part.tokens).toBe(countTokens(part.text));
    expect(part.tokens).toBeLessThanOrEqual(40);
  }
  expect(squeezed(parts.map((part) => part.text).join(""))).toBe(squeezed(text));
});

test("blank text has no part", () => {
  expect(splitText(" \n\n ", 40)).toEqual([]);
});
