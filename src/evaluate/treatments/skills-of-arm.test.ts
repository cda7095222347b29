import { expect, test } from "vitest";
import { type ArmTreatment, armsSchema } from "../../artefacts/arm.ts";
import { placeboRecordSchema } from "../../artefacts/placebo.ts";
import { outlineSkill } from "../../chunk/outline.ts";
import { UserError } from "../../errors.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { markdownOf } from "./deliverable.ts";
import { type ArmMaterial, skillsOfArm } from "./skills-of-arm.ts";

const words = "Tides are read from the table of the harbour at the beginning of each watch. ".repeat(8);
const markdown = `---\nname: tide\ndescription: Reads the tides of a harbour.\n---\n\n# Tide\n\n${words}\n\n## Read\n\nRead.\n`;

function folder(id: string, text: string) {
  return { id, files: treeOf({ "SKILL.md": text, "a.sh!": "#!/bin/sh\necho a\n" }) };
}

const material: ArmMaterial = {
  skill: folder("tide", markdown),
  packs: new Map([
    ["skills/a", folder("a", "# A\n")],
    ["skills/b", folder("b", "# B\n")],
  ]),
  versions: new Map([["v1", { commit: "c0ffee", files: folder("tide", "# Old\n").files }]]),
  clustered: null,
  outline: ({ id, files }) => outlineSkill({ id, tree: files }),
};

/** `name: first line of the text below the frontmatter` of each skill. */
function skillsOf(treatment: ArmTreatment): string[] {
  return skillsOfArm(treatment, material).skills.map((skill) => {
    const body = markdownOf(skill).replace(/^---\n.*?\n---\n+/s, "");
    return `${skill.name}: ${body.split("\n")[0] ?? ""}`;
  });
}

test.each<[treatment: ArmTreatment, skills: string[]]>([
  [{ kind: "without_skill" }, []],
  [{ kind: "with_skill" }, ["tide: # Tide"]],
  [{ kind: "pack", folders: ["skills/b", "skills/a"] }, ["b: # B", "a: # A"]],
  // An old version is called as the new one is: the arms differ by the files alone.
  [{ kind: "version", ref: "v1" }, ["tide: # Old"]],
  [{ kind: "ablation", of: "Read" }, ["tide: # Tide"]],
])("%j delivers %j", (treatment, skills) => {
  expect(skillsOf(treatment)).toEqual(skills);
});

test("what there is to keep as evidence", () => {
  const evidence = (treatment: ArmTreatment) => skillsOfArm(treatment, material).evidence;
  expect(evidence({ kind: "with_skill" })).toBeNull();
  expect(evidence({ kind: "version", ref: "v1" })).toEqual({ kind: "version", ref: "v1", commit: "c0ffee" });
  expect(evidence({ kind: "ablation", of: "Read" })).toMatchObject({
    ablation: { of: "Read", cuts: [{ title: "Read", fromLine: 10, toLine: 13 }] },
  });
  const placebo = evidence({ kind: "placebo" });
  expect(placebo?.kind).toBe("placebo");
  if (placebo?.kind === "placebo") expect(placeboRecordSchema.parse(placebo.record).passed).toBe(true);
});

test("an arm that cannot be made of this skill says so", () => {
  const none = {
    ...material,
    skill: folder("tide", "# A\n# B\n# C\n# D\n# E\n# F\n# G\n# H\n# I\n# J\n#\n#\n#\n#\n"),
  };
  expect(() => skillsOfArm({ kind: "placebo" }, none)).toThrow(UserError);
  expect(() => skillsOfArm({ kind: "ablation", of: "Raed" }, material)).toThrow(/Did you mean "Read"/);
  expect(() => skillsOfArm({ kind: "pack", folders: ["skills/c"] }, material)).toThrow(
    /skills\/c was not read/,
  );
});

test("an arm repeated for A/A delivers the same", () => {
  const [first, again] = armsSchema
    .parse(["with_skill", "with_skill@again"])
    .map(({ treatment }) => treatment);
  if (first?.kind !== "with_skill" || again?.kind !== "with_skill") throw new Error("two arms were expected");
  expect(skillsOfArm(again, material)).toEqual(skillsOfArm(first, material));
});
