import { load } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { armIdSchema, armSpecSchema, armsSchema, gitRefSchema, slugOf } from "./arm.ts";

/** Problems of a list of arms, each with its place. */
function problems(yaml: string): string[] {
  const parsed = armsSchema.safeParse(load(yaml));
  return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test.each([
  ["without_skill", "without_skill", null, { kind: "without_skill" }],
  ["without_skill@again", "without_skill@again", "again", { kind: "without_skill" }],
  ["with_skill", "with_skill", null, { kind: "with_skill" }],
  ["placebo", "placebo", null, { kind: "placebo" }],
  ["{placebo: {}}", "placebo", null, { kind: "placebo" }],
  ["{placebo: {}, label: b}", "placebo@b", "b", { kind: "placebo" }],
  ["{pack: skills/a}", "pack-a", null, { kind: "pack", folders: ["skills/a"] }],
  ["{pack: [skills/a/, ../b c]}", "pack-a-b-c", null, { kind: "pack", folders: ["skills/a/", "../b c"] }],
  ["{pack: [..]}", "pack-folder", null, { kind: "pack", folders: [".."] }],
  ["{pack: [a], name: Mine}", "pack-Mine", null, { kind: "pack", folders: ["a"] }],
  ["{version: HEAD~2}", "version-head-2", null, { kind: "version", ref: "HEAD~2" }],
  ["{version: v1.2.0, label: x}", "version-v1.2.0@x", "x", { kind: "version", ref: "v1.2.0" }],
  ["{ablation: Ledger export}", "ablation-ledger-export", null, { kind: "ablation", of: "Ledger export" }],
  ["{ablation: every-section}", "ablation", null, { kind: "ablations", each: "section" }],
  ["{ablation: every-cluster}", "ablation", null, { kind: "ablations", each: "cluster" }],
])("%s is the arm %s", (yaml, id, label, treatment) => {
  const spec = armSpecSchema.parse(load(yaml));
  expect(spec).toEqual({ id, label, treatment });
  expect(armIdSchema.safeParse(spec.id).success).toBe(true);
});

test.each([
  ["[without_skill]", [": a campaign compares at least two arms"]],
  ["[]", [": a campaign compares at least two arms"]],
  [
    "[without_skill, with_skill, without_skill]",
    ["2: the same arm as number 1; to repeat one, give it a label: without_skill@again"],
  ],
  [
    "[without_skill, {placebo: {}}, placebo]",
    ["2: the same arm as number 2; to repeat one, give it a label: placebo@again"],
  ],
  [
    "[without_skill, {pack: [a], name: x}, {pack: a, name: y}]",
    ["2: the same arm as number 2; to repeat one, give it a label: label: again"],
  ],
  ["[without_skill, {pack: x/a}, {pack: y/A}]", ["2: called pack-a like number 2; give one of them a name"]],
  [
    "[without_skill, {pack: b, name: One}, {pack: c, name: one}]",
    ["2: called pack-one like number 2; give one of them a name"],
  ],
  ["[without_skill, {pack: []}]", ["1.pack: a pack needs at least one skill folder"]],
  ["[without_skill, {pack: [a, b, a]}]", ["1.pack: names a more than once"]],
  ["[without_skill, {pack: 3}]", ["1: pack: expected a skill folder, or a list of skill folders"]],
  ["[without_skill, {ablation: '  '}]", ["1.ablation: an ablation names a heading or a cluster"]],
  ["[without_skill, {version: -x}]", ["1.version: expected one git ref: a tag, a branch or a commit"]],
  ["[without_skill, {}]", ["1: an arm names one of placebo, pack, version, ablation; here: none"]],
  [
    "[without_skill, {pack: a, version: v1}]",
    ["1: an arm names one of placebo, pack, version, ablation; here: pack and version"],
  ],
  ["[without_skill, {pack: a, name: ../b}]", [expect.stringMatching(/^1\.name: a name has letters/)]],
  ["[without_skill, {pack: a, label: ''}]", [expect.stringMatching(/^1\.label: a label has letters/)]],
  [
    "[without_skill, with_skil]",
    [expect.stringMatching(/^1: an arm is without_skill, with_skill or placebo/)],
  ],
  ["[without_skill, with_skill@]", [expect.stringMatching(/^1: an arm is without_skill/)]],
  ["[without_skill, with_skill@a/b]", [expect.stringMatching(/^1: an arm is without_skill/)]],
  ["[without_skill, 7]", [expect.stringMatching(/^1: an arm is a text .* or an object/)]],
  ["[without_skill, null]", [expect.stringMatching(/^1: an arm is a text .* or an object/)]],
  ["[without_skill, {pack: a, packs: a}]", [expect.stringMatching(/^1: .*packs/)]],
])("%s is refused", (yaml, expected) => {
  expect(problems(yaml)).toEqual(expected);
});

test("all problems are named at once", () => {
  expect(problems("[7, with_skill, with_skill, {pack: []}]").map((words) => words.split(":")[0])).toEqual([
    "0",
    "3.pack",
    "2",
  ]);
});

test("an A/A campaign has two arms", () => {
  expect(armsSchema.parse(["without_skill", "without_skill@again"]).map(({ id }) => id)).toEqual([
    "without_skill",
    "without_skill@again",
  ]);
});

test.each([
  ["Ledger export", "ledger-export"],
  ["  C++ & more!", "c-more"],
  ["Über Café", "uber-cafe"],
])("the slug of %s is %s", (text, slug) => {
  expect(slugOf(text)).toBe(slug);
});

test.each([
  "数据清洗",
  "数据",
  "!!!",
  "a".repeat(300),
  `${"a".repeat(300)}b`,
  "Mixed 数据",
  "..",
  "../..",
  "",
])("the slug of %j is safe, bounded and its own", (text) => {
  const slug = slugOf(text);
  expect(armIdSchema.safeParse(slug).success).toBe(true);
  expect(slug.length).toBeLessThan(60);
  expect(slugOf(`${text}x`)).not.toBe(slug);
});

test.each([
  ["main", true],
  ["feature/a.b", true],
  ["v1.0^", true],
  ["HEAD~3", true],
  ["größe", true],
  ["main@{1}", true],
  ["a..b", false],
  ["--upload-pack=x", false],
  ["HEAD:SKILL.md", false],
  ["a b", false],
  ["a\0b", false],
  ["a\nb", false],
  ["", false],
])("%j is a git ref: %s", (ref, sound) => {
  expect(gitRefSchema.safeParse(ref).success).toBe(sound);
});

test("editors get a schema of what may be written", () => {
  const schema = JSON.stringify(z.toJSONSchema(armsSchema, { io: "input" }));
  for (const word of ["placebo", "pack", "version", "ablation", "minItems"]) expect(schema).toContain(word);
});
