import type { Canary } from "../artefacts/canary.ts";
import type { Endpoint } from "../artefacts/endpoint.ts";
import type { LedgerLine } from "../artefacts/ledger.ts";
import { type CampaignInputs, type Plan, type PlannedArm, planFormat } from "../artefacts/plan.ts";
import { type PlannedTrial, trialName } from "../artefacts/trial.ts";
import { campaignId } from "../campaign-plan.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { hashJson } from "../hash.ts";
import { sampleCanary } from "./canaries.ts";
import { sampleLine } from "./ledgers.ts";

export function samplePlan(inputs: CampaignInputs, over: Partial<Plan> = {}): Plan {
  return {
    format: planFormat,
    campaign: campaignId(inputs),
    inputs,
    inputsHash: hashJson(inputs),
    image: { id: "sha256:0", recipe: "recipe", base: "packages" },
    endpoints: inputs.models.map(endpointOf),
    standIn: false,
    replay: null,
    leaky: "include",
    analysis: null,
    sections: [],
    benchmarks: inputs.skills.flatMap((skill) =>
      skill.benchmarks.map(({ id }) => ({
        ...{ skill: skill.id, benchmark: id, title: id, judged: false, checks: ["structure"], leaks: [] },
        ...{ standInJudges: false, backend: null, isolated: null },
      })),
    ),
    trials: planTrials(inputs, "recipe"),
    ...over,
  };
}

function endpointOf(model: string): Endpoint {
  return {
    ...{
      model,
      baseUrl: "http://127.0.0.1:1/v1",
      dialect: "openai",
      tag: null,
      provider: null,
      quantization: null,
    },
    ...{ contextLength: null, maxOutputTokens: null, parameters: null, cache: "automatic", chosen: "only" },
    prices: { prompt: "0.000002", completion: "0.000008", cacheRead: null, cacheWrite: null, request: null },
  };
}

export function canaryOf(
  { id, treeHash, benchmarks }: CampaignInputs["skills"][number],
  arm: PlannedArm,
  plan: Plan,
): Canary {
  const [benchmark] = benchmarks;
  const opened = { benchmark: benchmark?.id ?? "", bundleHash: benchmark?.bundleHash ?? "", treeHash };
  const { delivered } = arm;
  return { ...sampleCanary(), ...opened, skill: id, arm: arm.id, delivered, image: plan.image.id };
}

/** One request for each trial, its cost by the sample's prices: 300 of 900 tokens uncached, 100 written. */
export function ledgerOf(trials: readonly PlannedTrial[]): readonly LedgerLine[] {
  const tokens = { inputTokens: 900, cachedInputTokens: 600, cacheWriteTokens: 0, outputTokens: 100 };
  const costNanoUsd = 900 * 2000 + 100 * 8000;
  return trials.map((planned, at) => {
    const place = { subject: trialName(planned), model: planned.model, tag: null };
    return sampleLine(at + 1, { ...place, ...tokens, costNanoUsd, source: "estimated" });
  });
}
