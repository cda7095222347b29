import { expect, test } from "vitest";
import { type Chunks, chunksSchema } from "../artefacts/chunks.ts";
import type { Skill } from "../artefacts/skill.ts";
import { hashTree, sortedTree, type TreeEntry } from "../artefacts/tree.ts";
import { UserError } from "../errors.ts";
import { type ChunkSettings, chunkSkill, defaultChunkSettings } from "./chunk-skill.ts";

const head = "---\nname: tide\ndescription: Read tide tables.\n---\n\n";

function skill(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): Skill {
  const entries: TreeEntry[] = [
    ...Object.entries(files).map(([path, text]): TreeEntry => ({
      kind: "file",
      path,
      mode: path.endsWith(".sh") ? 0o755 : 0o644,
      bytes: new TextEncoder().encode(text),
    })),
    ...Object.entries(links).map(([path, target]): TreeEntry => ({ kind: "link", path, target })),
  ];
  return { id: "tide", tree: sortedTree(entries) };
}

function chunk(files: Readonly<Record<string, string>>, settings: Partial<ChunkSettings> = {}): Chunks {
  return chunkSkill(skill(files), { ...defaultChunkSettings, ...settings });
}

test("the artefact satisfies its schema and names the skill by the hash of its own files", () => {
  const inner = { "inner/SKILL.md": `${head}# Inner\n\nText.` };
  const own = { "SKILL.md": `${head}# Tide\n\nText.\n`, "scripts/read.sh": "echo" };
  const chunks = chunk({ ...own, ...inner });
  expect(chunksSchema.parse(chunks)).toEqual(chunks);
  expect(chunks.skill).toEqual({
    id: "tide",
    name: "tide",
    description: "Read tide tables.",
    treeHash: hashTree(skill(own).tree),
  });
  expect(chunks.nestedSkills).toEqual(["inner"]);
});

test("files are listed with size, mode and link target", () => {
  const tree = skill({ "SKILL.md": "# A\n", "scripts/read.sh": "echo" }, { "data.csv": "../shared.csv" });
  expect(chunkSkill(tree, defaultChunkSettings).files).toEqual([
    { path: "SKILL.md", bytes: 4, executable: false, link: null },
    { path: "data.csv", bytes: 0, executable: false, link: "../shared.csv" },
    { path: "scripts/read.sh", bytes: 4, executable: true, link: null },
  ]);
});

test.each([
  { names: ["skill.md"], chosen: "skill.md" },
  { names: ["Skill.MD"], chosen: "Skill.MD" },
  { names: ["SKILL.md", "Skill.md", "skill.md"], chosen: "SKILL.md" },
])("of $names the skill is read from $chosen", ({ names, chosen }) => {
  const files = Object.fromEntries(names.map((name) => [name, `${head}# From ${name}\n\nText.\n`]));
  expect(chunk(files).chunks.map(({ id, title }) => ({ id, title }))).toEqual([
    { id: `${chosen}#0`, title: `From ${chosen}` },
  ]);
});

test.each([
  { why: "an empty folder", files: {}, links: {}, message: /^tide: this folder has no SKILL\.md/ },
  {
    why: "SKILL.md only below",
    files: { "a/SKILL.md": head },
    links: {},
    message: /^tide: this folder has no SKILL/,
  },
  {
    why: "a symbolic link",
    files: {},
    links: { "SKILL.md": "../a.md" },
    message: /SKILL\.md is a symbolic link to \.\.\/a\.md\. Put the file itself/,
  },
])("refuses $why", ({ files, links, message }) => {
  const refused = () => chunkSkill(skill(files, links), defaultChunkSettings);
  expect(refused).toThrow(UserError);
  expect(refused).toThrow(message);
});

