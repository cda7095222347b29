import { analysisSettingsSchema, type Comparison } from "../artefacts/analysis.ts";
import { type CampaignInputs, type Plan, planFormat } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { Timings } from "../artefacts/timings.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { type TrialRow, trialRowOf } from "../report/html/trial-row.ts";
import { makeReport } from "../report/make-report.ts";
import { makeTimings } from "../report/make-timings.ts";
import { moneyOf } from "../report/money.ts";
import type { TrialOnDisk } from "../report/outcome.ts";
import { randomFrom } from "../seed.ts";
import { sampleInputs } from "./benchmark.ts";
import { sampleCanary } from "./canaries.ts";
import { endedTrial, verdictOf } from "./trials.ts";

/** What a report's page is made from. */
export type PageCampaign = {
  readonly report: Report;
  readonly timings: Timings;
  readonly trials: readonly TrialRow[];
};

export type PageCampaignParts = {
  readonly skills?: readonly string[];
  readonly benchmarks?: readonly string[];
  readonly models?: readonly string[];
  readonly arms?: readonly string[];
  /** Per cell and arm. */
  readonly trials?: number;
  /** Null: no hypothesis. */
  readonly comparisons?: readonly Comparison[] | null;
  /** What became of a trial; by default an invented one that is the same on every machine. */
  readonly entryOf?: (planned: PlannedTrial) => Partial<TrialOnDisk>;
  readonly over?: Partial<Plan>;
};

/** A campaign that nobody carried out, with the report that the tool makes of it. */
export function pageCampaign(parts: PageCampaignParts = {}): PageCampaign {
  const { skills = ["sample"], arms = ["without_skill", "with_skill"], entryOf = invented } = parts;
  const { benchmarks = ["one", "two"], models = ["a/x", "b/y"], trials: repetitions = 3 } = parts;
  const { comparisons = [{ arm: "with_skill", against: "without_skill" }] } = parts;
  const inputs = sampleInputs({
    models: [...models],
    trials: repetitions,
    skills: skills.map((id) => ({
      ...{ id, treeHash: "t", arms: arms.map(plannedArm) },
      benchmarks: benchmarks.map((benchmark) => ({ id: benchmark, bundleHash: benchmark })),
    })),
  });
  const analysis =
    comparisons === null ? null : analysisSettingsSchema.parse({ comparisons, bootstrap: { resamples: 0 } });
  const plan: Plan = { ...planOf(inputs), analysis, ...parts.over };
  const entries = plan.trials.map((planned) => ({
    ...{ planned, trial: null, verdict: null, voids: 0 },
    ...entryOf(planned),
  }));
  const canaries = skills.flatMap((skill) => arms.map((arm) => ({ ...sampleCanary(), skill, arm })));
  const report = makeReport(
    { plan, entries, canaries, judgeTrials: [], leaky: "include", sections: [] },
    (cells, usage) => (analysis === null ? null : concludeCampaign(cells, usage, analysis)),
  );
  const timings = makeTimings({
    plan,
    entries,
    canaries,
    evidenceHead: "e",
    setAside: [],
    money: moneyOf([], []),
  });
  return { report, timings, trials: entries.map((entry) => trialRowOf(entry, true)) };
}

function plannedArm(id: string): CampaignInputs["skills"][number]["arms"][number] {
  return id === "without_skill"
    ? { id, treatment: { kind: "without_skill" }, delivered: null }
    : { id, treatment: { kind: "with_skill" }, delivered: id };
}

function planOf(inputs: CampaignInputs): Plan {
  return {
    format: planFormat,
    campaign: "sample-0123",
    inputs,
    inputsHash: "h",
    image: { id: "sha256:0", recipe: "recipe", base: "packages" },
    endpoints: [],
    standIn: false,
    replay: null,
    leaky: "include",
    analysis: null,
    sections: [],
    benchmarks: [],
    trials: planTrials(inputs, "recipe"),
  };
}

/** The skill helps on most benchmarks, costs more tokens, and some trials are lost or tell nothing. */
export function invented(planned: PlannedTrial): Partial<TrialOnDisk> {
  const { skill, benchmark, model, arm, n } = planned;
  const random = randomFrom("invented", skill, benchmark, model, arm, n);
  const lift = randomFrom("lift", skill, benchmark)() * 0.9 - 0.2;
  if (random() < 0.03) return { voids: 3 };
  const treated = arm !== "without_skill";
  const inputTokens = Math.round((treated ? 26_000 : 18_000) * (0.6 + random()));
  const usage = {
    ...{
      inputTokens,
      uncachedInputTokens: Math.round(inputTokens / 3),
      outputTokens: Math.round(900 * (1 + random())),
    },
    cachedInputTokens: inputTokens - Math.round(inputTokens / 3),
    costUsd: random() < 0.05 ? null : (inputTokens / 1e6) * (1 + random()),
    ...{ modelCalls: 4 + Math.floor(random() * 9), peakContextTokens: inputTokens },
  };
  const passes = random() < Math.min(1, Math.max(0, 0.35 + (treated ? lift : 0)));
  const stop = random() < 0.1 ? "turn_limit" : "finished";
  return {
    trial: { ...endedTrial(planned, { usage, stop }), opened: treated ? random() < 0.8 : null },
    verdict: verdictOf(passes ? "passed" : "failed"),
    voids: random() < 0.04 ? 1 : 0,
  };
}
