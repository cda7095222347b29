import { join } from "node:path";
import type { Bundle } from "./artefacts/bundle.ts";
import type { PlannedTrial } from "./artefacts/trial.ts";
import type { Difference } from "./artefacts/verification.ts";
import { parseDraft } from "./author/draft.ts";
import { UserError } from "./errors.ts";
import { trialPageFile } from "./report/html/links.ts";
import { trialPage } from "./report/trial-page/trial-page.ts";
import { readDelivered } from "./store/benchmarks.ts";
import { CampaignStore } from "./store/campaign.ts";
import type { FoundTrial } from "./store/find-trial.ts";
import { madeOf, markedPage, writePage } from "./store/pages.ts";
import { readText } from "./store/record.ts";
import { bundleFinder, type FindBundle, nowhere, trialReader, type TrialReader } from "./trial-view.ts";
import { unlikeFile } from "./verify/check-report.ts";
import type { PagesFound } from "./verify/found.ts";

/**
 * A campaign of more trials has no pages on disk: a folder tree of so many small files is slow to copy and to publish,
 * and `skillproof view` makes each page when it is asked for.
 */
export const mostTrialPages = 3000;

export type PagesMade = { readonly made: number; readonly unchanged: number };

/**
 * Writes the page of every planned trial into report/trials/, one at a time, and leaves alone those that show what is on
 * disk already. Null for a campaign of more than `mostTrialPages`.
 */
export async function writeTrialPages(folder: string, findBundle: FindBundle): Promise<PagesMade | null> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  if (plan.trials.length > mostTrialPages) return null;
  const reader = trialReader(folder, { plan, canaries: await store.readCanaries() }, findBundle);
  let made = 0;
  let unchanged = 0;
  for await (const found of store.survey(byBenchmark(plan.trials))) {
    const path = join(folder, "report", trialPageFile(found.planned));
    const hash = await reader.fingerprint(found);
    if ((await madeOf(path)) === hash) {
      unchanged++;
      continue;
    }
    await writePage(path, hash, trialPage(await reader.read(found)));
    made++;
  }
  return { made, unchanged };
}

/** Null for a campaign that has no pages on disk; the names of the files of its pages below report/. */
export type PagesCompared = { readonly found: PagesFound | null; readonly names: readonly string[] };

/** Makes every page once more, one at a time, and holds it against what lies on disk. Writes nothing. */
export async function compareTrialPages(folder: string, findBundle: FindBundle): Promise<PagesCompared> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  if (plan.trials.length > mostTrialPages) return { found: null, names: [] };
  const compare = pageComparer(folder, { plan, canaries: await store.readCanaries() }, findBundle);
  const differences: Difference[] = [];
  const left = { withoutFixtures: 0, underWay: 0 };
  for await (const found of store.survey(byBenchmark(plan.trials))) {
    const compared = await compare(found);
    if (typeof compared === "string") left[compared]++;
    else differences.push(...compared);
  }
  const compared = plan.trials.length - left.withoutFixtures - left.underWay;
  return { found: { compared, differences, left }, names: plan.trials.map(trialPageFile) };
}

type PageCompared = keyof PagesFound["left"] | readonly Difference[];

/**
 * Who made a page may have had its fixtures or not, and both are honest. Where they are not at hand now, a page that was
 * made with them cannot be told from one that was changed.
 */
function pageComparer(
  folder: string,
  on: Parameters<typeof trialReader>[1],
  findBundle: FindBundle,
): (found: FoundTrial) => Promise<PageCompared> {
  let isAtHand = false;
  const withBundle = trialReader(folder, on, async (planned, hash) => {
    const bundle = await findBundle(planned, hash);
    isAtHand = bundle !== null;
    return bundle;
  });
  const without = trialReader(folder, on, nowhere);
  return async (found) => {
    const name = trialPageFile(found.planned);
    const came = await readText(join(folder, "report", name));
    const unlike = async (reader: TrialReader): Promise<readonly Difference[]> => {
      const page = markedPage(await reader.fingerprint(found), trialPage(await reader.read(found)));
      return unlikeFile(name, () => [page], came);
    };
    const differences = await unlike(withBundle);
    if (differences.length === 0 || came === null) return differences;
    if (isAtHand && (await unlike(without)).length === 0) return [];
    if (!isAtHand) return "withoutFixtures";
    return found.trial === null && found.torn === null ? "underWay" : differences;
  };
}

/** Those of one benchmark one after the other, so that its fixtures are read once. */
function byBenchmark(trials: readonly PlannedTrial[]): readonly PlannedTrial[] {
  const cells = new Map<string, PlannedTrial[]>();
  for (const planned of trials) {
    const name = `${planned.skill}/${planned.benchmark}`;
    const cell = cells.get(name);
    if (cell === undefined) cells.set(name, [planned]);
    else cell.push(planned);
  }
  return [...cells.values()].flat();
}

/** Of benchmarks that are in memory anyway. */
export function bundlesInMemory(
  benchmarks: readonly { readonly skill: string; readonly bundle: Bundle }[],
): FindBundle {
  return ({ skill, benchmark }, hash) => {
    const found = benchmarks.find((one) => one.skill === skill && one.bundle.id === benchmark);
    return Promise.resolve(found?.bundle.hash === hash ? found.bundle : null);
  };
}

/** Of benchmarks on disk, below any of the folders that `placesOf` names for a skill. */
export function bundlesOnDisk(placesOf: (skill: string) => readonly string[]): FindBundle {
  return bundleFinder(placesOf, readIfSound);
}

/** Null for what is no bundle, or none any more: then there is nothing to compare with. */
async function readIfSound(folder: string): Promise<Bundle | null> {
  try {
    const read = await readDelivered(folder, parseDraft);
    return read.kind === "bundle" ? read.bundle : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
