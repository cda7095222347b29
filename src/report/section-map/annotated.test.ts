import { expect, test } from "vitest";
import type { KeptSections, SectionMap } from "../../artefacts/section-map.ts";
import { cellOf, keptOf, sectionedSkill } from "../../testing/sectioned-skill.ts";
import { annotatedCopy } from "./annotated-copy.ts";
import { annotatedPage } from "./annotated-page.ts";
import { sectionFiles, sectionsHref } from "./files.ts";
import { mapSections } from "./map-sections.ts";
import { sectionMapSection } from "./section.ts";

const render = {
  table: (header: readonly string[], rows: readonly (readonly string[])[]) =>
    [header, ...rows].map((row) => row.join(" | ")).join("\n"),
  plain: (text: string) => text,
};

function mapped(markdown: string, over: Partial<SectionMap> = {}) {
  const sectioned = sectionedSkill({ "SKILL.md": markdown }, { write: ["Tide > Write"] });
  const kept = keptOf(sectioned, ["write"]);
  const cells = [cellOf("write", { with_skill: [10, 10], without_skill: [1, 8] })];
  const [map] = mapSections([{ skill: "tide", kept, missing: null }], cells, { analysis: null });
  if (map === undefined) throw new Error("no map");
  return { kept, map: { ...map, ...over } };
}

const markdown = `---
name: tide
---
# Tide

## Read

Read \`it\`.

## Write

Write it.
`;
const tide = mapped(markdown);

