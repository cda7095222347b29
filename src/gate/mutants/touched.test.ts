import { expect, test } from "vitest";
import { touchedParts } from "./touched.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The lines that may be changed, by their numbers. */
function touchedLines(text: string, original: string): readonly number[] {
  const touched = touchedParts(bytesOf(text), bytesOf(original));
  let at = 0;
  return text.split("\n").flatMap((line, place) => {
    const start = at;
    at += line.length + 1;
    return line !== "" && touched?.(start, start + line.length) !== false ? [place + 1] : [];
  });
}

test.each<[string, string, string, readonly number[]]>([
  ["one line edited", "a\nB\nc\n", "a\nb\nc\n", [2]],
  ["two places", "A\nb\nc\nD\n", "a\nb\nc\nd\n", [1, 4]],
  ["lines added", "a\nb\nx\ny\nc\n", "a\nb\nc\n", [3, 4]],
  ["lines removed", "a\nc\n", "a\nb\nc\n", []],
  ["the last line without an end", "a\nB", "a\nb", [2]],
  ["all of it", "x\ny\n", "a\nb\n", [1, 2]],
])("%s", (_name, text, original, expected) => {
  expect(touchedLines(text, original)).toEqual(expected);
});

test("everything is wanted without a fixture, and where there is no text or no likeness", () => {
  const numbered = (prefix: string): string =>
    Array.from({ length: 3000 }, (_, at) => `${prefix}${at}\n`).join("");
  expect(touchedParts(bytesOf("a"), null)).toBeUndefined();
  expect(touchedParts(new Uint8Array([0]), bytesOf("a"))).toBeUndefined();
  expect(touchedParts(bytesOf("a"), new Uint8Array([0]))).toBeUndefined();
  expect(touchedParts(bytesOf(numbered("a")), bytesOf(numbered("b")))).toBeUndefined();
});
