import { expect, test } from "vitest";
import { treeOf } from "../../testing/benchmark.ts";
import { sequencesIn, sequencesOf } from "./sequences.ts";

test.each<[text: string, sequences: string[]]>([
  ["", []],
  ["one two three four.", []],
  ["One two, three FOUR five six.", ["one two three four five", "two three four five six"]],
  ["one two three. four five six", []],
  ["a\nb c d e\nf g h i", []],
  ["use csv_patch and parseRow on col2 of ¦ Größe", ["csv_patch", "parserow", "col2", "größe"]],
  ["don't stop the old clock", ["don't stop the old clock"]],
])("%j is known by %j", (text, sequences) => {
  expect(
    [...sequencesOf(text)].filter((one) => !one.includes(" ") || sequences.includes(one)).sort(),
  ).toEqual(sequences.sort());
  if (sequences.every((one) => one.includes(" "))) expect(sequencesOf(text).size).toBe(sequences.length);
});

test("of a tree all text files count, and neither binary files nor the program that a script is for", () => {
  const found = sequencesIn(
    treeOf({ "a.md": "x_1", "b/c.py": "#!/usr/bin/env python3\ny_2", "d.bin": "z_3\0", "e.sh": "#!/bin/sh" }),
  );
  expect([...found].sort()).toEqual(["x_1", "y_2"]);
});

test("a line of a megabyte takes no time to speak of", () => {
  expect(sequencesOf("a".repeat(1_000_000)).size).toBe(0);
  expect(sequencesOf("a'".repeat(500_000)).size).toBe(0);
});
