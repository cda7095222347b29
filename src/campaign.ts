import type { Agent, AgentLimits } from "./agents/port.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Grading } from "./artefacts/grading.ts";
import { type CampaignInputs, type Plan, type PlannedBenchmark, planFormat } from "./artefacts/plan.ts";
import type { Report } from "./artefacts/report.ts";
import type { FileTree } from "./artefacts/tree.ts";
import type { PlannedTrial, Trial } from "./artefacts/trial.ts";
import type { Answer } from "./artefacts/verdict.ts";
import { UserError } from "./errors.ts";
import type { CanaryRequest } from "./evaluate/canary.ts";
import type { Treatment } from "./evaluate/open-trial.ts";
import { performTrial } from "./evaluate/perform-trial.ts";
import { planTrials } from "./evaluate/plan-trials.ts";
import { oneOfEachArm, proveIsolation } from "./evaluate/prove-isolation.ts";
import { type AttemptEnd, workThrough } from "./evaluate/schedule.ts";
import type { Listen } from "./events.ts";
import { knownAnswers } from "./grade/ask-panel.ts";
import { gradeTrial } from "./grade/verdict.ts";
import { hashJson } from "./hash.ts";
import { makeReport } from "./report/make-report.ts";
import { renderMarkdown } from "./report/markdown.ts";
import { type Sandbox, SandboxError } from "./sandbox/port.ts";
import { CampaignStore } from "./store/campaign.ts";

/** Grades one snapshot in a fresh container; judges' answers in `known` are not asked for again. */
export type GradeSnapshot = (
  benchmark: Pick<Benchmark, "bundle">,
  workspace: () => AsyncIterable<Uint8Array>,
  known: Map<string, Answer>,
) => Promise<Grading>;

export type CampaignPorts = {
  readonly sandbox: Sandbox;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly grade: GradeSnapshot;
  readonly listen: Listen;
  /** Aborts when no further trial is to be begun; those under way are finished and graded. */
  readonly drain?: AbortSignal;
  readonly signal?: AbortSignal;
};

/** What a campaign works on, loaded from disk. */
export type CampaignMaterial = {
  readonly inputs: CampaignInputs;
  readonly benchmarks: readonly Benchmark[];
  /** By skill id: what `with_skill` delivers. */
  readonly treatments: ReadonlyMap<string, NonNullable<Treatment>>;
  readonly limits: AgentLimits;
  readonly concurrency: number;
};

/** `<name>-<hash of the user's inputs>`: the same command finds the same campaign. */
export function campaignId(inputs: CampaignInputs): string {
  return `${inputs.name}-${hashJson(inputs).slice(0, 12)}`;
}

/** Plan → trials → verdicts → report. The same call goes on where an earlier one stopped. */
export async function evaluateCampaign(
  material: CampaignMaterial,
  folder: string,
  ports: CampaignPorts,
): Promise<{ readonly report: Report; readonly folder: string }> {
  const store = new CampaignStore(folder);
  const plan = await planOf(material, store, ports);
  await store.recover(plan.trials);
  const left = await unfinished(plan, store);
  ports.listen({ kind: "trials", planned: plan.trials.length, finished: plan.trials.length - left.length });
  await proveIsolation(
    oneOfEachArm(left).map((planned) => canaryFor(planned, material, plan)),
    { ...ports, shelf: store },
  );
  await workThrough(left, {
    concurrency: material.concurrency,
    attempt: (planned) => attemptTrial(planned, material, plan, store, ports),
    listen: ports.listen,
    ...(ports.drain === undefined ? {} : { drain: ports.drain }),
    ...(ports.signal === undefined ? {} : { signal: ports.signal }),
  });
  return { report: await reportCampaign(folder), folder };
}

