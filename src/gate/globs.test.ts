import { expect, test } from "vitest";
import { matchesGlob } from "./globs.ts";

test.each<[string, string, boolean]>([
  ["a.txt", "a.txt", true],
  ["a.txt", "./a.txt", true],
  ["aXtxt", "a.txt", false],
  ["out/a.csv", "out/*.csv", true],
  ["out/deep/a.csv", "out/*.csv", false],
  ["out/deep/a.csv", "out/**", true],
  ["out/deep/a.csv", "out/", true],
  ["out", "out/**", false],
  ["a.csv", "**/*.csv", true],
  ["x/y/a.csv", "**/*.csv", true],
  ["x/ya.csv", "**/a.csv", false],
  ["src/a/b/c.py", "src/**/c.py", true],
  ["src/c.py", "src/**/c.py", true],
  ["src/cc.py", "src/**/c.py", false],
  ["anything/at/all", "**", true],
  ["a1", "a?", true],
  ["a/", "a?", false],
  ["b.md", "[a-c].md", true],
  ["d.md", "[a-c].md", false],
  ["d.md", "[!a-c].md", true],
  ["x.yml", "x.{yaml,yml}", true],
  ["x.json", "x.{yaml,yml}", false],
  ["a-c", "{a,b}-{c,d}", true],
  ["a+b(1).txt", "a+b(1).txt", true],
  ["ü/ß.txt", "?/?.txt", true],
])("%s against %s: %s", (path, glob, expected) => {
  expect(matchesGlob(path, glob)).toBe(expected);
});

test("a glob made to be slow is not", () => {
  const started = performance.now();
  expect(matchesGlob("a".repeat(250), `${"*a".repeat(60)}b`)).toBe(false);
  expect(matchesGlob("x/".repeat(120), `${"**/".repeat(60)}y`)).toBe(false);
  expect(matchesGlob("a", "{a,b}".repeat(40))).toBe(false);
  expect(performance.now() - started).toBeLessThan(2000);
});
