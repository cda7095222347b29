import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Endpoint } from "./artefacts/endpoint.ts";
import type { PlannedTrial } from "./artefacts/trial.ts";
import { type CampaignMaterial, treatmentOf } from "./campaign-material.ts";
import { benchmarkNamed } from "./campaign-plan.ts";
import {
  type Estimate,
  estimateCost,
  estimateWords,
  type FinishedTrial,
  type MeasuredTrial,
  type WorkLeft,
} from "./evaluate/estimate.ts";
import { systemPrompt, type Treatment } from "./evaluate/open-trial.ts";
import { countTokens } from "./tokens.ts";

/** What the trials that are left may cost, in nano-dollars and in words for who pays. */
export type CampaignEstimate = Estimate & { readonly words: readonly string[] };

/** Finished trials of each model after which the assumptions are replaced by what was measured (openrouter.md §9). */
const enoughMeasured = 3;

/** Questions of a judged benchmark whose gate kept no answers to count. */
const assumedQuestions = 3;

/**
 * Estimates what `left` will cost at the planned endpoints. Models that have no endpoint are stand-ins and cost
 * nothing. Trials that are finished replace assumptions by what was measured. `unclaimed`: failed trials whose last words
 * wait for the panel; every trial that is left may become one. Null when it is not asked about them.
 */
export function estimateTrials(
  left: readonly PlannedTrial[],
  finished: readonly FinishedTrial[],
  material: CampaignMaterial,
  endpoints: readonly Endpoint[],
  unclaimed: number | null = null,
): CampaignEstimate {
  const { models, judges } = material.inputs;
  const endpointOf = (id: string): Endpoint | undefined => endpoints.find(({ model }) => model === id);
  // Some are finished and only wait for their judges.
  const done = new Set(finished.map(({ trial }) => trial.key));
  const prefixTokens = prefixCounter(material);
  const agents = models.flatMap((model): WorkLeft[] => {
    const endpoint = endpointOf(model);
    const own = left.filter((trial) => trial.model === model && !done.has(trial.key));
    if (endpoint === undefined) return [];
    const measured = measuredOf(finished.filter(({ trial }) => trial.model === model));
    return [
      {
        kind: "loops",
        role: "agent",
        model,
        prices: endpoint.prices,
        count: own.length,
        maxTurns: material.limits.turns,
        prefixTokens: meanOf(own.map(prefixTokens)),
        measured,
      },
    ];
  });
  const claims = unclaimed === null ? 0 : unclaimed + left.length;
  const graded = left.reduce((sum, trial) => sum + questionsOf(benchmarkOf(trial, material)), 0);
  const questions = graded + claims;
  const panel = judges.flatMap((model): WorkLeft[] => {
    const endpoint = endpointOf(model);
    if (endpoint === undefined || questions === 0) return [];
    return [{ kind: "questions", role: "judge", model, prices: endpoint.prices, count: questions }];
  });
  const estimate = estimateCost([...agents, ...panel]);
  return { ...estimate, words: estimateWords(estimate) };
}

/**
 * To be told of every trial that is finished. Gives the estimate of what is left then, in words, once: as soon as every
 * model that is paid for has been measured. Nothing when it was measured from the start, costs nothing or is unknown.
 */
export function estimateAgain(
  left: readonly PlannedTrial[],
  finished: readonly FinishedTrial[],
  material: CampaignMaterial,
  endpoints: readonly Endpoint[],
  unclaimed: number | null = null,
): (trial: FinishedTrial) => string | null {
  const measured = new Map(finished.map((trial) => [trial.trial.key, trial]));
  const open = new Map(left.map((planned) => [planned.key, planned]));
  const paid = material.inputs.models.filter((id) => endpoints.some(({ model }) => model === id));
  const counts = new Map<string, number>();
  const count = ({ trial: { model } }: FinishedTrial): unknown =>
    counts.set(model, (counts.get(model) ?? 0) + 1);
  for (const trial of measured.values()) count(trial);
  const isDue = (): boolean => paid.every((id) => (counts.get(id) ?? 0) >= enoughMeasured);
  let said = isDue();
  return (trial) => {
    if (said) return null;
    if (!measured.has(trial.trial.key)) count(trial);
    measured.set(trial.trial.key, trial);
    open.delete(trial.trial.key);
    if (!isDue()) return null;
    said = true;
    const rest = [...open.values()];
    const { total, words } = estimateTrials(rest, [...measured.values()], material, endpoints, unclaimed);
    if (total.expected === null || total.expected === 0) return null;
    return `${words[0] ?? ""} For the ${rest.length} trial(s) left, by the medians of ${measured.size} finished.`;
  };
}

/** Longest opening of a trial with one answer: what an endpoint's window must hold at the very least, in tokens. */
export function neededTokens({ benchmarks, treatments, toolTokens, limits }: CampaignMaterial): number {
  const longest = new Map(
    [...treatments].map(([skill, arms]) => [skill, Math.max(...[...arms.values()].map(systemTokens))]),
  );
  const openings = benchmarks.map(
    ({ skill, bundle }) => (longest.get(skill) ?? 0) + countTokens(bundle.task),
  );
  return Math.max(...openings) + toolTokens + limits.maxTokensPerTurn;
}

/** Of what a trial's every request begins with. Many trials begin alike, and each text is counted once. */
function prefixCounter(material: CampaignMaterial): (trial: PlannedTrial) => number {
  const known = new Map<string, number>();
  const once = (key: readonly string[], count: () => number): number => {
    const name = JSON.stringify(key);
    const tokens = known.get(name) ?? count();
    known.set(name, tokens);
    return tokens;
  };
  return (trial) => {
    const { skill, benchmark, arm } = trial;
    const system = once(["arm", skill, arm], () => systemTokens(treatmentOf(trial, material)));
    const task = once(["task", skill, benchmark], () =>
      countTokens(benchmarkOf(trial, material).bundle.task),
    );
    return system + task + material.toolTokens;
  };
}

function systemTokens(treatment: Treatment): number {
  return countTokens(systemPrompt(treatment));
}

function benchmarkOf(trial: PlannedTrial, { benchmarks }: CampaignMaterial): Benchmark {
  return benchmarkNamed(trial, benchmarks);
}

function questionsOf({ bundle, gate }: Benchmark): number {
  if (!bundle.spec.judged) return 0;
  const asked = new Set(gate.answers.map(({ question }) => question.id));
  return asked.size === 0 ? assumedQuestions : asked.size;
}

/** Medians; null when nothing is finished. */
function measuredOf(trials: readonly FinishedTrial[]): MeasuredTrial | null {
  if (trials.length === 0) return null;
  const median = (figure: (trial: FinishedTrial) => number | null): number | null =>
    medianOf(trials.flatMap((trial) => figure(trial) ?? []));
  return {
    modelCalls: median(({ usage }) => usage.modelCalls),
    uncachedInputTokens: median(({ usage }) => usage.uncachedInputTokens),
    cachedInputTokens: median(({ usage }) => usage.cachedInputTokens),
    outputTokens: median(({ usage }) => usage.outputTokens),
  };
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0
    ? null
    : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