/** Verdicts again from the stored snapshots, without any agent call. */
export async function gradeCampaign(
  benchmarks: readonly Benchmark[],
  folder: string,
  ports: Pick<CampaignPorts, "grade" | "listen" | "signal">,
): Promise<Report> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  let left = plan.trials.length;
  for (const planned of plan.trials) {
    ports.signal?.throwIfAborted();
    left--;
    const trial = await store.readTrial(planned);
    if (trial?.outcome.kind !== "ended") continue;
    const words = await gradeFinished(trial, benchmarkOf(planned, benchmarks, plan), store, ports.grade);
    ports.listen({ kind: "trial_done", trial: planned, words, left });
  }
  return reportCampaign(folder);
}

/** Every number again from what is on disk; writes report.json and report.md. */
export async function reportCampaign(folder: string): Promise<Report> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  const entries = [];
  for (const planned of plan.trials) {
    const [trial, verdict, voids] = await Promise.all([
      store.readTrial(planned),
      store.readVerdict(planned),
      store.countVoids(planned),
    ]);
    entries.push({ planned, trial, verdict, voids });
  }
  const [canaries, evidenceHead] = await Promise.all([store.readCanaries(), store.evidenceHead()]);
  const report = makeReport({ plan, entries, canaries, evidenceHead });
  await store.writeReport({
    "report.json": `${JSON.stringify(report, null, 2)}\n`,
    "report.md": renderMarkdown(report),
  });
  return report;
}

/** The frozen plan of this campaign, made on the first call. */
async function planOf(material: CampaignMaterial, store: CampaignStore, ports: CampaignPorts): Promise<Plan> {
  const { inputs } = material;
  const inputsHash = hashJson(inputs);
  const { id, recipe, base } = ports.sandbox.image;
  const known = await store.readPlanIfThere();
  if (known === null) {
    const plan: Plan = {
      format: planFormat,
      campaign: campaignId(inputs),
      inputs,
      inputsHash,
      image: { id, recipe, base },
      standIn: [...ports.agents.values()].some((agent) => agent.standIn),
      benchmarks: material.benchmarks.map(describeBenchmark),
      trials: planTrials(inputs, recipe),
    };
    await store.writePlan(plan);
    return plan;
  }
  if (known.inputsHash !== inputsHash) {
    throw new UserError(
      `${store.folder}: its plan is for other inputs. Move the folder away, or change \`name\`.`,
    );
  }
  if (known.image.recipe !== recipe) {
    throw new UserError(
      `${store.folder}: planned with sandbox image ${known.image.recipe.slice(0, 12)}, now it is ${recipe.slice(0, 12)}. ` +
        "Trials from two images are not pooled: change `name` to begin a new campaign.",
    );
  }
  return known;
}

async function unfinished(plan: Plan, store: CampaignStore): Promise<PlannedTrial[]> {
  const left: PlannedTrial[] = [];
  for (const planned of plan.trials) {
    const trial = await store.readTrial(planned);
    const graded = trial?.outcome.kind === "blocked" || (await store.readVerdict(planned)) !== null;
    if (trial === null || !graded) left.push(planned);
  }
  return left;
}

/** One attempt, then its verdict. A trial that finished before a kill is only graded. */
async function attemptTrial(
  planned: PlannedTrial,
  material: CampaignMaterial,
  plan: Plan,
  store: CampaignStore,
  ports: CampaignPorts,
): Promise<AttemptEnd> {
  const benchmark = benchmarkOf(planned, material.benchmarks, plan);
  const finished = await store.readTrial(planned);
  if (finished !== null) {
    return gradeOrLose(finished, benchmark, store, ports.grade);
  }
  const open = await store.openTrial(planned);
  const attempt = await performTrial(
    planned,
    benchmark,
    delivered(planned, treatmentOf(planned, material)),
    {
      sandbox: ports.sandbox,
      agent: agentOf(planned, ports),
      pack: ports.pack,
      record: open.record,
      spool: open.spool,
    },
    {
      campaign: plan.campaign,
      limits: material.limits,
      toolsHash: material.inputs.prompts.tools,
      voids: await store.countVoids(planned),
      ...(ports.signal === undefined ? {} : { signal: ports.signal }),
    },
  );
  if (attempt.kind !== "trial") {
    await open.lose(attempt.reason);
    return attempt;
  }
  await open.finish(attempt.trial);
  return gradeOrLose(attempt.trial, benchmark, store, ports.grade);
}

