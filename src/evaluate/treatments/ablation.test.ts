import { expect, test } from "vitest";
import { clustersSchema } from "../../artefacts/clusters.ts";
import { chunkSkill, defaultChunkSettings } from "../../chunk/chunk-skill.ts";
import { outlineSkill } from "../../chunk/outline.ts";
import { UserError } from "../../errors.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { countTokens } from "../../tokens.ts";
import { ablated, partsToAblate, type SkillParts } from "./ablation.ts";
import { type Deliverable, deliverableOf, markdownOf } from "./deliverable.ts";

const markdown = `---
name: tide
description: Reads tides.
---

# Tide

Intro, see [winds](references/winds.md).

## Read

Read it.

### Examples

An example of reading.

## Write

### Examples

An example of writing.

## Ports

Ports are here.
`;
const winds = "# Winds\n\nWest wind.\n\n## East\n\nEast wind.\n";

type Sections = Readonly<Record<string, readonly string[]>>;

/** A skill whose clusters hold the chunks with these titles. */
function skillOf(files: Readonly<Record<string, string>>, sections: Sections = {}) {
  const source = { id: "tide", tree: treeOf(files) };
  const outline = outlineSkill(source);
  const chunks = chunkSkill(source, { ...defaultChunkSettings, foldBelowTokens: 0 });
  const clusters = Object.entries(sections).map(([id, paths], index) => ({
    ...{ index, id, tokens: 1, boilerplate: false, selected: null, notSelected: null },
    units: chunks.units.filter(({ path }) => paths.includes(path.join(" > "))).map((unit) => unit.id),
  }));
  const clustered = { chunks, clusters: clustersSchema.shape.clusters.parse(clusters) };
  const parts: SkillParts = {
    outline,
    clustered: { chunks, clusters: { ...emptyClusters, clusters: clustered.clusters } },
  };
  return { skill: deliverableOf("tide", source.tree, outline), parts };
}

const emptyClusters = clustersSchema.parse({
  format: "skillproof/clusters@1",
  skill: "tide",
  unitsHash: "",
  embedding: { provider: "lexical", model: "lsa", dimensions: 1, vectorHash: "" },
  settings: { seed: 1, kMin: 2, kMax: 3, benchmarks: 1, duplicateCosine: 1, minClusterTokens: 0 },
  ...{
    method: "k-means",
    k: 1,
    structure: null,
    sweep: [],
    duplicates: [],
    leftOut: [],
    clusters: [],
    warnings: [],
  },
});

const files = { "SKILL.md": markdown, "references/winds.md": winds, "run.sh!": "#!/bin/sh\n" };
const tide = skillOf(files, {
  "read-examples": ["Tide > Read", "Tide > Read > Examples"],
  "only-read": ["Tide > Read"],
  intro: ["Tide"],
  "winds-and-ports": ["Winds", "Tide > Ports"],
  all: ["Tide", "Tide > Read", "Tide > Read > Examples", "Tide > Write > Examples", "Tide > Ports"],
  written: ["Tide > Write > Examples"],
  nothing: [],
});

function textIn({ files: tree }: Deliverable, path: string): string {
  const entry = tree.find((one) => one.path === path);
  if (entry?.kind !== "file") throw new Error(`no ${path}`);
  return new TextDecoder().decode(entry.bytes);
}

test.each([
  ["Read", "## Read\n\nRead it.\n\n### Examples\n\nAn example of reading.\n\n"],
  ["## read ", "## Read\n\nRead it.\n\n### Examples\n\nAn example of reading.\n\n"],
  ["Tide > Read > Examples", "### Examples\n\nAn example of reading.\n\n"],
  ["tide > write > examples", "### Examples\n\nAn example of writing.\n\n"],
  ["Read > Examples", "### Examples\n\nAn example of reading.\n\n"],
  ["tide > ports", "## Ports\n\nPorts are here.\n"],
  ["Write", "## Write\n\n### Examples\n\nAn example of writing.\n\n"],
  ["Ports", "## Ports\n\nPorts are here.\n"],
])("without %s, all else stays as it was", (of, gone) => {
  const { skill, ablation } = ablated(tide.skill, of, tide.parts);
  expect(markdown.split(gone)).toHaveLength(2);
  expect(markdownOf(skill)).toBe(markdown.replace(gone, ""));
  expect(skill.files.filter(({ path }) => path !== "SKILL.md")).toEqual(
    tide.skill.files.filter(({ path }) => path !== "SKILL.md"),
  );
  expect(ablation).toMatchObject({ of, kind: "section" });
  expect(ablation.cuts.map(({ tokens }) => tokens)).toEqual([countTokens(gone)]);
});

