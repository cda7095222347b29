import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keptSectionsSchema } from "./artefacts/section-map.ts";
import { parseDraft } from "./author/draft.ts";
import { keptSections, sectionsOfSkill } from "./campaign-sections.ts";
import { hashJson } from "./hash.ts";
import { readBenchmarks } from "./store/benchmarks.ts";
import { writeTree } from "./store/tree.ts";
import { benchmarkOf, keptOf, sectionedSkill, type SectionedSkill } from "./testing/sectioned-skill.ts";
import { countTokens } from "./tokens.ts";

const root = join(import.meta.dirname, "..");
const none = { benchmarks: [], arms: [] };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-sections-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const frontmatter = "---\nname: tide\ndescription: Reads tides.\n---\n";
const markdown = `${frontmatter}
# Tide

Intro, see [winds](references/winds.md).

## Read

Read it.

## Write

### Examples

An example.
`;
const files = { "SKILL.md": markdown, "references/winds.md": "# Winds\n\nWest.\n\n## East\n\nEast.\n" };
const tide = sectionedSkill(files, { read: ["Tide > Read", "Winds > East"], intro: ["Tide"] });

async function place(
  { skill, chunks, clusters }: SectionedSkill,
  over: Readonly<Record<string, string | null>> = {},
): Promise<{ readonly folder: string; readonly benchmarks: string }> {
  const places = {
    folder: join(folder, "skills", skill.id),
    benchmarks: join(folder, "benchmarks", skill.id),
  };
  await writeTree(places.folder, skill.tree);
  await writeTree(places.benchmarks, []);
  const written: Readonly<Record<string, string | null>> = {
    "chunks.json": JSON.stringify(chunks),
    "clusters.json": JSON.stringify(clusters),
    ...over,
  };
  for (const [name, text] of Object.entries(written)) {
    if (text !== null) await writeFile(join(places.benchmarks, name), text);
  }
  return places;
}

test("every section is kept with what it costs and with the benchmarks made from its cluster", () => {
  const { sections, documents, unknown, byName } = keptOf(tide, ["read"]);
  expect(sections.map(({ name, cluster, benchmarks }) => [name, cluster, benchmarks])).toEqual([
    ["Tide", "intro", []],
    ["Read", "read", ["read"]],
    ["Examples", null, []],
    ["references/winds.md: Winds", null, []],
    ["references/winds.md: East", "read", ["read"]],
  ]);
  for (const { file, startLine, endLine, tokens } of sections) {
    const lines = documents.find((document) => document.file === file)?.lines ?? [];
    expect(tokens).toBe(countTokens(lines.slice(startLine - 1, endLine).join("\n")));
  }
  expect(documents.map(({ file, bodyLine }) => [file, bodyLine])).toEqual([
    ["SKILL.md", frontmatter.split("\n").length],
    ["references/winds.md", 1],
  ]);
  expect([unknown, byName]).toEqual([[], []]);
});

test("the skill that ships: all its benchmarks lead to sections by the text that their author saw", async () => {
  const places = {
    folder: join(root, "skills/house-style"),
    benchmarks: join(root, "benchmarks/house-style"),
  };
  const benchmarks = await readBenchmarks(places.benchmarks, "house-style", parseDraft);
  const { planned, kept } = await sectionsOfSkill(places, { benchmarks, arms: [] });
  expect(planned).toEqual({ skill: "house-style", hash: hashJson(kept), missing: null });
  expect([kept?.unknown, kept?.byName]).toEqual([[], []]);
  const tied = benchmarks.map(({ bundle: { id } }) => [
    id,
    kept?.sections.filter((section) => section.benchmarks.includes(id)).map(({ name }) => name),
  ]);
  expect(Object.fromEntries(tied)).toMatchObject({
    "crate-tags": [
      "Crate tags",
      "Serial of a crate tag",
      "Check character of a crate tag",
      "Reading a crate tag",
    ],
    "ledger-export": expect.arrayContaining([
      "Ledger export",
      "references/ledger.md: Closing line of a ledger export",
    ]) as unknown,
  });
});

