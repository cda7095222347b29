import { basename, dirname, join } from "node:path";
import { canarySchema } from "./artefacts/canary.ts";
import type { CampaignInputs, Plan } from "./artefacts/plan.ts";
import type { Verification } from "./artefacts/verification.ts";
import { campaignFrontier, endingOf } from "./campaign-looks.ts";
import { campaignId } from "./campaign-plan.ts";
import { remakeReport } from "./campaign-report.ts";
import type { Ending } from "./conclude/frontier.ts";
import { messageOf, UserError } from "./errors.ts";
import { eachTrial } from "./evaluate/plan-trials.ts";
import { CampaignStore } from "./store/campaign.ts";
import { measureFile } from "./store/file-hash.ts";
import { hashPlan } from "./store/hash-plan.ts";
import { readAllJudgeTrials } from "./store/judges.ts";
import { ledgerLines, settledIds } from "./store/ledger.ts";
import { namesIn, readRecord, readRecords, readText } from "./store/record.ts";
import { readSections } from "./store/sections.ts";
import { isSettledPath, settledFiles } from "./store/settled-files.ts";
import { tailOf, wholeLines } from "./store/whole-lines.ts";
import { bundlesOnDisk, compareTrialPages } from "./trial-pages.ts";
import type { FindBundle } from "./trial-view.ts";
import { type Chain, ChainWalk } from "./verify/chain.ts";
import { unlikeFile } from "./verify/check-report.ts";
import { type CampaignFound, type LedgerFound, type SettledFound, valueOf } from "./verify/found.ts";
import { LedgerWalk } from "./verify/ledger-walk.ts";
import { indexTrials, type TrialIndex } from "./verify/trial-index.ts";
import { verifyFound } from "./verify/verify-found.ts";
import { findArms, findForeign, findUnplanned } from "./verify-folders.ts";
import { findMaterial, type MaterialPlaces } from "./verify-material.ts";
import { readReported } from "./verify-report.ts";
import { findOutcome, findTrials } from "./verify-trial.ts";

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
  const evidence = join(folder, evidenceName);
  const before = await tailOf(evidence);
  const torn = before.wholeBytes < before.bytes;
  const found = await findCampaign(folder, torn, options);
  const verification = await verifyFound(found, findTrials(folder, found.plan.trials));
  const after = await tailOf(evidence);
  if (before.wholeBytes !== after.wholeBytes) {
    throw new UserError(
      `${folder}: evidence was added while it was read. Verify it when the work on it has ended or been stopped.`,
    );
  }
  return verification;
}

const evidenceName = "evidence.jsonl";

/** All but the trials. What is as long as they are many is walked here, and not kept. */
async function findCampaign(
  folder: string,
  torn: boolean,
  { publishedHead, placesOf }: VerifyOptions,
): Promise<CampaignFound> {
  const benchmarksOf = (skill: string): readonly string[] => [
    placesOf(skill).benchmarks,
    join(dirname(folder), "benchmarks", skill), // as the demo has them
  ];
  const { plan, planHash } = await readPlan(folder);
  const made = await findReport(folder, bundlesOnDisk(benchmarksOf));
  const index = indexTrials(plan.trials);
  const walk = new ChainWalk({ trials: plan.trials, index, sought: made.report.head });
  for await (const lines of wholeLines(join(folder, evidenceName))) for (const line of lines) walk.see(line);
  const chain = walk.chain();
  return {
    ...{ plan, planHash, chain, torn, publishedHead },
    folder: basename(folder),
    released: await findReleased(folder, plan),
    canaries: await findCanaries(folder),
    ledger: await readRecords(() => findLedger(folder, plan, index)),
    judgeTrials: await readRecords(() => readAllJudgeTrials(folder)),
    unplanned: await findUnplanned(folder, index),
    arms: await findArms(folder),
    again: { campaign: campaignId(plan.inputs), trials: trialsAgain(plan) },
    settled: await findSettled(folder, chain),
    sections: await findKeptSections(folder, plan),
    ...(await findMaterial(plan.inputs, placesOf)),
    ...made,
  };
}

