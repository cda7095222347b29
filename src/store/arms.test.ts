import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ArmRecord, armRecordFormat } from "../artefacts/arm-record.ts";
import { UserError } from "../errors.ts";
import { tokenizer } from "../tokens.ts";
import { keepArms, readArm } from "./arms.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-arms-"));
});
afterAll(() => rm(folder, { recursive: true }));

function record(arm: string, over: Partial<ArmRecord> = {}): ArmRecord {
  return {
    ...{ format: armRecordFormat, skill: "sample", arm, delivery: "inject", tokenizer, tokens: 0 },
    treatment: { kind: "without_skill" },
    ...{ delivered: null, prompt: null, skills: [], evidence: null },
    ...over,
  };
}

test("what an arm gave is kept once: a later start finds what the trials got", async () => {
  const branch = { kind: "version", ref: "main" } as const;
  const first = record("version-main", { treatment: branch, evidence: { ...branch, commit: "1" } });
  await keepArms(folder, [record("without_skill@again"), first]);
  await keepArms(folder, [record("without_skill@again"), { ...first, evidence: { ...branch, commit: "2" } }]);
  expect(await readArm(folder, first)).toEqual(first);
  expect((await readdir(join(folder, "arms/sample"))).sort()).toEqual([
    ...["version-main.json", "without_skill@again.json"],
  ]);
  expect(await readArm(folder, { skill: "sample", arm: "placebo" })).toBeNull();
});

test("one that was cut off is named and not written over", async () => {
  const file = join(folder, "arms/sample/version-main.json");
  await writeFile(file, '{"format":');
  await expect(keepArms(folder, [record("version-main")])).rejects.toThrow(UserError);
  await expect(keepArms(folder, [record("version-main")])).rejects.toThrow("arms/sample/version-main.json");
  expect(await readFile(file, "utf8")).toBe('{"format":');
});
