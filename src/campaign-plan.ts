import type { AnalysisSettings } from "./artefacts/analysis.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Endpoint } from "./artefacts/endpoint.ts";
import {
  type CampaignInputs,
  type LeakyHandling,
  type Plan,
  type PlannedBenchmark,
  planFormat,
} from "./artefacts/plan.ts";
import type { PlannedTrial, Trial } from "./artefacts/trial.ts";
import type { Verdict } from "./artefacts/verdict.ts";
import type { SkillSections } from "./campaign-sections.ts";
import { awaitsClaim } from "./campaign-claims.ts";
import { differing } from "./differing.ts";
import { UserError } from "./errors.ts";
import type { FinishedTrial } from "./evaluate/estimate.ts";
import { planTrials } from "./evaluate/plan-trials.ts";
import { awaitsJudges } from "./grade/verdict.ts";
import { hashJson } from "./hash.ts";
import type { ImageRecord } from "./sandbox/port.ts";
import type { CampaignStore } from "./store/campaign.ts";
import { hashPlan } from "./store/hash-plan.ts";
import { keepSections } from "./store/sections.ts";
import type { SetAside } from "./store/set-aside.ts";

/** What a plan is made of besides the user's inputs; found at planning, and outside their hash. */
export type PlanFindings = {
  readonly image: Pick<ImageRecord, "id" | "recipe" | "base">;
  /** One per model that is asked over a server, judges included. */
  readonly endpoints: readonly Endpoint[];
  readonly standIn: boolean;
  /** Hash of the recording that answers; null when servers are asked. */
  readonly replay: string | null;
  readonly leaky: LeakyHandling;
  readonly analysis: AnalysisSettings | null;
  /** Of every skill, to be kept beside the plan. */
  readonly sections: readonly SkillSections[];
};

/** `<name>-<hash of the user's inputs>`: the same command finds the same campaign. */
export function campaignId(inputs: CampaignInputs): string {
  return `${inputs.name}-${hashJson(inputs).slice(0, 12)}`;
}

/**
 * The frozen plan of this campaign, made on the first call. Throws `UserError` when the folder holds the plan of other
 * inputs, of another image, or of another analysis.
 */
export async function planOf(
  inputs: CampaignInputs,
  benchmarks: readonly Benchmark[],
  findings: PlanFindings,
  store: CampaignStore,
): Promise<Plan> {
  const inputsHash = hashJson(inputs);
  const { id, recipe, base } = findings.image;
  const known = await store.readPlanIfThere();
  if (known === null) {
    const plan: Plan = {
      format: planFormat,
      campaign: campaignId(inputs),
      inputs,
      inputsHash,
      image: { id, recipe, base },
      endpoints: [...findings.endpoints],
      standIn: findings.standIn,
      replay: findings.replay,
      leaky: findings.leaky,
      analysis: findings.analysis,
      sections: findings.sections.map(({ planned }) => planned),
      benchmarks: benchmarks.map(describeBenchmark),
      trials: planTrials(inputs, recipe),
    };
    for (const { kept } of findings.sections) {
      if (kept !== null) await keepSections(store.folder, kept);
    }
    await store.writePlan(plan);
    return plan;
  }
  await requireFrozen(store);
  if (known.inputsHash !== inputsHash) {
    throw new UserError(
      `${store.folder}: its plan is for other inputs. Move the folder away, or change \`name\`. What differs:\n` +
        differing(known.inputs, inputs)
          .map((line) => `  ${line}`)
          .join("\n"),
    );
  }
  if (known.image.recipe !== recipe) {
    throw new UserError(
      `${store.folder}: planned with sandbox image ${known.image.recipe.slice(0, 12)}, now it is ${recipe.slice(0, 12)}. ` +
        "Trials from two images are not pooled: change `name` to begin a new campaign.",
    );
  }
  if (known.replay !== findings.replay) {
    const source = (replay: string | null): string =>
      replay === null ? "servers" : `recording ${replay.slice(0, 12)}`;
    throw new UserError(
      `${store.folder}: planned with answers from ${source(known.replay)}, now they would come from ` +
        `${source(findings.replay)}. Give the other one another \`out\`, and compare their reports.`,
    );
  }
  requireRules(known, findings, store.folder);
  return known;
}

/** Throws `UserError` for a plan.json that is not the one whose hash evidence begins with. */
async function requireFrozen(store: CampaignStore): Promise<void> {
  const frozen = await store.frozenPlanHash();
  const now = frozen === null ? null : await hashPlan(store.planFile);
  if (now === frozen) return;
  throw new UserError(
    `${store.planFile}: changed since it was frozen (line 1 of evidence.jsonl has ${frozen?.slice(0, 12) ?? "none"}, ` +
      `this is ${now?.slice(0, 12) ?? "none"}). Bring it back, or change \`name\` to begin a new campaign.`,
  );
}

