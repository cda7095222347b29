import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Report } from "./artefacts/report.ts";
import type { PlannedTrial } from "./artefacts/trial.ts";
import type { Verdict } from "./artefacts/verdict.ts";
import { classifyClaims } from "./campaign-claims.ts";
import { CampaignJudges } from "./campaign-judges.ts";
import { estimateAgain, estimateTrials } from "./campaign-estimate.ts";
import { CampaignLooks, endingOf, lookWords } from "./campaign-looks.ts";
import type { CampaignMaterial } from "./campaign-material.ts";
import { benchmarkOf, planOf, takeStock } from "./campaign-plan.ts";
import type { CampaignPorts } from "./campaign-ports.ts";
import { reportCampaign } from "./campaign-report.ts";
import { attemptTrial, canaryFor, gradeFinished, type Work } from "./campaign-trial.ts";
import { LiveEvidence, liveWords } from "./conclude/live-evidence.ts";
import { oneOfEachArm, proveIsolation } from "./evaluate/prove-isolation.ts";
import { type AttemptEnd, workThrough } from "./evaluate/schedule.ts";
import { panelWarnings } from "./grade/panel-warnings.ts";
import { keepArms } from "./store/arms.ts";
import { CampaignStore } from "./store/campaign.ts";
import { goneWords, setAsideWords } from "./store/set-aside.ts";
import { bundlesInMemory } from "./trial-pages.ts";

/** Plan → trials → verdicts → report. The same call goes on where an earlier one stopped. */
export async function evaluateCampaign(
  material: CampaignMaterial,
  folder: string,
  ports: CampaignPorts,
): Promise<{ readonly report: Report; readonly folder: string }> {
  const store = new CampaignStore(folder);
  const { image } = ports.sandbox;
  const standIn = [...ports.agents.values()].some((agent) => agent.standIn);
  const { endpoints, replay, leaky, analysis } = ports;
  const { sections } = material;
  const findings = { image, endpoints, standIn, replay, leaky, analysis, sections };
  const plan = await planOf(material.inputs, material.benchmarks, findings, store);
  await keepArms(folder, material.arms);
  for (const words of material.warnings) ports.listen({ kind: "warning", words });
  const watch: Watch = {
    live: LiveEvidence.of(plan.analysis?.comparisons[0]),
    looks: new CampaignLooks(plan),
  };
  const stock = await takeStock(plan, store, (planned, trial, verdict) => {
    if (verdict !== null) seeVerdict(planned, verdict, ports, watch.live);
    watch.looks.see(planned, endingOf(trial, verdict));
  });
  const { left, finished, unclaimed } = stock;
  for (const words of [...stock.setAside.map(setAsideWords), ...goneWords(stock.gone)])
    ports.listen({ kind: "warning", words });
  const atMost = watch.looks.atMost(left);
  const finishedCount = plan.trials.length - left.length;
  ports.listen({ kind: "trials", planned: atMost.length + finishedCount, finished: finishedCount });
  const known = [
    atMost,
    finished,
    material,
    plan.endpoints,
    ports.claims === true ? unclaimed : null,
  ] as const;
  await ports.agree?.(estimateTrials(...known));
  const again = estimateAgain(...known);
  await proveIsolation(
    oneOfEachArm(atMost).map((planned) => canaryFor(planned, material, plan)),
    { ...ports, shelf: store },
  );
  for (const words of panelWarnings(ports.judges, material.inputs.models)) {
    ports.listen({ kind: "warning", words });
  }
  const work: Work = { material, plan, store, ports, judges: await CampaignJudges.open(store, ports) };
  try {
    await workByLooks(work, { ...watch, again });
    await classifyClaims(plan.trials, store, ports);
  } catch (error) {
    await settled(store, ports, material.benchmarks);
    throw error;
  }
  return { report: await settled(store, ports, material.benchmarks), folder };
}

/** What is followed while trials end. */
type Watch = { readonly live: LiveEvidence | null; readonly looks: CampaignLooks };
type Watching = Watch & { readonly again: ReturnType<typeof estimateAgain> };

/** Works through what the looks release, look after look; without looks that is everything at once. */
async function workByLooks(work: Work, watching: Watching): Promise<void> {
  const { material, ports } = work;
  const { drain, signal, listen } = ports;
  let told = watching.looks.next().looks.length;
  for (;;) {
    const { open } = watching.looks.next();
    if (open.length === 0) return;
    await workThrough(open, {
      concurrency: material.concurrency,
      attempt: async (planned) => {
        const end = await attemptTrial(planned, work);
        return end.kind === "done" ? tellDone(planned, end, work, watching) : end;
      },
      listen,
      ...(drain === undefined ? {} : { drain }),
      ...(signal === undefined ? {} : { signal }),
    });
    const next = watching.looks.next();
    for (const look of next.looks.slice(told))
      listen({ kind: "stage", stage: "look", words: lookWords(look) });
    told = next.looks.length;
    // What broke under us is made up for by the same command; a look does not go on without it.
    const undone = new Set(next.open.map(({ key }) => key));
    if (open.some(({ key }) => undone.has(key))) return;
  }
}

/** What a finished trial changes in the estimate and for the looks, and what the pairs so far come to. */
async function tellDone(
  planned: PlannedTrial,
  end: Extract<AttemptEnd, { kind: "done" }>,
  { store, ports }: Work,
  { live, looks, again }: Watching,
): Promise<AttemptEnd> {
  const trial = await store.readTrial(planned);
  const words = trial === null ? null : again(trial);
  if (words !== null) ports.listen({ kind: "stage", stage: "estimate", words });
  const verdict = await store.readVerdict(planned);
  looks.see(planned, endingOf(trial, verdict));
  if (verdict !== null) seeVerdict(planned, verdict, ports, live);
  if (live === null || verdict === null) return end;
  return { ...end, words: `${end.words}${liveWords(live.read())}` };
}

/** For those who watch: the verdict, and what the pairs come to with it. */
function seeVerdict(
  trial: PlannedTrial,
  { verdict }: Verdict,
  { listen }: Pick<CampaignPorts, "listen">,
  live: LiveEvidence | null,
): void {
  live?.see(trial, { verdict });
  listen({ kind: "verdict", trial, verdict });
  if (live !== null) listen({ kind: "evidence", ...live.read() });
}

/** What a stop leaves is bound and reported as well: somebody paid for it. */
async function settled(
  store: CampaignStore,
  ports: Pick<CampaignPorts, "settle">,
  benchmarks: readonly Benchmark[],
): Promise<Report> {
  await ports.settle?.();
  await store.settle();
  return reportCampaign(store.folder, { findBundle: bundlesInMemory(benchmarks) });
}

/** Verdicts again from the stored snapshots, without any agent call. */
export async function gradeCampaign(
  benchmarks: readonly Benchmark[],
  folder: string,
  ports: Pick<
    CampaignPorts,
    "grade" | "damage" | "claims" | "judges" | "pack" | "listen" | "signal" | "settle"
  >,
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
        const words = setAsideWords(await store.setAside(planned, fault));
        ports.listen({ kind: "warning", words: `${words} Repeat: skillproof eval` });
        continue;
      }
      const benchmark = benchmarkOf(planned, benchmarks, plan);
      const words = await gradeFinished(trial, benchmark, { store, judges, ports });
      ports.listen({ kind: "trial_done", trial: planned, words, left });
    }
    await classifyClaims(plan.trials, store, ports);
  } finally {
    await ports.settle?.();
    await store.settle();
  }
  return reportCampaign(folder, { findBundle: bundlesInMemory(benchmarks) });
}
