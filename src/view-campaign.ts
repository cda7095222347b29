import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Plan } from "./artefacts/plan.ts";
import { type PlannedTrial, trialName } from "./artefacts/trial.ts";
import { type MadeReport, remakeReport } from "./campaign-report.ts";
import {
  campaignsPage,
  cellKey,
  cellPage,
  cellsPage,
  largeCampaignPage,
  trialsPerPage,
} from "./report/trial-page/cell-pages.ts";
import { linksServed, trialPage } from "./report/trial-page/trial-page.ts";
import { standingOf } from "./report/trial-page/trial-words.ts";
import { CampaignStore } from "./store/campaign.ts";
import type { FoundTrial } from "./store/find-trial.ts";
import { fileInside, trialFiles } from "./store/trial-files.ts";
import { mostTrialPages } from "./trial-pages.ts";
import { type FindBundle, trialReader } from "./trial-view.ts";

/** A page, and whether what it shows is not complete yet. */
export type ViewedPage = { readonly text: string; readonly isOpen: boolean };

export type CampaignViewer = {
  /** Where one begins: the report, or for a large campaign the way to it and to its trials. */
  readonly start: () => Promise<ViewedPage>;
  /** A file of the report by its name; null where there is none of that name. */
  readonly reportFile: (name: string) => Promise<ViewedPage | null>;
  /** The page of the trial of that name (artefacts/trial.ts); null for one that is not planned. */
  readonly trial: (name: string) => Promise<ViewedPage | null>;
  readonly cells: () => Promise<ViewedPage>;
  /** Trials of a cell from the `from`th on (0-based); null for a cell that is not planned. */
  readonly cell: (key: string, from: number) => Promise<ViewedPage | null>;
  /** The real path of a trial's file that may be read as it is; null where there is none. */
  readonly rawFile: (name: string, file: string) => Promise<string | null>;
};

export const campaignList = campaignsPage;

/** What is read of a plan once. */
type Known = {
  readonly plan: Plan;
  readonly byName: ReadonlyMap<string, PlannedTrial>;
  readonly cells: ReadonlyMap<string, readonly [PlannedTrial, ...PlannedTrial[]]>;
};

/** Makes pages of one campaign when they are asked for, from what is on disk then. */
export function viewCampaign(folder: string, findBundle: FindBundle): CampaignViewer {
  const store = new CampaignStore(folder);
  const known = whileUnchanged([join(folder, "plan.json")], async () => knownOf(await store.readPlan()));
  const made = whileUnchanged(
    ["plan.json", "evidence.jsonl", "ledger.jsonl"].map((name) => join(folder, name)),
    () => remakeReport(folder),
  );
  // The last one that was asked for: who watches a campaign asks for one file again and again.
  let last: { readonly of: MadeReport; readonly name: string; readonly text: string } | null = null;
  const file = async (name: string): Promise<ViewedPage | null> => {
    const of = await made();
    const pieces = Object.hasOwn(of.files, name) ? of.files[name] : undefined;
    if (pieces === undefined) return null;
    if (last?.of !== of || last.name !== name) last = { of, name, text: [...pieces()].join("") };
    return { text: last.text, isOpen: of.report.trials.graded < of.report.trials.planned };
  };
  return {
    start: async () => {
      const { plan } = await known();
      const large = { text: largeCampaignPage(plan.campaign, plan.trials.length), isOpen: false };
      return plan.trials.length > mostTrialPages ? large : ((await file("index.html")) ?? large);
    },
    reportFile: file,
    trial: async (name) => {
      const { plan, byName } = await known();
      const planned = byName.get(name);
      if (planned === undefined) return null;
      const reader = trialReader(folder, { plan, canaries: await store.readCanaries() }, findBundle);
      const [found] = await foundOf(store, [planned]);
      if (found === undefined) return null;
      const text = trialPage(await reader.read(found), linksServed);
      return { text, isOpen: found.trial?.outcome.kind !== "blocked" && found.verdict === null };
    },
    cells: async () => {
      const { plan, cells } = await known();
      const rows = [...cells.values()].map((trials) => ({ cell: trials[0], planned: trials.length }));
      return { text: cellsPage({ campaign: plan.campaign, cells: rows }), isOpen: false };
    },
    cell: async (key, from) => {
      const { plan, cells } = await known();
      const trials = cells.get(key);
      if (trials === undefined || from < 0 || from >= trials.length) return null;
      const found = await foundOf(store, trials.slice(from, from + trialsPerPage));
      const rows = found.map((one) => {
        return { planned: one.planned, ...standingOf({ ...one, torn: one.torn?.reason ?? null }) };
      });
      const cell = { campaign: plan.campaign, cell: trials[0], trials: rows, planned: trials.length, from };
      return { text: cellPage(cell), isOpen: found.some(({ verdict }) => verdict === null) };
    },
    rawFile: async (name, wanted) => {
      const planned = (await known()).byName.get(name);
      const isOne = trialFiles.some((one) => one === wanted);
      return planned === undefined || !isOne
        ? null
        : fileInside(folder, "trials", trialName(planned), wanted);
    },
  };
}

function knownOf(plan: Plan): Known {
  const cells = new Map<string, [PlannedTrial, ...PlannedTrial[]]>();
  for (const planned of plan.trials) {
    const key = cellKey(planned);
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [planned]);
    else cell.push(planned);
  }
  return { plan, byName: new Map(plan.trials.map((planned) => [trialName(planned), planned])), cells };
}

async function foundOf(store: CampaignStore, trials: readonly PlannedTrial[]): Promise<FoundTrial[]> {
  const all: FoundTrial[] = [];
  for await (const found of store.survey(trials)) all.push(found);
  return all;
}

/** Makes something once, and again when one of the files that it is made of has changed. */
function whileUnchanged<T>(paths: readonly string[], make: () => Promise<T>): () => Promise<T> {
  let last: { readonly mark: string; readonly made: Promise<T> } | null = null;
  return async () => {
    const mark = (await Promise.all(paths.map(markOf))).join("\n");
    if (last?.mark === mark) return last.made;
    const next = { mark, made: make() };
    last = next;
    try {
      return await next.made;
    } catch (error) {
      // Not kept: whoever asks next may find it mended.
      if (last === next) last = null;
      throw error;
    }
  };
}

async function markOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "none";
    throw error;
  }
}
