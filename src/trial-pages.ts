import { join } from "node:path";
import type { Bundle } from "./artefacts/bundle.ts";
import type { PlannedTrial } from "./artefacts/trial.ts";
import { parseDraft } from "./author/draft.ts";
import { UserError } from "./errors.ts";
import { trialPageFile } from "./report/html/links.ts";
import { trialPage } from "./report/trial-page/trial-page.ts";
import { readDelivered } from "./store/benchmarks.ts";
import { CampaignStore } from "./store/campaign.ts";
import { madeOf, writePage } from "./store/pages.ts";
import { bundleFinder, type FindBundle, trialReader } from "./trial-view.ts";

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
