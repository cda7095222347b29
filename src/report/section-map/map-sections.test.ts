import { expect, test } from "vitest";
import { type ArmRecord, armRecordSchema } from "../../artefacts/arm-record.ts";
import { analysisSettingsSchema } from "../../artefacts/analysis.ts";
import type { Cell } from "../../artefacts/report.ts";
import type { SectionNote } from "../../artefacts/section-map.ts";
import { ablated } from "../../evaluate/treatments/ablation.ts";
import { deliverableOf } from "../../evaluate/treatments/deliverable.ts";
import { outlineSkill } from "../../chunk/outline.ts";
import { cellOf, keptOf, sectionedSkill } from "../../testing/sectioned-skill.ts";
import { headingsOf, mapSections } from "./map-sections.ts";

const markdown =
  "# Tide\n\n## Overview\n\nAbout.\n\n## Read\n\nRead.\n\n### Deep\n\nDeep.\n\n## Write\n\nWrite.\n";
const tide = sectionedSkill(
  { "SKILL.md": markdown },
  {
    read: ["Tide > Overview", "Tide > Read", "Tide > Read > Deep"],
    write: ["Tide > Write"],
  },
);

/** As a campaign keeps what an ablation left out. */
function armWithout(of: string, arm: string): ArmRecord {
  const outline = outlineSkill(tide.skill);
  const skill = deliverableOf("tide", tide.skill.tree, outline);
  const { ablation } = ablated(skill, of, { outline, clustered: tide });
  return armRecordSchema.parse({
    ...{ format: "skillproof/arm@1", skill: "tide", arm, treatment: { kind: "ablation", of } },
    ...{ delivery: "inject", delivered: "d", prompt: "p", tokenizer: "t", tokens: 1, skills: [] },
    evidence: { kind: "ablation", ablation },
  });
}

function mapOf(cells: readonly Cell[], arms: readonly ArmRecord[] = [], benchmarks = ["read", "write"]) {
  const kept = keptOf(tide, benchmarks, arms);
  const [map] = mapSections([{ skill: "tide", kept, missing: null }], cells, { analysis: null });
  if (map === undefined) throw new Error("no map");
  const named = (name: string) => {
    const found = map.sections.find((section) => section.name === name);
    if (found === undefined) throw new Error(`no section ${name}`);
    return found;
  };
  return { map, named };
}

type Of = readonly [number, number];
const rows: readonly (readonly [string, Of, Of, SectionNote])[] = [
  ["an effect that is not in doubt", [10, 10], [1, 10], "carries"],
  ["harm that is not in doubt", [1, 10], [10, 10], "hurts"],
  ["a large difference of few trials", [2, 2], [0, 2], "cannot_tell"],
  ["three against three, all that can be", [3, 3], [0, 3], "cannot_tell"],
  ["four against four, all that can be", [4, 4], [0, 4], "carries"],
  ["no difference, of few trials", [5, 10], [5, 10], "cannot_tell"],
  ["no difference, of many trials", [500, 1000], [500, 1000], "no_effect_seen"],
  ["a difference that is sure and too small to matter", [5300, 10_000], [5000, 10_000], "no_effect_seen"],
  ["no verdict in an arm", [0, 0], [5, 10], "not_tested"],
];
test.each(rows)("the note follows from the interval: %s", (_what, treated, control, note) => {
  const { named } = mapOf([cellOf("write", { with_skill: treated, without_skill: control })]);
  expect(named("Write").note).toBe(note);
  expect(named("Write").basis).toBe(note === "not_tested" ? null : "benchmarks");
});

test("a section that no benchmark touches is not tested, whatever the others show", () => {
  const { named } = mapOf([cellOf("write", { with_skill: [10, 10], without_skill: [0, 10] })], [], ["write"]);
  expect(named("Read")).toMatchObject({ note: "not_tested", basis: null, uplift: null, ablation: null });
});

