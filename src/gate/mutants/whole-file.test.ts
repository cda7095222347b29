import { expect, test } from "vitest";
import { wholeFileChanges } from "./whole-file.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Kinds with what is left, bytes as numbers. */
function outcomesOf(
  bytes: Uint8Array,
  original: Uint8Array | null,
): Record<string, readonly number[] | null> {
  const changes = wholeFileChanges(bytes, original);
  return Object.fromEntries(
    changes.map((change) => [change.kind, change.bytes === null ? null : [...change.bytes]]),
  );
}

const asBytes = (text: string): readonly number[] => [...bytesOf(text)];

test.each<[string, Uint8Array, Uint8Array | null, Record<string, readonly number[] | null>]>([
  ["a text", bytesOf("abcd\n"), null, { missing: null, emptied: [], truncated: asBytes("ab") }],
  [
    "a text that replaced a fixture",
    bytesOf("abcd"),
    bytesOf("old"),
    { missing: null, original: asBytes("old"), emptied: [], truncated: asBytes("ab") },
  ],
  [
    "characters of several bytes stay whole",
    bytesOf("a€€"),
    null,
    { missing: null, emptied: [], truncated: asBytes("a") },
  ],
  ["a single character of several bytes", bytesOf("🍐"), null, { missing: null, emptied: [], truncated: [] }],
  [
    "binary data is cut anywhere",
    new Uint8Array([0, 0x80, 0x81, 0x82]),
    null,
    { missing: null, emptied: [], truncated: [0, 0x80] },
  ],
  ["an empty file", new Uint8Array(), null, { missing: null }],
  ["white space", bytesOf(" \n\n"), null, { missing: null }],
  ["a half that is all but white space", bytesOf("ab      "), null, { missing: null, emptied: [] }],
  [
    "the fixture in another layout",
    bytesOf("a b"),
    bytesOf("a\r\nb\n"),
    { missing: null, emptied: [], truncated: asBytes("a") },
  ],
])("%s", (_name, bytes, original, expected) => {
  expect(outcomesOf(bytes, original)).toEqual(expected);
});

test("the words say how much is gone", () => {
  expect(wholeFileChanges(bytesOf("abcd\n"), bytesOf("x")).map(({ words }) => words)).toEqual([
    "the file is missing",
    "the fixture is as it was",
    "all 5 bytes gone",
    "cut off after 2 of 5 bytes",
  ]);
});
