import type { Agent } from "./agents/port.ts";
import type { AnalysisSettings } from "./artefacts/analysis.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Endpoint } from "./artefacts/endpoint.ts";
import type { LeakyHandling, Plan } from "./artefacts/plan.ts";
import type { Report } from "./artefacts/report.ts";
import type { FileTree } from "./artefacts/tree.ts";
import { type PlannedTrial, type Trial, trialName } from "./artefacts/trial.ts";
import { CampaignJudges, type GradeSnapshot } from "./campaign-judges.ts";
import { type CampaignEstimate, estimateAgain, estimateTrials } from "./campaign-estimate.ts";
import { type CampaignMaterial, treatmentOf } from "./campaign-material.ts";
import { benchmarkOf, planOf, takeStock } from "./campaign-plan.ts";
import { reportCampaign } from "./campaign-report.ts";
import { BudgetError, InfrastructureError } from "./errors.ts";
import { LiveEvidence, liveWords } from "./conclude/live-evidence.ts";
import type { CanaryRequest } from "./evaluate/canary.ts";
import { performTrial } from "./evaluate/perform-trial.ts";
import { oneOfEachArm, proveIsolation } from "./evaluate/prove-isolation.ts";
import { type AttemptEnd, workThrough } from "./evaluate/schedule.ts";
import { deliver } from "./evaluate/treatments/deliver.ts";
import type { Listen } from "./events.ts";
import { panelWarnings } from "./grade/panel-warnings.ts";
import { gradeTrial } from "./grade/verdict.ts";
import type { ChatModel } from "./models/port.ts";
import { type Sandbox, SandboxError } from "./sandbox/port.ts";
import { keepArms } from "./store/arms.ts";
import { CampaignStore } from "./store/campaign.ts";
import { setAsideWords } from "./store/set-aside.ts";

export type CampaignPorts = {
  readonly sandbox: Sandbox;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly judges: readonly ChatModel[];
  /** Where the requests of agents and judges go; frozen in a new plan. */
  readonly endpoints: readonly Endpoint[];
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly grade: GradeSnapshot;
  /** Frozen in a new plan: whether the report counts leaky benchmarks. */
  readonly leaky: LeakyHandling;
  /** Frozen in a new plan: hypotheses and how they are tested. */
  readonly analysis: AnalysisSettings | null;
  readonly listen: Listen;
  /** Called with what the trials that are left may cost, before anything is paid for. Throws when they are not to begin. */
  readonly agree?: (estimate: CampaignEstimate) => Promise<void>;
  /** Called when the last request has been made, on every way out. */
  readonly settle?: () => Promise<void>;
  /** Aborts when no further trial is to be begun; those under way are finished and graded. */
  readonly drain?: AbortSignal;
  readonly signal?: AbortSignal;
};

/** Plan → trials → verdicts → report. The same call goes on where an earlier one stopped. */
export async function evaluateCampaign(
  material: CampaignMaterial,
  folder: string,
  ports: CampaignPorts,
): Promise<{ readonly report: Report; readonly folder: string }> {
  const store = new CampaignStore(folder);
  const { image } = ports.sandbox;
  const standIn = [...ports.agents.values()].some((agent) => agent.standIn);
  const { endpoints, leaky, analysis } = ports;
  const findings = { image, endpoints, standIn, leaky, analysis };
  const plan = await planOf(material.inputs, material.benchmarks, findings, store);
  await keepArms(folder, material.arms);
  for (const words of material.warnings) ports.listen({ kind: "warning", words });
  const live = LiveEvidence.of(plan.analysis?.comparisons[0]);
  const { left, finished, setAside } = await takeStock(plan, store, (planned, verdict) => {
    live?.see(planned, verdict);
  });
  for (const aside of setAside) ports.listen({ kind: "warning", words: setAsideWords(aside) });
  ports.listen({ kind: "trials", planned: plan.trials.length, finished: plan.trials.length - left.length });
  const known = [left, finished, material, plan.endpoints] as const;
  await ports.agree?.(estimateTrials(...known));
  const again = estimateAgain(...known);
  await proveIsolation(
    oneOfEachArm(left).map((planned) => canaryFor(planned, material, plan)),
    { ...ports, shelf: store },
  );
  for (const words of panelWarnings(ports.judges, material.inputs.models)) {
    ports.listen({ kind: "warning", words });
  }
  const work: Work = { material, plan, store, ports, judges: await CampaignJudges.open(store, ports) };
  try {
    await workThrough(left, {
      concurrency: material.concurrency,
      attempt: async (planned) => {
        const end = await attemptTrial(planned, work);
        return end.kind === "done" ? tellDone(planned, end, { store, ports, live, again }) : end;
      },
      listen: ports.listen,
      ...(ports.drain === undefined ? {} : { drain: ports.drain }),
      ...(ports.signal === undefined ? {} : { signal: ports.signal }),
    });
  } catch (error) {
    await settled(store, ports);
    throw error;
  }
  return { report: await settled(store, ports), folder };
}

/** What a finished trial changes in the estimate, and what the pairs so far come to. */
async function tellDone(
  planned: PlannedTrial,
  end: Extract<AttemptEnd, { kind: "done" }>,
  {
    store,
    ports,
    live,
    again,
  }: Pick<Work, "store" | "ports"> & {
    readonly live: LiveEvidence | null;
    readonly again: ReturnType<typeof estimateAgain>;
  },
): Promise<AttemptEnd> {
  const trial = await store.readTrial(planned);
  const words = trial === null ? null : again(trial);
  if (words !== null) ports.listen({ kind: "stage", stage: "estimate", words });
  const verdict = await store.readVerdict(planned);
  if (live === null || verdict === null) return end;
  live.see(planned, verdict);
  return { ...end, words: `${end.words}${liveWords(live.read())}` };
}

