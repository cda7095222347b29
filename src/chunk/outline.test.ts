import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { treeOf } from "../testing/benchmark.ts";
import { outlineSkill } from "./outline.ts";

const head = "---\nname: tide\ndescription: Reads tides.\nlicense: MIT\n---\n";

function outline(markdown: string, name = "SKILL.md") {
  return outlineSkill({ id: "tide", tree: treeOf({ [name]: markdown }) });
}

/** `<lines> <path> [text]` of each heading. */
function headings(markdown: string): string[] {
  return outline(markdown).headings.map(
    ({ line, endLine, path, hasText }) => `${line}-${endLine} ${path.join(" > ")}${hasText ? " +" : ""}`,
  );
}

test("what a frontmatter says", () => {
  expect(outline(`${head}# A\n\nx\n`, "skill.md")).toEqual({
    file: "skill.md",
    name: "tide",
    description: "Reads tides.",
    fields: ["name", "description", "license"],
    bodyLine: 6,
    headings: [{ level: 1, title: "A", path: ["A"], line: 6, endLine: 9, hasText: true }],
  });
});

test.each<[why: string, markdown: string, expected: string[]]>([
  ["no heading", "text\n", []],
  ["empty", "", []],
  [
    "nested, with headings that have no text",
    "# T\n\n## A\n\n### A1\n\nx\n\n### A2\n\ny\n\n## B\nz",
    ["1-14 T", "3-12 T > A", "5-8 T > A > A1 +", "9-12 T > A > A2 +", "13-14 T > B +"],
  ],
  ["underlined", "T\n===\n\nx\n\nB b\n-----\n\ny\n", ["1-10 T +", "6-10 T > B b +"]],
  ["a rule that lost its blank line is none", "# T\n\nx\n---\n\n## A\n\ny\n", ["1-9 T +", "6-9 T > A +"]],
  ["inside code, quotes and lists", "# T\n\n```\n# no\n```\n\n> # no\n\n- # no\n", ["1-10 T +"]],
  ["CRLF and a byte order mark", "\uFEFF# T\r\n\r\nx\r\n\r\n## A\r\n\r\ny\r\n", ["1-8 T +", "5-8 T > A +"]],
  ["skipped levels", "#### D\n\nx\n\n## B\n\ny\n\n### C\n\nz\n", ["1-4 D +", "5-12 B +", "9-12 B > C +"]],
  ["a fence around all", "```\n---\nname: a\n---\n\n# T\n\nx\n```\n", ["6-8 T +"]],
  ["a frontmatter that is never closed", "---\nname: a\n\n# T\n\nx\n", []],
])("%s", (_, markdown, expected) => {
  expect(headings(markdown)).toEqual(expected);
});

test("a folder without a SKILL.md is refused", () => {
  expect(() => outline("# A\n", "inner/SKILL.md")).toThrow(UserError);
  expect(() => outline("# A\n", "README.md")).toThrow(/^tide: this folder has no SKILL\.md/);
});
