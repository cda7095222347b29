import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { plannedSectionsSchema } from "../artefacts/section-map.ts";
import { hashJson } from "../hash.ts";
import { keptOf, sectionedSkill } from "../testing/sectioned-skill.ts";
import { findSections, keepSections } from "./sections.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-kept-sections-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const kept = keptOf(sectionedSkill({ "SKILL.md": "# Tide\n\nText.\n" }));
const planned = { skill: "tide", hash: hashJson(kept), missing: null };

test("what was kept is found again", async () => {
  await keepSections(folder, kept);
  expect(await findSections(folder, planned)).toEqual({ skill: "tide", kept, missing: null });
});

test.each<[string, string | null]>([
  ["gone", null],
  ["edited", JSON.stringify({ ...kept, byName: ["other"] })],
  ["given a member that this version does not know", JSON.stringify({ ...kept, more: 1 })],
  ["half a file", JSON.stringify(kept).slice(0, 20)],
])("what is not what the plan froze is none: %s", async (_what, text) => {
  await keepSections(folder, kept);
  const file = join(folder, "sections", "tide.json");
  if (text === null) await rm(file);
  else await writeFile(file, text);
  expect(await findSections(folder, planned)).toEqual({ skill: "tide", kept: null, missing: "changed" });
});

test("where the plan has none, none is looked for", async () => {
  await keepSections(folder, kept);
  const without = { skill: "tide", hash: null, missing: "other_text" as const };
  expect(await findSections(folder, without)).toEqual({ skill: "tide", kept: null, missing: "other_text" });
});

test.each(["..", ".", "a/b", "..\\b", "a\0b", ""])(
  "a plan cannot lead out of the campaign's folder: %j",
  (skill) => {
    expect(plannedSectionsSchema.safeParse({ ...planned, skill }).success).toBe(false);
  },
);
