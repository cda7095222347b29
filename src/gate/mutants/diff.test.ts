import { structuredPatch } from "diff";
import { expect, test } from "vitest";
import { differingPart, shortDiff } from "./diff.ts";

const numbered = (count: number, prefix = ""): string =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}\n`).join("");

const bodyOf = (diff: string): readonly string[] => diff.split("\n").slice(2);

test("a changed line with two lines around it", () => {
  expect(shortDiff("out/a b.txt", numbered(9), numbered(9).replace("5", "x")).split("\n")).toEqual([
    "--- reference/out/a b.txt",
    "+++ mutant/out/a b.txt",
    "@@ -3,5 +3,5 @@",
    " 3",
    " 4",
    "-5",
    "+x",
    " 6",
    " 7",
  ]);
});

test("a file that is missing, and one that is put back", () => {
  expect(shortDiff("a", "x\n", null).split("\n")).toEqual([
    "--- reference/a",
    "+++ (missing)",
    "@@ -1,1 +0,0 @@",
    "-x",
  ]);
  expect(shortDiff("a", null, "x\n").split("\n")).toEqual([
    "--- (missing)",
    "+++ mutant/a",
    "@@ -0,0 +1,1 @@",
    "+x",
  ]);
});

test("a long change shows both sides and says what is left out", () => {
  expect(bodyOf(shortDiff("a", numbered(30), numbered(20, "new ")))).toEqual([
    "@@ -1,30 +1,20 @@",
    "-1",
    "-2",
    "-3",
    "-4",
    "… 26 more lines",
    "+new 1",
    "+new 2",
    "+new 3",
    "+new 4",
    "… 16 more lines",
  ]);
});

test("beyond what can be compared, all that follows the first difference", () => {
  const body = bodyOf(
    shortDiff("a", numbered(3) + numbered(100_000, "a"), numbered(3) + numbered(50_000, "b")),
  );
  expect(body[0]).toBe("@@ -4,100000 +4,50000 @@");
  expect(body[5]).toBe("… 99996 more lines");
  expect(body).toHaveLength(11);
});

test("many places are cut to twelve lines", () => {
  const body = bodyOf(shortDiff("a", numbered(90), numbered(90).replaceAll("7\n", "x\n")));
  expect(body).toHaveLength(13);
  expect(body.at(-1)).toMatch(/^… \d+ more lines$/);
});

test("a line of 1 MB is shown where it differs", () => {
  const line = "x".repeat(500_000);
  const body = bodyOf(shortDiff("a", `${line}12${line}\n`, `${line}13${line}\n`));
  expect(body[1]).toMatch(/^-…x+12x+…$/);
  expect(body[2]).toMatch(/^\+…x+13x+…$/);
  expect(Math.max(...body.map(({ length }) => length))).toBeLessThanOrEqual(160);
});

test("characters are not cut in two", () => {
  const pears = "🍐".repeat(1000);
  for (const shift of ["", "a"]) {
    const body = bodyOf(shortDiff("a", `${shift}${pears}1${pears}`, `${shift}${pears}2${pears}`)).join("\n");
    expect(body).not.toMatch(/\p{Cs}/u);
    expect(body).toContain("2");
  }
});

test("line ends and other controls are shown as pictures", () => {
  expect(bodyOf(shortDiff("a", "x\r\n\u001b[31m", "x\n\u001b[31m"))).toEqual([
    "@@ -1,2 +1,2 @@",
    "-x␍",
    "+x",
    " ␛[31m",
    "\\ No newline at end of file",
  ]);
});

test.each<[string, string, string]>([
  ["a line in the middle", numbered(50), numbered(50).replace("25", "x")],
  ["the first line", numbered(50), `x${numbered(50)}`],
  ["the last line", numbered(50), `${numbered(50)}x`],
  ["a doubled line", numbered(50), numbered(50).replace("25\n", "25\n25\n")],
  ["a dropped line", numbered(50), numbered(50).replace("25\n", "")],
  ["one of equal lines dropped", "a\n".repeat(50), "a\n".repeat(49)],
  ["all of it", numbered(50), ""],
  ["a beginning", "", numbered(50)],
  ["nothing", numbered(50), numbered(50)],
  ["blank lines", "\n\n\n", "\n\n"],
  ["a place far into it", numbered(9000), numbered(9000).replace("7000", "x")],
  ["the end of the last line", "a\nb", "a\nb\n"],
])("what is left of two texts gives their diff in the right lines: %s", (_name, before, after) => {
  for (const kept of [0, 2]) {
    const part = differingPart(before, after, kept);
    const whole = structuredPatch("", "", before, after, undefined, undefined, { context: kept });
    const shifted = structuredPatch("", "", part.before, part.after, undefined, undefined, { context: kept });
    const changed = shifted.hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith(" ")));
    expect(changed.length).toBe(
      whole.hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith(" "))).length,
    );
    expect(shifted.hunks.reduce((text, { lines }) => text + lines.length, 0)).toBe(
      whole.hunks.reduce((text, { lines }) => text + lines.length, 0),
    );
    expect(before.split("\n").slice(0, part.lines)).toEqual(after.split("\n").slice(0, part.lines));
    expect(before.split("\n").slice(part.lines).join("\n").startsWith(part.before)).toBe(true);
    expect(after.split("\n").slice(part.lines).join("\n").startsWith(part.after)).toBe(true);
  }
});
