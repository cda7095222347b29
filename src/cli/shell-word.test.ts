import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test.each([
  "skills/a",
  "my skill",
  "it's",
  "",
  "-x",
  '$HOME `id` "q" \\',
  "a\nb'%s\\",
  "-\u001b[31m \u202e",
  "~",
  "#x",
  "é",
])("%j is one word to a shell", (text) => {
  expect(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(text);
});

test("nothing in it reaches a terminal raw", () => {
  expect(shellWord("a\u001b[31m\n\u202eb")).toBe(`"$(printf -- 'a\\033\\13331m\\012\\342\\200\\256b')"`);
});

test("plain words stay plain", () => {
  expect(["skills/a", "x=1", "v1.0@again"].map(shellWord)).toEqual(["skills/a", "x=1", "v1.0@again"]);
});