test.each<[of: string, gone: string[], elsewhere: string[]]>([
  ["read-examples", ["## Read", "### Examples", "An example of reading.", "Read it."], []],
  // The heading stays, or its sub-section would belong to another.
  ["only-read", ["Read it."], []],
  ["intro", ["Intro, see [winds](references/winds.md)."], []],
  ["winds-and-ports", ["## Ports", "Ports are here."], ["West wind."]],
  // A heading below which nothing is left goes too.
  ["written", ["## Write", "### Examples", "An example of writing."], []],
])("without the cluster %s all its sections are gone, wherever they stand", (of, gone, elsewhere) => {
  const { skill, ablation } = ablated(tide.skill, of, tide.parts);
  expect(ablation.kind).toBe("cluster");
  for (const [path, lines] of [
    ["SKILL.md", gone],
    ["references/winds.md", elsewhere],
  ] as const) {
    const lost = textIn(tide.skill, path)
      .split("\n")
      .filter((line) => line !== "");
    for (const line of textIn(skill, path).split("\n")) if (line !== "") lost.splice(lost.indexOf(line), 1);
    expect(lost.sort()).toEqual(lines);
  }
});

test("an underlined heading whose sub-section stays keeps its underline", () => {
  const { skill, parts } = skillOf(
    { "SKILL.md": "Tide\nand more\n===\n\nText.\n\n## A\n\nx\n" },
    { top: ["Tide and more"] },
  );
  expect(markdownOf(ablated(skill, "top", parts).skill)).toBe("Tide\nand more\n===\n## A\n\nx\n");
});

test("line ends, a byte order mark and bytes that are no UTF-8 survive", () => {
  const bytes = Buffer.from("\uFEFF# T\r\n\r\nx \r\n## A\r\n\r\ny\r\n## B\r\nz\xff\r", "latin1");
  const tree = [{ kind: "file" as const, path: "SKILL.md", mode: 0o644, bytes }];
  const outline = outlineSkill({ id: "t", tree });
  const { skill } = ablated(deliverableOf("t", tree, outline), "A", { outline, clustered: null });
  expect(skill.files).toEqual([
    { ...tree[0], bytes: Buffer.from("\uFEFF# T\r\n\r\nx \r\n## B\r\nz\xff\r", "latin1") },
  ]);
});

test.each([
  ["Raed", /no heading and no cluster is called "Raed"\. Did you mean "Read"\?/],
  ["read-exmples", /Did you mean "read-examples"\?/],
  ["Something else entirely", /There are: Tide; Read; Tide > Read > Examples; .*; only-read/],
  [
    "Examples",
    /several headings are called "Examples"\. Write one of: Tide > Read > Examples; Tide > Write > Examples/,
  ],
  ["Ports > Examples", /no heading and no cluster is called "Ports > Examples"/],
  ["Tide", /"Tide" is all that SKILL\.md says/],
  ["all", /cluster all is all that SKILL\.md says/],
  ["nothing", /cluster nothing has no section/],
])("%s cannot be left out", (of, message) => {
  const refused = (): unknown => ablated(tide.skill, of, tide.parts);
  expect(refused).toThrow(UserError);
  expect(refused).toThrow(message);
});

test("sections of a cluster that changed since are not cut by their old lines", () => {
  const edited = skillOf({ ...files, "SKILL.md": markdown.replace("Read it.", "Read it now.") });
  const parts = { ...tide.parts, outline: edited.parts.outline };
  expect(() => ablated(edited.skill, "only-read", parts)).toThrow(
    /SKILL\.md changed since .* skillproof build/,
  );
});

test("a heading on the line that closes the frontmatter", () => {
  const { skill, parts } = skillOf({ "SKILL.md": "---\nname: t\n---# A\n\nx\n\n# B\n\ny\n" });
  expect(() => ablated(skill, "A", parts)).toThrow(/shares the line of the closing ---/);
  expect(markdownOf(ablated(skill, "B", parts).skill)).toBe("---\nname: t\n---# A\n\nx\n\n");
});

test("what can be left out one by one", () => {
  expect(partsToAblate(tide.skill, "section", tide.parts)).toEqual([
    ...["Read", "Tide > Read > Examples", "Write", "Tide > Write > Examples", "Ports"],
  ]);
  expect(partsToAblate(tide.skill, "cluster", tide.parts)).toEqual([
    ...["read-examples", "only-read", "intro", "winds-and-ports", "written"],
  ]);
  for (const each of ["section", "cluster"] as const) {
    for (const name of partsToAblate(tide.skill, each, tide.parts)) {
      expect(markdownOf(ablated(tide.skill, name, tide.parts).skill).length).toBeLessThan(markdown.length);
    }
  }
});

test("headings of the same name under the same parent are numbered", () => {
  const { skill, parts } = skillOf({ "SKILL.md": "# T\n\n## A\n\none\n\n## A\n\ntwo\n\n##\n\nthree\n" });
  expect(partsToAblate(skill, "section", parts)).toEqual(["T > A", "T > A #2", "T > "]);
  expect(markdownOf(ablated(skill, "T > A #2", parts).skill)).toBe("# T\n\n## A\n\none\n\n##\n\nthree\n");
});

test("a skill that was never built has no clusters to leave out", () => {
  const parts = { ...tide.parts, clustered: null };
  expect(() => partsToAblate(tide.skill, "cluster", parts)).toThrow(/Run: skillproof build/);
  expect(() => ablated(tide.skill, "intro", parts)).toThrow(UserError);
});
