import { expect, test } from "vitest";
import { readSkill } from "./read-skill.ts";

function read(text: string | Uint8Array, id = "tide") {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return readSkill({ id, tree: [{ kind: "file", path: "SKILL.md", mode: 0o644, bytes }] });
}

/** Findings as `code:line`. */
function findings(text: string | Uint8Array, id?: string): readonly string[] {
  return read(text, id).diagnostics.map(({ code, line }) => (line === undefined ? code : `${code}:${line}`));
}

const yaml = "name: tide\ndescription: Tides.\n";
const head = `---\n${yaml}---\n`;
const body = "\n# Tide\n\nText.\n";

test.each([
  { why: "blank lines first", text: `\n\n${head}${body}`, found: ["frontmatter-leading-blank:3"] },
  { why: "tildes around the file", text: `~~~skill\n${head}${body}~~~\n`, found: ["wrapped-in-fence:1"] },
  {
    why: "blank lines before the wrapper",
    text: `\n\`\`\`\`\n${head}${body}\`\`\`\`\n`,
    found: ["wrapped-in-fence:2", "frontmatter-leading-blank:3"],
  },
  { why: "a wrapper that never closes", text: `\`\`\`md\n${head}${body}`, found: ["wrapped-in-fence:1"] },
  {
    why: "a fence around a script",
    text: `\`\`\`sh\n${head}\`\`\`\n`,
    found: ["frontmatter-missing:1"],
  },
  { why: "line ends of old machines", text: `${head}${body}`.replaceAll("\n", "\r"), found: [] },
  { why: "spaces after the fences", text: `--- \n${yaml}---\t\n${body}`, found: [] },
  { why: "an empty file", text: "", found: ["body-empty", "frontmatter-missing:1"] },
  { why: "no body", text: head, found: ["body-empty"] },
  { why: "an empty frontmatter", text: `---\n---\n${body}`, found: ["frontmatter-not-mapping:1"] },
  { why: "dots do not close", text: `---\n${yaml}...\n${body}`, found: ["frontmatter-unclosed:1"] },
  { why: "dots at the end", text: `---\n${yaml}...\n---\n${body}`, found: [] },
  {
    why: "a second document",
    text: `---\n${yaml}...\nx: y\n---\n${body}`,
    found: ["frontmatter-yaml-recovered:1"],
  },
  {
    why: "a key three times",
    text: `---\nname: a\nname: b\n${yaml}---\n${body}`,
    found: ["frontmatter-duplicate-key:3"],
  },
  { why: "template braces", text: `---\n${yaml}license: {{ x }}\n---\n${body}`, found: [] },
  {
    why: "aliases that multiply",
    text: `---\n${yaml}license: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]\n---\n${body}`,
    found: ["frontmatter-yaml-recovered:1"],
  },
])("reads: $why", ({ text, found }) => {
  expect(findings(text)).toEqual(found);
});

test.each([
  { field: "name: tide\ncompatibility: 3", found: ["compatibility-invalid:4"] },
  { field: `name: tide\ncompatibility: ${"x".repeat(501)}`, found: ["compatibility-invalid:4"] },
  { field: `name: tide\ncompatibility: ${"x".repeat(500)}`, found: [] },
  { field: "name: tide\nmetadata: [a]", found: ["metadata-not-string-map:4"] },
  { field: "name: tide\nmetadata: {a: '1'}", found: [] },
  { field: "name: tide--x", found: ["name-invalid:3", "name-folder-mismatch:3"] },
  { field: "name: true", found: ["name-not-string:3", "name-folder-mismatch:3"] },
  { field: "name: [a]", found: ["name-not-string:3"] },
  { field: `name: ${"x".repeat(65)}`, found: ["name-too-long:3", "name-folder-mismatch:3"] },
  { field: 'name: "  ｔｉｄｅ "', found: [] },
  { field: "name: 潮汐-2", found: ["name-folder-mismatch:3"] },
  { field: "name: Tide", found: ["name-invalid:3", "name-folder-mismatch:3"] },
])("field $field", ({ field, found }) => {
  expect(findings(`---\ndescription: Tides.\n${field}\n---\n${body}`)).toEqual(found);
});

test.each([
  { written: "description: Use when: now", value: "Use when: now" },
  { written: 'description: "never: closed', value: "never: closed" },
  { written: "description: 'a': b'", value: "a': b" },
  { written: "description: >-\nfirst: no\n", value: null },
  { written: "description: | one: two\n  three", value: "one: two three" },
  {
    written: "description: a: b\nsee\nhttps://example.org: there\n\nend",
    value: "a: b see https://example.org: there end",
  },
  { written: "description: @me\nlicense: MIT", value: "@me" },
])("recovers by line: $written", ({ written, value }) => {
  const { frontmatter, diagnostics } = read(`---\nname: tide\nbroken: [\n${written}\n---\n${body}`);
  expect(frontmatter.description).toBe(value);
  const codes = diagnostics.map(({ code }) => code);
  expect(codes).toContain(value === null ? "frontmatter-yaml-invalid" : "frontmatter-yaml-recovered");
});

test.each([
  {
    why: "several lines over dashes",
    text: "One\ntwo\n------\n",
    found: ["setext-dash-ignored:7"],
    titles: [""],
  },
  { why: "one line over four dashes", text: "One\n----\n\nText.\n", found: [], titles: ["One"] },
  {
    why: "several lines over equals signs",
    text: "One\ntwo\n===\n\nText.\n",
    found: [],
    titles: ["One two"],
  },
  { why: "a heading in a footnote", text: "Text.[^1]\n\n[^1]: # Note\n", found: [], titles: [""] },
  {
    why: "a comment that never closes",
    text: "# A\n\nText.\n\n<!-- later\n\n# B\n\nText.\n",
    found: ["html-comment-unclosed:9"],
    titles: ["A"],
  },
  { why: "a heading in pre", text: "# A\n\n<pre>\n# B\n</pre>\n", found: [], titles: ["A"] },
  {
    why: "only a comment",
    text: "# A\n\n<!-- x --> <!-- y -->\n",
    found: ["body-empty", "section-empty:5"],
    titles: [],
  },
  { why: "words after a comment", text: "# A\n\n<!-- x --> words\n", found: [], titles: ["A"] },
  { why: "a comment as title", text: "## <!-- x -->\n\nText.\n", found: ["heading-empty:5"], titles: [""] },
  {
    why: "an unclosed fence in a list ends with the list",
    text: "- a\n  ```sh\n  # x\n\n# B\n\nText.\n",
    found: [],
    titles: ["", "B"],
  },
])("sections: $why", ({ text, found, titles }) => {
  expect(findings(`${head}${text}`)).toEqual(found);
  expect(read(`${head}${text}`).sections.map(({ title }) => title)).toEqual(titles);
});
