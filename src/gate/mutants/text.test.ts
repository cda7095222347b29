import { expect, test } from "vitest";
import { outcomes, textChanges } from "../../testing/changes.ts";
import { mutateText } from "./text.ts";

const list = "one\ntwo\nthree\n";

test.each<[string, string, string, readonly string[]]>([
  ["a line goes", "line-dropped", list, ["two\nthree\n", "one\nthree\n", "one\ntwo\n"]],
  ["a last line without an end takes the end before it along", "line-dropped", "one\ntwo", ["two", "one"]],
  ["a line comes twice", "line-doubled", "one\ntwo\n", ["one\none\ntwo\n", "one\ntwo\ntwo\n"]],
  [
    "a last line is doubled with the file's line end",
    "line-doubled",
    "a\r\nb",
    ["a\r\na\r\nb", "a\r\nb\r\nb"],
  ],
  ["a single line without an end", "line-doubled", "one", ["one\none"]],
  ["neighbours change places", "lines-swapped", list, ["two\none\nthree\n", "one\nthree\ntwo\n"]],
  ["line ends stay where they are", "lines-swapped", "a\r\nb\nc", ["b\r\na\nc", "a\r\nc\nb"]],
  ["equal neighbours do not", "lines-swapped", "a\na\n", []],
  ["nor those that differ in white space", "lines-swapped", "a b\n  a  b\n", []],
  ["nor over a blank line", "lines-swapped", "a\n\nb\n", []],
  ["equal lines give the same outcome once", "line-dropped", "a\na\nb\n", ["a\nb\n", "a\na\n"]],
  ["blank lines are left alone", "line-dropped", "a\n \t\n\nb\n", [" \t\n\nb\n", "a\n \t\n\n"]],
  ["a zero has one neighbour", "number-changed", "n = 0;\n", ["n = 1;\n"]],
])("%s", async (_name, kind, text, expected) => {
  expect(outcomes(await textChanges(mutateText, "notes.txt", text), kind)).toEqual(expected);
});

test("a changed number leaves the rest alone and says where it is", async () => {
  const changes = await textChanges(mutateText, "notes.txt", "# 1 list\n\ntotal: 12 kg\n");
  const numbers = changes.filter(({ kind }) => kind === "number-changed");
  expect(numbers).toHaveLength(2);
  expect(numbers[1]?.text).toMatch(/^# 1 list\n\ntotal: (11|13|-12) kg\n$/);
  expect(numbers[1]?.words).toMatch(/^a number changed in line 3: 12 → (11|13|-12)$/);
});

test.each<[string, readonly string[]]>([
  ["take 5 of", ["take -5 of"]],
  ["(5)", ["(-5)"]],
  ["£5.20", ["£-5.20"]],
  ["It is 5.", ["It is -5."]],
  ["x = -5", ["x = 5"]],
  ["-5", ["5"]],
  ["v5", ["v6"]],
  ["5th", ["6th"]],
  ["a/5", ["a/6"]],
  ["5:05", ["6:05", "5:06"]],
  ["2031-05", ["2032-05", "2031-06"]],
])("%s can become %j: only a number that stands alone has a sign", async (text, expected) => {
  // The lowest draw takes the other sign wherever it may, and else counts up.
  const changes = await textChanges(mutateText, "a.txt", text, { random: () => 0 });
  expect(outcomes(changes, "number-changed")).toEqual(expected);
});

test.each<[string, string]>([
  ["set.sql", "-- 1\n"],
  ["a.rb", "# 1\n"],
  ["a.c", "// 1\n  /* 2 */\n"],
  ["a.ini", "; 1\n"],
  ["Makefile", "# 1\n"],
  ["tool", "#!/usr/bin/perl\n# 1\n"],
])("comments of %s are left alone", async (path, text) => {
  expect(await textChanges(mutateText, path, text)).toEqual([]);
});

test("a heading is no comment", async () => {
  expect(outcomes(await textChanges(mutateText, "a.md", "# One\n"), "line-dropped")).toEqual([""]);
});

test("only wanted parts are changed", async () => {
  const within = (start: number, end: number): boolean => start <= 7 && end >= 4;
  const changes = await textChanges(mutateText, "a.txt", "1\n2\n345\n6\n", { within });
  expect(outcomes(changes, "number-changed").every((text) => /^1\n2\n\D?\d{3}\n6\n$/.test(text))).toBe(true);
  expect(outcomes(changes, "number-changed")).toHaveLength(1);
});

test("a byte order mark stays, and what is no text is left alone", async () => {
  const marked = await textChanges(mutateText, "a.txt", "\uFEFFa\nb\n");
  expect(outcomes(marked, "lines-swapped")).toEqual(["\uFEFFb\na\n"]);
  expect(await textChanges(mutateText, "a.bin", new Uint8Array([49, 0, 50]))).toEqual([]);
  expect(await textChanges(mutateText, "a.bin", new Uint8Array([49, 0xff, 50]))).toEqual([]);
  expect(await textChanges(mutateText, "a.txt", "")).toEqual([]);
});
