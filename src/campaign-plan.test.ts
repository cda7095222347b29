import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { benchmarkFrom } from "./artefacts/benchmark.ts";
import type { Leak } from "./artefacts/gate.ts";
import { type PlanFindings, planOf } from "./campaign-plan.ts";
import { CampaignStore } from "./store/campaign.ts";
import { answerBundle, passedGate, sampleInputs } from "./testing/benchmark.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-plan-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
  const findings: PlanFindings = {
    image: { id: "sha256:0", recipe: "r", base: "packages" },
    endpoints: [],
    standIn: false,
    replay: null,
    leaky: "include" as const,
    analysis: null,
    sections: [],
  };
  const store = new CampaignStore(folder);
  const plan = await planOf(sampleInputs(), benchmarks, findings, store);
  expect(plan.benchmarks.map(({ benchmark, leaks }) => [benchmark, leaks])).toEqual([
    ["one", ["how", "told"]],
    ["two", []],
  ]);
  expect(await store.readPlan()).toEqual(plan);
});
