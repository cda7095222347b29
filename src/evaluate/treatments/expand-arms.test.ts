import { expect, test } from "vitest";
import { armIdSchema, armsSchema } from "../../artefacts/arm.ts";
import { outlineSkill } from "../../chunk/outline.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { deliverableOf } from "./deliverable.ts";
import { expandArms } from "./expand-arms.ts";

function expand(arms: readonly unknown[], markdown: string): string[] {
  const tree = treeOf({ "SKILL.md": markdown });
  const outline = outlineSkill({ id: "tide", tree });
  const skill = deliverableOf("tide", tree, outline);
  const resolved = expandArms(armsSchema.parse(arms), skill, { outline, clustered: null });
  for (const { id } of resolved) expect(armIdSchema.safeParse(id).success, id).toBe(true);
  expect(new Set(resolved.map(({ id }) => id.toLowerCase())).size).toBe(resolved.length);
  return resolved.map(
    ({ id, treatment }) => `${id}: ${treatment.kind === "ablation" ? treatment.of : treatment.kind}`,
  );
}

const markdown = "# Tide\n\n## Read C\n\nx\n\n## Read C++\n\ny\n\n## 读\n\nz\n";

test("every section becomes an arm of its own, told apart where titles differ in signs alone", () => {
  const arms = expand(["without_skill", { ablation: "every-section" }], markdown);
  expect(arms).toEqual([
    "without_skill: without_skill",
    "ablation-read-c: Read C",
    "ablation-read-c-2: Read C++",
    expect.stringMatching(/^ablation-[0-9a-f]{8}: 读$/),
  ]);
});

test("a part with an arm of its own is not left out twice, and names and labels are kept", () => {
  const many = { ablation: "every-section", name: "less", label: "b" };
  const own = { ablation: "Read C", label: "b" };
  expect(expand(["with_skill", own, many], markdown)).toEqual([
    "with_skill: with_skill",
    "ablation-read-c@b: Read C",
    "ablation-less-read-c@b: Read C++",
    expect.stringMatching(/^ablation-less-[0-9a-f]{8}@b: 读$/),
  ]);
});

test("other arms are as they were", () => {
  expect(expand(["without_skill", "without_skill@again", { pack: "a" }], markdown)).toEqual([
    ...["without_skill: without_skill", "without_skill@again: without_skill", "pack-a: pack"],
  ]);
});

test.each([
  ["# All\n\nx\n", "every-section", /SKILL\.md has no section that can be left out/],
  ["no heading\n", "every-section", /has no section/],
  [markdown, "every-cluster", /clusters are not known/],
])("%j has nothing to leave out for %s", (text, ablation, message) => {
  expect(() => expand(["without_skill", { ablation }], text)).toThrow(message);
});