/** Throws `UserError`: whoever chooses another rule now may have seen what it changes. */
function requireRules(
  known: Pick<Plan, "leaky" | "analysis">,
  { leaky, analysis }: Pick<PlanFindings, "leaky" | "analysis">,
  folder: string,
): void {
  const rules = differing({ leaky: known.leaky, analysis: known.analysis }, { leaky, analysis });
  if (rules.length > 0) {
    throw new UserError(
      `${folder}: its plan froze another analysis than the YAML now asks for, and rules are not chosen by what ` +
        "trials show. Put the YAML back, or change `name` to begin a new campaign; while no trial of it was begun, its " +
        "folder may also be deleted. What differs:\n" +
        rules.map((line) => `  ${line}`).join("\n"),
    );
  }
}

/** Where a campaign stands when a process begins to work on it. */
export type Stock = {
  /** Planned trials without a verdict, or whose verdict waits only for judges that could not be reached. */
  readonly left: readonly PlannedTrial[];
  /** What the finished ones used; some of them wait for their verdict. */
  readonly finished: readonly FinishedTrial[];
  /** Failed trials whose last words no judges were asked about. */
  readonly unclaimed: number;
  readonly setAside: readonly SetAside[];
  /** Trials that evidence names as finished and of which nothing is left. They are among those left to do. */
  readonly gone: readonly PlannedTrial[];
};

/**
 * Puts right what a killed process left half done, sets aside what is torn, and says what is left to do: one pass over
 * the folders, keeping no more of a trial than is asked for here, since there may be a hundred thousand.
 */
export async function takeStock(
  plan: Plan,
  store: CampaignStore,
  onFound: (planned: PlannedTrial, trial: Trial, verdict: Verdict | null) => void = () => undefined,
): Promise<Stock> {
  const left: PlannedTrial[] = [];
  const finished: FinishedTrial[] = [];
  let unclaimed = 0;
  const gone: PlannedTrial[] = [];
  const setAside = await store.recover(plan.trials, ({ planned, trial, verdict, claim }, isGone) => {
    if (isGone) gone.push(planned);
    if (awaitsClaim({ trial, verdict, claim })) unclaimed += 1;
    const graded = trial?.outcome.kind === "blocked" || (verdict !== null && !awaitsJudges(verdict));
    if (trial === null || !graded) left.push(planned);
    if (trial === null) return;
    onFound(planned, trial, verdict);
    const { modelCalls, uncachedInputTokens, cachedInputTokens, outputTokens } = trial.usage;
    const usage = { modelCalls, uncachedInputTokens, cachedInputTokens, outputTokens };
    finished.push({ trial: planned, usage });
  });
  return { left, finished, unclaimed, setAside, gone };
}

/** The benchmark of a planned trial. Throws `UserError` when its folder is gone. */
export function benchmarkNamed(planned: PlannedTrial, benchmarks: readonly Benchmark[]): Benchmark {
  const { skill, benchmark: id } = planned;
  const found = benchmarks.find((one) => one.skill === skill && one.bundle.id === id);
  if (found !== undefined) return found;
  throw new UserError(`${skill}/${id}: planned, but its folder is gone. Bring it back from git.`);
}

/** The same, held against the plan. Throws `UserError` too when it is not the one that was planned. */
export function benchmarkOf(planned: PlannedTrial, benchmarks: readonly Benchmark[], plan: Plan): Benchmark {
  const found = benchmarkNamed(planned, benchmarks);
  const frozen = plan.inputs.skills
    .find(({ id }) => id === planned.skill)
    ?.benchmarks.find(({ id }) => id === planned.benchmark);
  if (found.bundle.hash !== frozen?.bundleHash) {
    throw new UserError(
      `${planned.skill}/${planned.benchmark}: changed since the plan. Bring it back from git, or begin a new campaign: eval.`,
    );
  }
  return found;
}

function describeBenchmark({ skill, bundle, gate }: Benchmark): PlannedBenchmark {
  return {
    skill,
    benchmark: bundle.id,
    title: bundle.spec.title,
    judged: bundle.spec.judged,
    checks: gate.checks.map(({ check }) => check),
    leaks: [...new Set(gate.leaks.map(({ kind }) => kind))].sort(),
    standInJudges: gate.standInJudges,
    backend: gate.provenance?.backend ?? null,
    isolated: gate.provenance?.isolated ?? null,
  };
}
