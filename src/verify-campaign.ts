import { basename, dirname, join } from "node:path";
import { canarySchema } from "./artefacts/canary.ts";
import { type CampaignInputs, type Plan, planSchema } from "./artefacts/plan.ts";
import type { Verification } from "./artefacts/verification.ts";
import { campaignFrontier, endingOf } from "./campaign-looks.ts";
import { campaignId } from "./campaign-plan.ts";
import { remakeReport } from "./campaign-report.ts";
import { messageOf, UserError } from "./errors.ts";
import { planTrials } from "./evaluate/plan-trials.ts";
import { CampaignStore } from "./store/campaign.ts";
import { EvidenceChain } from "./store/evidence.ts";
import { measureFile } from "./store/file-hash.ts";
import { readAllJudgeTrials } from "./store/judges.ts";
import { readLedger } from "./store/ledger.ts";
import { namesIn, readRecord, readRecords, readText } from "./store/record.ts";
import { readSections } from "./store/sections.ts";
import { isSettledPath, settledFiles } from "./store/settled-files.ts";
import { bundlesOnDisk, compareTrialPages } from "./trial-pages.ts";
import type { FindBundle } from "./trial-view.ts";
import { walkChain } from "./verify/chain.ts";
import { unlikeFile } from "./verify/check-report.ts";
import { type CampaignFound, type SettledFound, valueOf } from "./verify/found.ts";
import { leanMaker } from "./verify/lean.ts";
import { verifyFound } from "./verify/verify-found.ts";
import { findArms, findForeign, findUnplanned } from "./verify-folders.ts";
import { findMaterial, type MaterialPlaces } from "./verify-material.ts";
import { findTrial } from "./verify-trial.ts";

export type VerifyOptions = {
  /** Hash of the chain's last line, from somewhere else than this folder; null when the reader knows none. */
  readonly publishedHead: string | null;
  /** Where a skill and its benchmarks may be. What is not there is not compared. */
  readonly placesOf: (skill: string) => MaterialPlaces;
};

/**
 * Reads all of a campaign's folder, trusting none of it, and holds it against itself. Writes nothing. Throws `UserError`
 * when there is no campaign, when it is of another version, or when it is written to meanwhile.
 */
export async function verifyCampaign(folder: string, options: VerifyOptions): Promise<Verification> {
  const evidence = new EvidenceChain(join(folder, "evidence.jsonl"));
  const before = await evidence.read();
  const found = await findCampaign(folder, before, options);
  const after = await evidence.read();
  if (before.lines.length !== after.lines.length) {
    throw new UserError(
      `${folder}: evidence was added while it was read. Verify it when the work on it has ended or been stopped.`,
    );
  }
  return verifyFound(found);
}

async function findCampaign(
  folder: string,
  evidence: Pick<CampaignFound, "lines" | "torn">,
  { publishedHead, placesOf }: VerifyOptions,
): Promise<CampaignFound> {
  const store = new CampaignStore(folder);
  const { plan, planHash } = await readPlan(folder, store);
  const benchmarksOf = (skill: string): readonly string[] => [
    placesOf(skill).benchmarks,
    join(dirname(folder), "benchmarks", skill), // as the demo has them
  ];
  const made = await findReport(folder, bundlesOnDisk(benchmarksOf)); // first, because what it takes is free again before all the records are held
  const trials = [];
  const lean = leanMaker();
  for (const planned of plan.trials) trials.push(await findTrial(folder, planned, lean));
  const canaries = await findCanaries(folder);
  const ledger = await readRecords(() => readLedger(store.ledgerFile));
  const judgeTrials = await readRecords(() => readAllJudgeTrials(folder));
  return {
    ...evidence,
    ...{ plan, trials, released: releasedIn(plan, trials), canaries, ledger, judgeTrials },
    folder: basename(folder),
    planHash,
    unplanned: await findUnplanned(folder, plan),
    arms: await findArms(folder),
    again: { campaign: campaignId(plan.inputs), trials: trialsAgain(plan) },
    settled: await findSettled(folder, evidence.lines),
    sections: await findKeptSections(folder, plan),
    ...(await findMaterial(plan.inputs, placesOf)),
    ...made,
    publishedHead,
  };
}

async function findKeptSections(folder: string, { sections }: Plan): Promise<CampaignFound["sections"]> {
  return Promise.all(sections.map(async ({ skill }) => ({ skill, kept: await readSections(folder, skill) })));
}