test("tokens and their shares add up to all sections of the skill", () => {
  const { map } = mapOf([]);
  expect(map.tokens).toBe(map.sections.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(map.sections.reduce((sum, { share }) => sum + (share ?? 0), 0)).toBeCloseTo(1, 12);
  expect(map.sections.map(({ clusterSections }) => clusterSections)).toEqual([3, 3, 3, 1]);
});

test("an ablation is held against the whole skill, on the section's own benchmarks and on all", () => {
  const cells = [
    cellOf("read", { with_skill: [9, 10], without_skill: [0, 10], "ablation-write": [9, 10] }),
    cellOf("write", { with_skill: [10, 10], without_skill: [9, 10], "ablation-write": [0, 10] }),
  ];
  const { named } = mapOf(cells, [armWithout("Write", "ablation-write")]);
  expect(named("Write")).toMatchObject({
    note: "carries",
    basis: "ablation",
    uplift: { difference: expect.closeTo(0.1, 12) as unknown },
    ablation: {
      ...{ arm: "ablation-write", of: "Write", sections: 1 },
      own: {
        difference: 1,
        with: { passed: 10, graded: 10, planned: 10 },
        without: { passed: 0, graded: 10, planned: 10 },
      },
      all: { difference: 0.5, cells: 2, with: { passed: 19, graded: 20, planned: 20 } },
    },
  });
  expect(named("Read")).toMatchObject({ ablation: null, basis: "benchmarks" });
});

test("of several ablations with a section the one that leaves out the least counts, in any order of arms", () => {
  const arms = [
    armWithout("read", "of-cluster"),
    armWithout("Read", "of-parent"),
    armWithout("Deep", "of-deep"),
  ];
  const cells = [cellOf("read", { with_skill: [9, 10], "of-deep": [8, 10] })];
  for (const order of [arms, [...arms].reverse()]) {
    const { named } = mapOf(cells, order);
    const told = ["Overview", "Read", "Deep", "Write"].map((name) => {
      const { ablation } = named(name);
      return [ablation?.arm, ablation?.sections];
    });
    expect(told).toEqual([
      ["of-cluster", 3],
      ["of-parent", 2],
      ["of-deep", 1],
      [undefined, undefined],
    ]);
  }
});

test("an ablation without a graded trial leaves the note to the benchmarks", () => {
  const cells = [cellOf("write", { with_skill: [10, 10], without_skill: [0, 10], "ablation-write": [0, 0] })];
  const { named } = mapOf(cells, [armWithout("Write", "ablation-write")]);
  expect(named("Write")).toMatchObject({ note: "carries", basis: "benchmarks" });
  expect(named("Write").ablation?.own).toMatchObject({ difference: null, cells: 0, cellsPlanned: 1 });
});

test("an arm of one skill says nothing about another, nor do its cells", () => {
  const arms = [armWithout("Write", "ablation-write")];
  const found = [
    { skill: "tide", kept: keptOf(tide, ["write"], arms), missing: null },
    { skill: "other", kept: { ...keptOf(tide, ["write"]), skill: "other" }, missing: null },
  ];
  const cells = [
    cellOf("write", { with_skill: [10, 10], without_skill: [0, 10], "ablation-write": [0, 10] }),
    cellOf("write", { with_skill: [5, 10], without_skill: [5, 10] }, { skill: "other" }),
  ];
  const maps = mapSections(found, cells, { analysis: null });
  expect(maps.map(({ skill, sections }) => [skill, sections.at(-1)?.ablation?.arm ?? null])).toEqual([
    ["tide", "ablation-write"],
    ["other", null],
  ]);
  expect(maps.map(({ sections }) => sections.at(-1)?.note)).toEqual(["carries", "cannot_tell"]);
});

test("margin, confidence and control are those that the plan froze", () => {
  const analysis = analysisSettingsSchema.parse({
    alpha: 0.2,
    delta: 0.3,
    comparisons: [
      { arm: "placebo", against: "without_skill" },
      { arm: "with_skill", against: "version-1" },
    ],
  });
  const kept = keptOf(tide, ["write"]);
  const cells = [cellOf("write", { with_skill: [10, 10], "version-1": [10, 10], without_skill: [0, 10] })];
  const [map] = mapSections([{ skill: "tide", kept, missing: null }], cells, { analysis });
  expect(map).toMatchObject({ confidence: 0.8, delta: 0.3 });
  expect(map?.comparison).toEqual({ arm: "with_skill", against: "version-1" });
  expect(map?.sections.at(-1)).toMatchObject({ note: "no_effect_seen", uplift: { difference: 0 } });
});

test("a skill without sections keeps its place and says why", () => {
  const found = [{ skill: "tide", kept: null, missing: "not_built" as const }];
  const [map] = mapSections(found, [cellOf("write", {})], { analysis: null });
  expect(map).toMatchObject({ missing: "not_built", sections: [], benchmarks: ["write"] });
});

test("a benchmark is named by its sections, those about the skill itself left out while others remain", () => {
  const headings = headingsOf([{ skill: "tide", kept: keptOf(tide, ["read", "write"]), missing: null }]);
  expect(headings("tide", "read")).toEqual(["Read", "Deep"]);
  expect(headings("tide", "write")).toEqual(["Write"]);
  expect([headings("tide", "other"), headings("nobody", "read")]).toEqual([[], []]);
});