test.each<[string, (sectioned: SectionedSkill) => Readonly<Record<string, string | null>>, string]>([
  ["no chunks", () => ({ "chunks.json": null }), "not_built"],
  ["no clusters", () => ({ "clusters.json": null }), "not_built"],
  ["a list of another version", () => ({ "chunks.json": '{"format":"skillproof/chunks@0"}' }), "unreadable"],
  ["half a file", ({ chunks }) => ({ "chunks.json": JSON.stringify(chunks).slice(0, 99) }), "unreadable"],
  [
    "another tree of the skill",
    ({ chunks }) => ({
      "chunks.json": JSON.stringify({ ...chunks, skill: { ...chunks.skill, treeHash: "0".repeat(64) } }),
    }),
    "other_text",
  ],
  [
    "clusters of other chunks",
    ({ clusters }) => ({ "clusters.json": JSON.stringify({ ...clusters, unitsHash: "0".repeat(64) }) }),
    "other_text",
  ],
  [
    "a section beyond the end of its file",
    ({ chunks }) => {
      const moved = chunks.chunks.map((chunk) => ({ ...chunk, endLine: chunk.endLine + 1_000_000 }));
      return { "chunks.json": JSON.stringify({ ...chunks, chunks: moved }) };
    },
    "other_text",
  ],
  [
    "a section of a file that is not there",
    ({ chunks }) => {
      const moved = chunks.chunks.map((chunk) => ({ ...chunk, file: "../../etc/passwd" }));
      return { "chunks.json": JSON.stringify({ ...chunks, chunks: moved }) };
    },
    "other_text",
  ],
])("without sections the plan says why: %s", async (_what, over, missing) => {
  const found = await sectionsOfSkill(await place(tide, over(tide)), none);
  expect(found).toEqual({ planned: { skill: "tide", hash: null, missing }, kept: null });
});

test("what is kept reads back as what was hashed", async () => {
  const { planned, kept } = await sectionsOfSkill(await place(tide), none);
  expect(keptSectionsSchema.parse(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
  expect(planned.hash).toBe(hashJson(kept));
});

test("a benchmark is tied by the text that its author saw, else by its name, else to nothing", () => {
  const made = [
    benchmarkOf("renamed", tide, "read"),
    benchmarkOf("intro", tide, null),
    benchmarkOf("by-hand", tide, null),
  ];
  const kept = keptSections(tide.skill, { ...tide, benchmarks: made, arms: [] });
  expect(kept?.sections.map(({ benchmarks }) => benchmarks)).toEqual([
    ["intro"],
    ["renamed"],
    [],
    [],
    ["renamed"],
  ]);
  expect([kept?.byName, kept?.unknown]).toEqual([["intro"], ["by-hand"]]);
});

test.each<[string, string, readonly string[]]>([
  ["Windows line ends", markdown.replaceAll("\n", "\r\n"), ["Tide", "Read", "Examples"]],
  ["a heading twice", "# A\n\n## Same\n\none\n\n## Same\n\ntwo\n", ["A > Same", "A > Same #2"]],
  ["the same under two parents", "# A\n\n## S\n\n1\n\n# B\n\n## S\n\n2\n", ["A > S", "B > S"]],
  ["no headings", "Only text, in one paragraph.\n", ["SKILL.md: before the first heading"]],
  ["text before the first heading", "Text.\n\n# A\n\nMore.\n", ["SKILL.md: before the first heading", "A"]],
  ["a heading without a title", "#\n\nText.\n\n# A\n\nMore.\n", ["SKILL.md: without a title", "A"]],
  ["an underlined heading", "Title\n=====\n\nText.\n", ["Title"]],
  ["nothing but a description", frontmatter, []],
  ["a frontmatter that never closes", "---\nname: tide\n\n# A\n\ntext\n", []],
])("sections are named as an ablation names them: %s", (_what, text, names) => {
  const { sections, documents } = keptOf(sectionedSkill({ "SKILL.md": text }));
  expect(sections.map(({ name }) => name)).toEqual(names);
  expect(new Set(sections.map(({ name }) => name)).size).toBe(names.length);
  expect(documents[0]?.lines.join("")).not.toContain("\r");
});

test("a skill that is only a description leaves its benchmark without a section", () => {
  const bare = sectionedSkill({ "SKILL.md": frontmatter });
  const { clusters, chunks } = bare;
  const all = { index: 0, tokens: 1, boilerplate: false, selected: null, notSelected: null };
  const units = chunks.units.map(({ id }) => id);
  const described = { ...bare, clusters: { ...clusters, clusters: [{ ...all, id: "tide", units }] } };
  expect(units).toHaveLength(1);
  expect(keptOf(described, ["tide"])).toMatchObject({ sections: [], unknown: ["tide"], byName: [] });
});
