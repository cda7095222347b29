import type { Agent } from "./agents/port.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Plan } from "./artefacts/plan.ts";
import { type PlannedTrial, type Trial, trialName } from "./artefacts/trial.ts";
import type { CampaignJudges } from "./campaign-judges.ts";
import { type CampaignMaterial, treatmentOf } from "./campaign-material.ts";
import { benchmarkOf } from "./campaign-plan.ts";
import type { CampaignPorts } from "./campaign-ports.ts";
import { BudgetError, InfrastructureError } from "./errors.ts";
import type { CanaryRequest } from "./evaluate/canary.ts";
import { performTrial } from "./evaluate/perform-trial.ts";
import type { AttemptEnd } from "./evaluate/schedule.ts";
import { deliver } from "./evaluate/treatments/deliver.ts";
import { gradeTrial } from "./grade/verdict.ts";
import { SandboxError } from "./sandbox/port.ts";
import type { CampaignStore } from "./store/campaign.ts";
import { setAsideWords } from "./store/set-aside.ts";

/** All that the trials of one campaign have in common. */
export type Work = {
  readonly material: CampaignMaterial;
  readonly plan: Plan;
  readonly store: CampaignStore;
  readonly judges: CampaignJudges;
  readonly ports: CampaignPorts;
};

/** One attempt, then its verdict. A trial that finished before a kill is only graded. */
export async function attemptTrial(planned: PlannedTrial, work: Work): Promise<AttemptEnd> {
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

export async function gradeFinished(
  trial: Trial,
  benchmark: Benchmark,
  {
    store,
    judges,
    ports,
  }: Pick<Work, "store" | "judges"> & { readonly ports: Pick<CampaignPorts, "grade" | "damage"> },
): Promise<string> {
  if (trial.outcome.kind === "blocked") return `blocked: ${trial.outcome.reason}`;
  const planned = trial.trial;
  const earlier = await store.readVerdict(planned);
  const knowledge = await judges.knowledgeOf(benchmark, trialName(planned), earlier?.answers ?? []);
  const { verdict, gradings } = await gradeTrial(
    () => ports.grade(benchmark, () => store.readSnapshot(planned), knowledge),
    trial.outcome.snapshot.sha256,
  );
  const damage = await ports.damage(benchmark.bundle, () => store.readSnapshot(planned), trial.outcome);
  await store.writeVerdict(planned, { ...verdict, damage }, gradings.map(({ log }) => log).join("\n"));
  return `${verdict.verdict}${verdict.reason === null ? "" : ` (${verdict.reason})`}, ${trial.outcome.stop}`;
}

/** A probe of the container that this trial and those of its arm get. */
export function canaryFor(planned: PlannedTrial, material: CampaignMaterial, plan: Plan): CanaryRequest {
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
