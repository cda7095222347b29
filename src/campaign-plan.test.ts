import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { analysisSettingsSchema } from "./artefacts/analysis.ts";
import { benchmarkFrom } from "./artefacts/benchmark.ts";
import type { Leak } from "./artefacts/gate.ts";
import { type PlanFindings, planOf } from "./campaign-plan.ts";
import { UserError } from "./errors.ts";
import { CampaignStore } from "./store/campaign.ts";
import { answerBundle, passedGate, sampleInputs } from "./testing/benchmark.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-plan-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const findings: PlanFindings = {
  image: { id: "sha256:0", recipe: "r", base: "packages" },
  endpoints: [],
  standIn: false,
  replay: null,
  leaky: "include" as const,
  analysis: null,
  sections: [],
};

test("a plan names the kinds of leaks that the gate found in its benchmarks, each once", async () => {
  const leak = (kind: Leak["kind"], passage: string): Leak => ({
    kind,
    from: "task.md",
    to: "skill/SKILL.md",
    passage,
  });
  const benchmarks = ["one", "two"].map((id) => {
    const bundle = answerBundle(id);
    const leaks = id === "one" ? [leak("told", "a"), leak("how", "b"), leak("how", "c")] : [];
    return benchmarkFrom("sample", bundle, { ...passedGate(bundle), leaks });
  });
  const store = new CampaignStore(folder);
  const plan = await planOf(sampleInputs(), benchmarks, findings, store);
  expect(plan.benchmarks.map(({ benchmark, leaks }) => [benchmark, leaks])).toEqual([
    ["one", ["how", "told"]],
    ["two", []],
  ]);
  expect(await store.readPlan()).toEqual(plan);
});

test("a plan that was edited after freezing is refused, also where the YAML was made to fit", async () => {
  const settings = analysisSettingsSchema.parse({});
  const store = new CampaignStore(folder);
  await planOf(sampleInputs(), [], { ...findings, analysis: settings }, store);
  const text = await readFile(store.planFile, "utf8");
  await writeFile(store.planFile, text.replace('"delta": 0.1,', '"delta": 0.3,'));
  const loose = { ...findings, analysis: { ...settings, delta: 0.3 } };
  const again = planOf(sampleInputs(), [], loose, new CampaignStore(folder));
  await expect(again).rejects.toThrow(/plan\.json: changed since it was frozen \(line 1 of evidence\.jsonl/);
  // Killed before its first line of evidence: the plan is as good as ever.
  await rm(join(folder, "evidence.jsonl"));
  expect((await planOf(sampleInputs(), [], loose, new CampaignStore(folder))).analysis?.delta).toBe(0.3);
});

const analysis = analysisSettingsSchema.parse({});
const looks = { count: 2, boundary: "pocock", trials: 4 };
test.each<[string, Partial<PlanFindings>, string]>([
  ["another level", { analysis: { ...analysis, alpha: 0.1 } }, "  analysis.alpha: 0.05 → 0.1"],
  ["another side", { analysis: { ...analysis, sides: 1 } }, "  analysis.sides: 2 → 1"],
  ["looks", { analysis: analysisSettingsSchema.parse({ looks }) }, "  analysis.looks: null → "],
  ["no hypothesis", { analysis: null }, "  analysis: {"],
  ["leaky benchmarks left out", { leaky: "exclude" }, '  leaky: "include" → "exclude"'],
])("a frozen plan refuses %s, whatever was made by then", async (_name, over, words) => {
  const store = new CampaignStore(folder);
  const frozen = await planOf(sampleInputs(), [], { ...findings, analysis }, store);
  const again = planOf(sampleInputs(), [], { ...findings, analysis, ...over }, store);
  await expect(again).rejects.toThrow(words);
  await expect(again).rejects.toThrow(UserError);
  expect(await planOf(sampleInputs(), [], { ...findings, analysis }, store)).toEqual(frozen);
});