test("strict lists every error with its line, and passes what has only warnings", () => {
  const broken = { "SKILL.md": "---\nname: Big Tide\ncompatibility: 3\n---\n\n# Tide\n\nText.\n" };
  expect(() => chunk(broken, { strict: true })).toThrow(
    [
      "tide/SKILL.md: 3 errors in strict mode; mend them or leave strict out.",
      "  tide/SKILL.md:1  description is missing or empty (description-missing)",
      '  tide/SKILL.md:2  name "Big Tide": use lower-case letters, digits and single hyphens between them (name-invalid)',
      "  tide/SKILL.md:3  compatibility must be text of at most 500 characters (compatibility-invalid)",
    ].join("\n"),
  );
  expect(chunk(broken).chunks).toHaveLength(1);
  const odd = { "SKILL.md": "---\nname: tide\ndescription: x\nversion: 1\n---\n# Tide\n\nText.\n" };
  expect(chunk(odd, { strict: true }).diagnostics.map(({ code }) => code)).toEqual(["unknown-field"]);
});

const pack = {
  "SKILL.md": `${head}# Tide\n\nSee \`references/winds.md\`, [ports](./references/ports.md#list) and [samples](examples/a.md).\n\n![ports](references/drawn.md)\n\n[Ports again](references/ports.md), [inner](inner/notes.md), [this](SKILL.md)\n`,
  "references/ports.md":
    "---\ntitle: Ports\n---\n\nBefore.\n\n# Ports\n\n## North\n\nCold.\n\n## South\n\nWarm, see [more](more.md).\n",
  "references/winds.md": "---\n\nA rule first.\n\n---\n\n# Winds\n\nWest.\n",
  "references/more.md": "# More\n\nText.\n",
  "references/drawn.md": "# Drawn\n\nText.\n",
  "examples/a.md": "# Sample\n\nText.\n",
  "references/claude.md": "# About a model\n\nText.\n",
  "CLAUDE.md": "# To an agent\n\nText.\n",
  "references/changelog.md": "# Changes\n\nText.\n",
  "skill.md": "# An older one\n\nText.\n",
  "README.md": "# Read me\n\nText.\n",
  "README.zh-CN.md": "# Read me\n\nText.\n",
  "skill-card.md": "# Card\n\nText.\n",
  ".claude/agents/x.md": "# Agent\n\nText.\n",
  "evals/evals.md": "# Prompts\n\nText.\n",
  "inner/SKILL.md": `${head}# Inner\n`,
  "inner/notes.md": "# Notes\n\nText.\n",
};

test.each([
  { sources: "skill" as const, documents: [] },
  {
    sources: "linked" as const,
    documents: ["references/winds.md", "references/ports.md", "references/drawn.md"],
  },
  {
    sources: "all" as const,
    documents: [
      "references/claude.md",
      "references/drawn.md",
      "references/more.md",
      "references/ports.md",
      "references/winds.md",
    ],
  },
])("sources: $sources takes SKILL.md, then $documents", ({ sources, documents }) => {
  const files = chunk(pack, { sources }).chunks.map(({ file }) => file);
  expect([...new Set(files)]).toEqual(["SKILL.md", ...documents]);
});

test("a document's frontmatter is skipped, a rule at its top is not taken for one, and lines are its own", () => {
  const { chunks, diagnostics } = chunk(pack);
  const seen = chunks
    .slice(1)
    .map(({ id, path, startLine, endLine }) => ({ id, path, lines: [startLine, endLine] }));
  expect(seen).toEqual([
    { id: "references/winds.md#0", path: [], lines: [1, 5] },
    { id: "references/winds.md#1", path: ["Winds"], lines: [7, 9] },
    { id: "references/ports.md#0", path: [], lines: [5, 5] },
    { id: "references/ports.md#1", path: ["Ports", "North"], lines: [9, 11] },
    { id: "references/ports.md#2", path: ["Ports", "South"], lines: [13, 15] },
    { id: "references/drawn.md#0", path: ["Drawn"], lines: [1, 3] },
  ]);
  expect(diagnostics).toEqual([]);
});

test("a skill whose frontmatter never closes has no chunk, no unit, and says why", () => {
  const chunks = chunk({ "SKILL.md": "---\nname: tide\n\n# Tide\n\nText.\n" });
  expect(chunks.chunks).toEqual([]);
  expect(chunks.units).toEqual([]);
  expect(chunks.diagnostics.map(({ code }) => code)).toEqual(["frontmatter-unclosed"]);
});
