import { expect, test } from "vitest";
import { byteLines, withoutLines } from "./lines.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

test.each([
  ["", [""]],
  ["a", ["a"]],
  ["a\nb", ["a\n", "b"]],
  ["a\r\nb\rc\n", ["a\r\n", "b\r", "c\n", ""]],
  ["\n\n", ["\n", "\n", ""]],
  ["\xff\xfe\0\n\x80", ["\xff\xfe\0\n", "\x80"]],
])("%j has the lines %j", (text, lines) => {
  const cut = byteLines(bytes(text));
  expect(cut.map((line) => Buffer.from(line).toString("latin1"))).toEqual(lines);
  expect(Buffer.concat(cut)).toEqual(bytes(text));
});

test.each([
  ["a\r\nb\r\nc\r\n", [{ from: 2, to: 2 }], "a\r\nc\r\n"],
  ["a\nb\nc", [{ from: 3, to: 9 }], "a\nb\n"],
  [
    "a\nb\nc\nd",
    [
      { from: 1, to: 1 },
      { from: 3, to: 3 },
    ],
    "b\nd",
  ],
  ["a\n\xff\xfe\nc", [{ from: 1, to: 1 }], "\xff\xfe\nc"],
  ["a\nb", [], "a\nb"],
])("%j without %j is %j", (text, spans, rest) => {
  expect(Buffer.from(withoutLines(bytes(text), spans)).toString("latin1")).toBe(rest);
});