/** Where the looks had come to, by the verdicts that lie there. */
function releasedIn(plan: Plan, trials: CampaignFound["trials"]): ReadonlySet<string> {
  const endings = new Map(
    trials.map(({ planned, trial, verdict }) => [planned.key, endingOf(valueOf(trial), valueOf(verdict))]),
  );
  const { released } = campaignFrontier(plan, ({ key }) => endings.get(key) ?? null);
  return new Set(released.map(({ key }) => key));
}

/** Another version's is refused in the words of the store. */
async function readPlan(
  folder: string,
  store: CampaignStore,
): Promise<{ readonly plan: Plan; readonly planHash: string }> {
  const plan = await store.readPlan();
  const record = await readRecord(join(folder, "plan.json"), planSchema);
  if (record.kind !== "there") throw new UserError(`${folder}: plan.json was taken away while it was read.`);
  return { plan, planHash: record.hash };
}

/** Null when there cannot be as many: a number out of all proportion would not come back. */
function trialsAgain({ inputs, image, trials }: Plan): CampaignFound["again"]["trials"] {
  return countOf(inputs) === trials.length ? planTrials(inputs, image.recipe) : null;
}

function countOf({ skills, models, trials }: CampaignInputs): number {
  const cells = skills.reduce((sum, { arms, benchmarks }) => sum + arms.length * benchmarks.length, 0);
  return cells * models.length * trials;
}

async function findCanaries(folder: string): Promise<CampaignFound["canaries"]> {
  const root = join(folder, "canaries");
  const canaries = [];
  for (const skill of await namesIn(root)) {
    for (const arm of await namesIn(join(root, skill))) {
      const numbers = (await namesIn(join(root, skill, arm))).flatMap(
        (name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [],
      );
      for (const number of numbers.sort((a, b) => Number(a) - Number(b))) {
        const name = `${skill}/${arm}/${number}`;
        canaries.push({ name, canary: await readRecord(join(root, `${name}.json`), canarySchema) });
      }
    }
  }
  return canaries;
}

/** What the last settlement names, and what it should name. */
async function findSettled(folder: string, lines: readonly string[]): Promise<readonly SettledFound[]> {
  const bound = boundBy(lines);
  const paths = [...new Set([...(await settledFiles(folder)), ...bound.keys()])];
  const found = [];
  for (const path of paths) {
    const size = bound.get(path);
    const whole = await measureFile(join(folder, path));
    if (whole === null && size === undefined) continue;
    const first = size === undefined ? whole : await measureFile(join(folder, path), size);
    const prefix = first === null || first.bytes < (size ?? 0) ? null : first.sha256;
    found.push({ path, prefix, bytes: whole?.bytes ?? null });
  }
  return found;
}

/** Sizes by path, of the last settlement. Its paths are a hostile text until the chain is known to hold. */
function boundBy(lines: readonly string[]): ReadonlyMap<string, number> {
  const note = walkChain(lines).latest.get("settled")?.note;
  const files = note?.kind === "settled" ? Object.entries(note.files) : [];
  return new Map(files.filter(([path]) => isSettledPath(path)).map(([path, { bytes }]) => [path, bytes]));
}

/** The two files that every figure is read from; the others are only held against what is made anew. */
const readFrom = ["report.json", "timings.json"];

/** The report's files as they lie there, and by the report's own maker, one at a time. */
async function findReport(
  folder: string,
  findBundle: FindBundle,
): Promise<Pick<CampaignFound, "report" | "rebuilt">> {
  const report: Record<string, string | null> = {};
  for (const name of readFrom) report[name] = await readText(join(folder, "report", name));
  return { report, rebuilt: await remake(folder, findBundle) };
}

async function remake(folder: string, findBundle: FindBundle): Promise<CampaignFound["rebuilt"]> {
  try {
    const { files: made } = await remakeReport(folder);
    const files: Record<string, string> = {};
    const compared = [];
    for (const [name, text] of Object.entries(made)) {
      if (readFrom.includes(name)) files[name] = [...text()].join("");
      else {
        const came = await readText(join(folder, "report", name));
        compared.push({ name, differences: unlikeFile(name, text, came) });
      }
    }
    const { found: pages, names } = await compareTrialPages(folder, findBundle);
    const foreign = await findForeign(folder, new Set([...Object.keys(made), ...names]));
    return { kind: "made", files, compared, pages, foreign };
  } catch (error) {
    return { kind: "impossible", words: messageOf(error) };
  }
}
