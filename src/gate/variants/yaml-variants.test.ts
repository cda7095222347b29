import { expect, test } from "vitest";
import { parse } from "yaml";
import { varyYaml } from "./yaml-variants.ts";

test.each<[string, string, string]>([
  ["members in reverse order", "a: 1\nb: 2\n", "b: 2\na: 1\n"],
  ["four spaces in place of two", "a:\n  b: 1\n  c: 2\n", "a:\n    c: 2\n    b: 1\n"],
  ["two spaces in place of four", "a:\n    b: 1\nd: 2\n", "d: 2\na:\n  b: 1\n"],
  [
    "numbers as they are written",
    "a: 1.0\nb: 1e400\nc: 0x1F\nd: 007\n",
    "d: 007\nc: 0x1F\nb: 1e400\na: 1.0\n",
  ],
  ["words that some take for booleans", "a: yes\nb: \"yes\"\nc: 'no'\n", "c: 'no'\nb: \"yes\"\na: yes\n"],
  ["dates", 'a: 2031-05-01\nb: "2031-05-01"\n', 'b: "2031-05-01"\na: 2031-05-01\n'],
  ["block text", "a: |\n  # no comment\n  x\nb: 1\n", "b: 1\na: |\n    # no comment\n    x\n"],
  ["lists keep their order", "a:\n  - 2\n  - 1\nb: x\n", "b: x\na:\n    - 2\n    - 1\n"],
])("YAML: %s", (_what, text, expected) => {
  expect(varyYaml("config/a.yaml", text)).toBe(expected);
  expect(parse(expected)).toEqual(parse(text));
});

test("comments are kept, each once", () => {
  const varied = varyYaml("a.yml", "# all\n\n# one\na: 1 # first\n# two\nb: 2\n")!;
  for (const comment of ["# all", "# one", "# first", "# two"])
    expect(varied.split("\n").filter((line) => line.includes(comment))).toHaveLength(1);
  expect(varied.indexOf("b: 2")).toBeLessThan(varied.indexOf("a: 1"));
});

test.each<[string, string]>([
  ["anchors and aliases", "a: &x {b: 1}\nc: *x\n"],
  ["an anchor that nothing uses", "a: &x 1\nb: 2\n"],
  ["merge keys", "<<: {a: 1}\nb: 2\n"],
  ["tags", "a: !!str 1\nb: 2\n"],
  ["tags of one's own", "a: !Ref x\nb: 2\n"],
  ["keys that are no words", "[a, b]: 1\nc: 2\n"],
  ["several documents", "a: 1\nb: 2\n---\nc: 3\n"],
  ["two members of one name", "a: 1\na: 2\n"],
  ["no YAML", "a: [1\nb: }\n"],
  ["one member, nothing to turn", "a: 1\n"],
  ["nothing", "\n"],
  ["only a comment", "# later\n"],
])("YAML with %s is left alone", (_what, text) => {
  expect(varyYaml("a.yaml", text)).toBeNull();
});

test("another extension is left alone", () => {
  expect(varyYaml("a.txt", "a: 1\nb: 2\n")).toBeNull();
});

test.each<[string, string]>([
  ["brackets", "[".repeat(100_000)],
  ["brackets behind closed ones", `a: ${"]".repeat(1000)}${"[".repeat(100_000)}`],
  ["brackets beside quoted ones", `a: ${'["]",'.repeat(50_000)}`],
  ["dashes", `${"- ".repeat(100_000)}a`],
  ["dashes in a list", `[${"- ".repeat(100_000)}a`],
  ["question marks", `${"? ".repeat(100_000)}a`],
  ["tags", `${"!a ".repeat(100_000)}b`],
  ["anchors", `a: ${"&a ".repeat(100_000)}b`],
  ["indents", Array.from({ length: 500 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")],
  ["a line of a megabyte", `a: ${"x ".repeat(500_000)}\nb: 1\n`],
])("YAML that nests or runs on and on is left alone: %s", (_what, text) => {
  expect(varyYaml("a.yaml", text)).toBeNull();
});