/** A grading that the engine lost is done again like a trial; what the agent left stands, so only the grading is. */
async function gradeOrLose(
  trial: Trial,
  benchmark: Benchmark,
  store: CampaignStore,
  grade: GradeSnapshot,
): Promise<AttemptEnd> {
  try {
    return { kind: "done", words: await gradeFinished(trial, benchmark, store, grade) };
  } catch (error) {
    if (error instanceof SandboxError) return { kind: "void", reason: `in its grading: ${error.message}` };
    throw error;
  }
}

async function gradeFinished(
  trial: Trial,
  benchmark: Benchmark,
  store: CampaignStore,
  grade: GradeSnapshot,
): Promise<string> {
  if (trial.outcome.kind === "blocked") return `blocked: ${trial.outcome.reason}`;
  const planned = trial.trial;
  const earlier = await store.readVerdict(planned);
  const known = knownAnswers([...benchmark.gate.answers, ...(earlier?.answers ?? [])]);
  const { verdict, gradings } = await gradeTrial(
    () => grade(benchmark, () => store.readSnapshot(planned), known),
    trial.outcome.snapshot.sha256,
  );
  await store.writeVerdict(planned, verdict, gradings.map(({ log }) => log).join("\n"));
  return `${verdict.verdict}${verdict.reason === null ? "" : ` (${verdict.reason})`}, ${trial.outcome.stop}`;
}

function benchmarkOf(planned: PlannedTrial, benchmarks: readonly Benchmark[], plan: Plan): Benchmark {
  const name = `${planned.skill}/${planned.benchmark}`;
  const found = benchmarks.find(({ skill, bundle }) => `${skill}/${bundle.id}` === name);
  const frozen = plan.inputs.skills
    .find(({ id }) => id === planned.skill)
    ?.benchmarks.find(({ id }) => id === planned.benchmark);
  if (found === undefined)
    throw new UserError(`${name}: planned, but its folder is gone. Bring it back from git.`);
  if (found.bundle.hash !== frozen?.bundleHash) {
    throw new UserError(
      `${name}: changed since the plan. Bring it back from git, or begin a new campaign: eval.`,
    );
  }
  return found;
}

/** A probe of the container that this trial and those of its arm get. */
function canaryFor(planned: PlannedTrial, material: CampaignMaterial, plan: Plan): CanaryRequest {
  return {
    campaign: plan.campaign,
    skill: planned.skill,
    arm: planned.arm,
    benchmark: benchmarkOf(planned, material.benchmarks, plan),
    treatment: treatmentOf(planned, material),
    deliver: (treatment) => delivered(planned, treatment),
  };
}

/** What an arm gives of a skill. */
function delivered({ arm }: PlannedTrial, treatment: NonNullable<Treatment>): Treatment {
  return arm === "with_skill" ? treatment : null;
}

function treatmentOf(planned: PlannedTrial, material: CampaignMaterial): NonNullable<Treatment> {
  const treatment = material.treatments.get(planned.skill);
  if (treatment === undefined) throw new Error(`no treatment was loaded for ${planned.skill}`);
  return treatment;
}

function agentOf(planned: PlannedTrial, ports: CampaignPorts): Agent {
  const agent = ports.agents.get(planned.model);
  if (agent === undefined) throw new Error(`no agent was made for ${planned.model}`);
  return agent;
}

function describeBenchmark({ skill, bundle, gate }: Benchmark): PlannedBenchmark {
  return {
    skill,
    benchmark: bundle.id,
    title: bundle.spec.title,
    judged: bundle.spec.judged,
    checks: gate.checks.map(({ check }) => check),
    standInJudges: gate.standInJudges,
    backend: gate.provenance?.backend ?? null,
    isolated: gate.provenance?.isolated ?? null,
  };
}
