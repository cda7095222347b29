import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashJson } from "../hash.ts";
import { foundCampaign } from "../testing/found-campaign.ts";
import { hashPlan } from "./hash-plan.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hash-plan-"));
});
afterAll(() => rm(folder, { recursive: true }));

const { plan } = foundCampaign();
const { trials, ...others } = plan;
const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

test.each<[string, string]>([
  ["as it is written", written(plan)],
  ["without trials", written({ ...plan, trials: [] })],
  ["its trials first", written({ trials, ...others })],
  ["with members of another version", written({ zebra: { b: 1, a: [2] }, 7: "first", ...plan, also: null })],
  ["with members in its trials", written({ ...plan, trials: plan.trials.map((one) => ({ z: 1, ...one })) })],
  ["in one line", JSON.stringify(plan)],
  ["indented by four", JSON.stringify(plan, null, 4)],
  ["named like its list", written({ ...plan, extra: { trials: ["the list of trials, taken out"] } })],
  ["with its list twice", written(plan).replace('"trials": [', '"trials": [],\n  "trials": [')],
])("the hash of a plan %s is that of its canonical JSON", async (_how, text) => {
  const path = join(folder, "plan.json");
  await writeFile(path, text);
  expect(await hashPlan(path)).toBe(hashJson(JSON.parse(text)));
});

test.each<[string, string]>([
  ["is no JSON", written(plan).replace("{", "")],
  ["ends in its list", written(plan).slice(0, written(plan).indexOf('"seed"', 4000))],
  ["has a comma too many", written(plan).replace(/\}\n {2}\]\n\}\n$/, "},\n  ]\n}\n")],
  ["has something behind its end", `${written(plan)}x`],
  ["lacks a comma", written(plan).replace("    },\n    {", "    }\n    {")],
])("a plan that %s has none", async (_what, text) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  const path = join(folder, "plan.json");
  await writeFile(path, text);
  expect(await hashPlan(path)).toBeNull();
  expect(await hashPlan(join(folder, "none.json"))).toBeNull();
});