async function findKeptSections(folder: string, { sections }: Plan): Promise<CampaignFound["sections"]> {
  return Promise.all(sections.map(async ({ skill }) => ({ skill, kept: await readSections(folder, skill) })));
}

/**
 * Where the looks had come to, by the verdicts that lie there. A plan with looks is walked twice: which trials count is
 * known only behind the last verdict, and what counts of a hundred thousand is too much to keep until then.
 */
async function findReleased(folder: string, plan: Plan): Promise<ReadonlySet<string>> {
  if ((plan.analysis?.looks ?? null) === null) return new Set(plan.trials.map(({ key }) => key));
  const endings = new Map<string, Ending | null>();
  for (const planned of plan.trials) {
    const { trial, verdict } = await findOutcome(folder, planned);
    endings.set(planned.key, endingOf(valueOf(trial), valueOf(verdict)));
  }
  const { released } = campaignFrontier(plan, ({ key }) => endings.get(key) ?? null);
  return new Set(released.map(({ key }) => key));
}

/** Another version's is refused in the words of the store. */
async function readPlan(folder: string): Promise<{ readonly plan: Plan; readonly planHash: string }> {
  const plan = await new CampaignStore(folder).readPlan();
  const planHash = await hashPlan(join(folder, "plan.json"));
  if (planHash === null) throw new UserError(`${folder}: plan.json was taken away while it was read.`);
  return { plan, planHash };
}

/** Read twice: what was found out later about an attempt stands behind it. */
async function findLedger(folder: string, plan: Plan, index: TrialIndex): Promise<LedgerFound> {
  const file = new CampaignStore(folder).ledgerFile;
  const walk = new LedgerWalk({ plan, index, settled: await settledIds(file) });
  for await (const lines of ledgerLines(file)) for (const line of lines) walk.see(line);
  return walk.found();
}

/** Null when there cannot be as many: a number out of all proportion would not come back. */
function trialsAgain({ inputs, image, trials }: Plan): CampaignFound["again"]["trials"] {
  return countOf(inputs) === trials.length ? eachTrial(inputs, image.recipe) : null;
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
async function findSettled(folder: string, chain: Chain): Promise<readonly SettledFound[]> {
  const bound = boundBy(chain);
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
function boundBy({ latest }: Chain): ReadonlyMap<string, number> {
  const note = latest.get("settled")?.note;
  const files = note?.kind === "settled" ? Object.entries(note.files) : [];
  return new Map(files.filter(([path]) => isSettledPath(path)).map(([path, { bytes }]) => [path, bytes]));
}

/** The report's files as they lie there, and what the report's own maker makes of the records, held against them. */
async function findReport(
  folder: string,
  findBundle: FindBundle,
): Promise<Pick<CampaignFound, "report" | "rebuilt">> {
  const rebuilt = await remake(folder, findBundle);
  const [report, timings] = [join(folder, "report/report.json"), join(folder, "report/timings.json")];
  return { report: await readReported(report, timings), rebuilt };
}

/** One file at a time; what the maker held of the trials is free again before they are walked. */
async function remake(folder: string, findBundle: FindBundle): Promise<CampaignFound["rebuilt"]> {
  try {
    const { files: made } = await remakeReport(folder);
    const compared = [];
    for (const [name, text] of Object.entries(made)) {
      const came = await readText(join(folder, "report", name));
      compared.push({ name, differences: unlikeFile(name, text, came) });
    }
    const { found: pages, names } = await compareTrialPages(folder, findBundle);
    const foreign = await findForeign(folder, new Set([...Object.keys(made), ...names]));
    return { kind: "made", compared, pages, foreign };
  } catch (error) {
    return { kind: "impossible", words: messageOf(error) };
  }
}