/** The copy without what is ours: head, file names, fences and notes. */
function ownLines(copy: string): readonly string[] {
  const body = copy.slice(copy.indexOf("**File `SKILL.md`**"));
  const ours = /^(?:> \*\*skillproof\*\*.*|\*\*File .*|```.*|)$/;
  return body.split("\n").filter((line) => !ours.test(line));
}

test("the annotated copy is the skill's text, line for line, with one note behind each heading that has text", () => {
  const copy = annotatedCopy(tide.map, tide.kept);
  expect(ownLines(copy)).toEqual(markdown.split("\n").filter((line) => line !== ""));
  const lines = copy.split("\n");
  const at = lines.indexOf("## Write");
  expect(lines.slice(at, at + 5)).toEqual([
    "## Write",
    "",
    expect.stringMatching(
      /^> \*\*skillproof\*\*: \d+ of \d+ tokens .* benchmarks: write · uplift \+87\.5 points \(.*; 10 of 10 against 1 of 8 \(10 planned\)\) · \*\*carries \(by its benchmarks\)\*\*$/,
    ) as unknown,
    "",
    "Write it.",
  ]);
  expect(copy.match(/^> \*\*skillproof\*\*/gm)).toHaveLength(2);
});

test.each<[string, string]>([
  ["text before the first heading", "Before.\n\n# Tide\n\nAfter.\n"],
  ["an underlined heading", "Tide\n====\n\nText.\n"],
  ["a heading and nothing else", "# Tide\n"],
  ["Windows line ends", markdown.replaceAll("\n", "\r\n")],
  ["backticks in the frontmatter", "---\nname: '````'\n---\n# Tide\n\nText.\n"],
  ["a fence that stays open", "# Tide\n\n```sh\n## No heading\n"],
  ["a frontmatter that never closes", "---\nname: tide\n\n# Tide\n"],
])("no line of the skill is lost or added: %s", (_what, text) => {
  const { map, kept } = mapped(text);
  const lines = (kept.documents[0]?.lines ?? []).filter((line) => line !== "" && !line.startsWith("```"));
  expect(ownLines(annotatedCopy(map, kept))).toEqual(lines);
  const page = annotatedPage(map, kept);
  for (const line of lines) expect(page).toContain(line.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
});

const attack = `# Tide

## Write

> **skillproof**: 1 of 1 tokens · **carries**

<script>alert(1)</script> \u001b[31mred\u001b[0m \u202egnp\u202c </pre><img src=x onerror=alert(1)>

## a | b \`c\` <b>d</b> \u202eevil

text
`;

test("where no ablation ran the page has no column for it, and where one did it has", () => {
  const { map, kept } = tide;
  const words = "Whole skill against without the section";
  expect(annotatedPage(map, kept)).not.toContain(words);
  expect(sectionMapSection([map], render)).not.toContain("whole against without it");
  const effect = map.sections.find(({ uplift }) => uplift !== null)?.uplift;
  if (effect == null) throw new Error("no effect");
  const [first, ...others] = map.sections.map((section, at) =>
    at === 0
      ? { ...section, ablation: { arm: "ablation-1", of: "Tide", sections: 1, own: null, all: effect } }
      : section,
  );
  const ablated = { ...map, sections: first === undefined ? [] : [first, ...others] };
  expect(annotatedPage(ablated, kept)).toContain(words);
  expect(sectionMapSection([ablated], render)).toContain("whole against without it");
});

test("what the skill says is text: no markup, no escape, no turned direction, no forged note", () => {
  const { map, kept } = mapped(attack);
  const copy = annotatedCopy(map, kept);
  expect(copy).not.toMatch(/[\u001b\u202e\u202c]/);
  expect(copy).toContain("[U+001B][31mred");
  expect(copy.match(/^> \*\*skillproof\*\*/gm)).toHaveLength(map.sections.length);
  expect(copy).toContain("> \\*\\*skillproof**: 1 of 1 tokens");
  const page = annotatedPage(map, kept);
  expect(page).not.toMatch(/<script|<img|<b>|[\u001b\u202e\u202c]/);
  expect(page).toContain("&lt;script>alert(1)&lt;/script>");
  const told = sectionMapSection([map], render);
  expect(told).not.toMatch(/[\u001b\u202e\u202c]/);
});

test("names that no heading should have stay in one cell and one line of report.md", () => {
  const { map } = mapped("# Tide\n\n## a | b\n\ntext\n");
  const plain = (text: string): string => text.replaceAll("|", "\\|");
  const table: typeof render.table = (header, rows) =>
    render.table(
      header,
      rows.map((row) => row.map(plain)),
    );
  const told = sectionMapSection([map], { table, plain });
  expect(told).toContain("a \\| b | ");
});

test("report.md names what carries, what changes nothing and what nothing touches, each of all sections", () => {
  const told = sectionMapSection([tide.map], render);
  expect(told).toContain("- Carry the effect, 1 of 2 sections: Write.");
  expect(told).toContain(
    "- Change nothing (the interval lies within ±10 points): none of 2 sections is shown to.",
  );
  expect(told).toContain("- No benchmark touches, 1 of 2 sections: Read.");
  expect(told).toContain("10 of 10 against 1 of 8 (10 planned)");
  expect(told).toContain("How the notes are made: always from the 95 % interval, never from a point.");
  expect(told).toContain("exploratory");
});

test("sections that change nothing are named", () => {
  const { map, kept } = tide;
  const cells = [cellOf("write", { with_skill: [500, 1000], without_skill: [500, 1000] })];
  const [even] = mapSections([{ skill: "tide", kept, missing: null }], cells, { analysis: null });
  const words = "Change nothing (the interval lies within ±10 points), 1 of 2 sections: Write.";
  expect(sectionMapSection(even === undefined ? [] : [even], render)).toContain(words);
  expect(annotatedCopy(even ?? map, kept)).toContain(words);
  expect(annotatedPage(even ?? map, kept)).toContain(words);
});

test.each([
  ["not_built", "No section map: build the skill first."],
  ["other_text", "are of another state of the skill"],
  ["unreadable", "are not of this version"],
  ["changed", "are not those that the plan froze"],
] as const)("a skill without a map says why, and gets no files: %s", (missing, words) => {
  const [map] = mapSections([{ skill: "tide", kept: null, missing }], [], { analysis: null });
  const maps = map === undefined ? [] : [map];
  expect(sectionMapSection(maps, render)).toContain(words);
  expect(sectionFiles(maps, [{ skill: "tide", kept: null, missing }])).toEqual({});
});

test("benchmarks without sections, and those tied by name alone, are said", () => {
  const { kept } = mapped(markdown, {});
  const odd: KeptSections = { ...kept, unknown: ["by-hand"], byName: ["write"] };
  const [map] = mapSections([{ skill: "tide", kept: odd, missing: null }], [], { analysis: null });
  const told = sectionMapSection(map === undefined ? [] : [map], render);
  expect(told).toContain("Of 1 benchmark the sections are unknown, they came from no cluster: by-hand.");
  expect(told).toContain("or from an earlier text: write.");
  expect(told).toContain("Tested, but no trial in both arms is graded yet, 1 of 2 sections: Write.");
});

test("two files per skill, their addresses safe in a link", () => {
  const files = sectionFiles([tide.map], [{ skill: "tide", kept: tide.kept, missing: null }]);
  expect(Object.keys(files)).toEqual(["sections/tide.md", "sections/tide.html"]);
  expect(sectionsHref("50% off?")).toBe("sections/50%25%20off%3F.html");
});

test("two hundred sections with long names fit into a comment on a pull request", () => {
  const many = Array.from({ length: 200 }, (_, at) => `## ${"Long ".repeat(60)}${at}\n\nText ${at}.\n`).join(
    "\n",
  );
  const { map } = mapped(`# Tide\n\n${many}`);
  const told = sectionMapSection([map], render);
  expect(map.sections).toHaveLength(200);
  expect(told.length).toBeLessThan(65_536);
  expect(told).toContain("of 200 rows are shown");
  expect(told).toMatch(/; and \d+ more\./);
});
