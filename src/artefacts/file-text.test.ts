import { expect, test } from "vitest";
import { jsonText } from "./file-text.ts";

const deep = { a: { b: { c: { d: { e: [{ f: 1 }, []] } } } } };
const values: readonly (readonly [string, object])[] = [
  ["nothing in it", {}],
  ["an empty list", []],
  ["lists and objects without members", { list: [], object: {}, lists: [[], [{}]] }],
  [
    "members that are left out",
    { first: undefined, second: 2, third: undefined, list: [undefined, null, 1] },
  ],
  ["texts with lines, quotes and what markup is made of", { 'a "name"\n': "line\nline\r\u2028\u{1f600}<&>" }],
  ["lone surrogates", { text: "\ud800" }],
  ["numbers that JSON has none for", { a: NaN, b: Infinity, c: -0, d: 1e21, e: 5e-324 }],
  ["more levels than are taken apart", deep],
  ["a list of those", [deep, [deep], [[deep, [[[[[[1]]]]]]]]]],
  ["names that are numbers", { 2: "b", 1: "a", x: "c" }],
];

test.each(values)("%s: the same as when it is written whole", (_, value) => {
  const text = jsonText(value);
  const whole = `${JSON.stringify(value, null, 2)}\n`;
  expect([...text()].join("")).toBe(whole);
  expect([...text()].join(""), "once more").toBe(whole);
});

test("a long list is never whole", () => {
  const cells = Array.from({ length: 1000 }, (_, at) => ({ at, name: `cell ${at}` }));
  const pieces = [...jsonText({ further: { cells }, conclusions: { analysis: { tasks: cells } } })()];
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(100);
});