/** What a stop leaves is bound and reported as well: somebody paid for it. */
async function settled(store: CampaignStore, ports: Pick<CampaignPorts, "settle">): Promise<Report> {
  await ports.settle?.();
  await store.settle();
  return reportCampaign(store.folder);
}

/** Verdicts again from the stored snapshots, without any agent call. */
export async function gradeCampaign(
  benchmarks: readonly Benchmark[],
  folder: string,
  ports: Pick<CampaignPorts, "grade" | "judges" | "pack" | "listen" | "signal" | "settle">,
): Promise<Report> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  const judges = await CampaignJudges.open(store, ports);
  let left = plan.trials.length;
  try {
    for (const planned of plan.trials) {
      ports.signal?.throwIfAborted();
      left--;
      const trial = await store.readTrial(planned);
      if (trial?.outcome.kind !== "ended") continue;
      const fault = await store.snapshotFault(trial);
      if (fault !== null) {
        const words = `${trialName(planned)}: ${fault}. It is not graded again. Delete its folder and repeat: skillproof eval`;
        ports.listen({ kind: "warning", words });
        continue;
      }
      const benchmark = benchmarkOf(planned, benchmarks, plan);
      const words = await gradeFinished(trial, benchmark, { store, judges, ports });
      ports.listen({ kind: "trial_done", trial: planned, words, left });
    }
  } finally {
    await ports.settle?.();
    await store.settle();
  }
  return reportCampaign(folder);
}

/** All that the trials of one campaign have in common. */
type Work = {
  readonly material: CampaignMaterial;
  readonly plan: Plan;
  readonly store: CampaignStore;
  readonly judges: CampaignJudges;
  readonly ports: CampaignPorts;
};

/** One attempt, then its verdict. A trial that finished before a kill is only graded. */
async function attemptTrial(planned: PlannedTrial, work: Work): Promise<AttemptEnd> {
  const { material, plan, store, ports } = work;
  const benchmark = benchmarkOf(planned, material.benchmarks, plan);
  const finished = await store.readTrial(planned);
  if (finished !== null && (await isIntact(finished, work))) return gradeOrLose(finished, benchmark, work);
  const open = await store.openTrial(planned);
  const attempt = await performTrial(
    planned,
    benchmark,
    treatmentOf(planned, material),
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
    await open.lose(attempt.reason, attempt.kind === "void" ? "voids" : "stopped");
    return attempt;
  }
  await open.finish(attempt.trial);
  return gradeOrLose(attempt.trial, benchmark, work);
}

/** A workspace that is not the recorded one is no evidence: the trial is set aside and named, to be worked on again. */
async function isIntact(trial: Trial, { store, ports }: Pick<Work, "store" | "ports">): Promise<boolean> {
  const reason = await store.snapshotFault(trial);
  if (reason === null) return true;
  const aside = await store.setAside(trial.trial, reason);
  ports.listen({ kind: "warning", words: setAsideWords(aside) });
  return false;
}

/**
 * A grading that the engine lost is done again like a trial; what the agent left stands, so only the grading is. So it
 * is when judges cannot be paid for or asked: then the next start grades it.
 */
async function gradeOrLose(trial: Trial, benchmark: Benchmark, work: Work): Promise<AttemptEnd> {
  try {
    return { kind: "done", words: await gradeFinished(trial, benchmark, work) };
  } catch (error) {
    if (error instanceof SandboxError) return { kind: "void", reason: `in its grading: ${error.message}` };
    if (error instanceof BudgetError) return { kind: "budget", reason: error.message };
    if (error instanceof InfrastructureError) return { kind: "stop_all", reason: error.message };
    throw error;
  }
}

async function gradeFinished(
  trial: Trial,
  benchmark: Benchmark,
  { store, judges, ports }: Pick<Work, "store" | "judges"> & { readonly ports: Pick<CampaignPorts, "grade"> },
): Promise<string> {
  if (trial.outcome.kind === "blocked") return `blocked: ${trial.outcome.reason}`;
  const planned = trial.trial;
  const earlier = await store.readVerdict(planned);
  const knowledge = await judges.knowledgeOf(benchmark, trialName(planned), earlier?.answers ?? []);
  const { verdict, gradings } = await gradeTrial(
    () => ports.grade(benchmark, () => store.readSnapshot(planned), knowledge),
    trial.outcome.snapshot.sha256,
  );
  await store.writeVerdict(planned, verdict, gradings.map(({ log }) => log).join("\n"));
  return `${verdict.verdict}${verdict.reason === null ? "" : ` (${verdict.reason})`}, ${trial.outcome.stop}`;
}

/** A probe of the container that this trial and those of its arm get. */
function canaryFor(planned: PlannedTrial, material: CampaignMaterial, plan: Plan): CanaryRequest {
  const { skill } = planned;
  const { delivery, skills } = plan.inputs;
  const arm = skills.find(({ id }) => id === skill)?.arms.find(({ id }) => id === planned.arm);
  const subject = material.subjects.get(skill);
  if (arm === undefined || subject === undefined) throw new Error(`${skill}/${planned.arm} was not planned`);
  const treatment = treatmentOf(planned, material);
  const own = treatment?.skills.map((placed) => placed.skill) ?? [];
  return {
    ...{ campaign: plan.campaign, skill, arm, delivery, subject, skills: own },
    benchmark: benchmarkOf(planned, material.benchmarks, plan),
    deliver: (plant) => (treatment === null ? null : deliver(own.map(plant), delivery)),
  };
}

function agentOf(planned: PlannedTrial, ports: CampaignPorts): Agent {
  const agent = ports.agents.get(planned.model);
  if (agent === undefined) throw new Error(`no agent was made for ${planned.model}`);
  return agent;
}
