import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ArmRecord, armRecordSchema } from "./artefacts/arm-record.ts";
import type { Difference } from "./artefacts/verification.ts";
import { namesIn, readRecord } from "./store/record.ts";
import type { ArmFound, CampaignFound } from "./verify/found.ts";
import type { TrialIndex } from "./verify/trial-index.ts";

/** Half written (store/atomic.ts), or a trial under way (store/open-trial.ts): a kill leaves such, and nothing reads them. */
const unfinished = /\.(\d+\.[0-9a-f-]+\.tmp|unfinished)$/;
/** Of foreign files so many are named, the others counted. */
const mostNamed = 100;

type Entry = { readonly path: string; readonly kind: "file" | "folder" | "other" };

/** What lies in the folder `below` of `root`, sorted, without dot files and without what is half written. */
async function entriesIn(root: string, below: string): Promise<readonly Entry[]> {
  try {
    const entries = await readdir(join(root, below), { withFileTypes: true });
    return entries
      .filter((entry) => !unfinished.test(entry.name) && (entry.isDirectory() || !entry.name.startsWith(".")))
      .map((entry): Entry => {
        const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
        return { path: `${below}/${entry.name}`, kind };
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** What lies among the trials of the campaign in `folder` without being planned. Only names are read, of folders. */
export async function findUnplanned(folder: string, planned: TrialIndex): Promise<readonly string[]> {
  const root = "trials/";
  const above = new Set<string>();
  for (const name of planned.keys()) {
    const trial = `${root}${name}`;
    for (let end = trial.lastIndexOf("/"); end > 0; end = trial.lastIndexOf("/", end - 1)) {
      if (above.has(trial.slice(0, end))) break;
      above.add(trial.slice(0, end));
    }
  }
  const unplanned: string[] = [];
  const visit = async (below: string): Promise<void> => {
    for (const { path } of await entriesIn(folder, below)) {
      if (planned.has(path.slice(root.length))) continue;
      if (above.has(path)) await visit(path);
      else unplanned.push(path);
    }
  };
  await visit("trials");
  return unplanned;
}

/** What was kept of the arms. */
export async function findArms(folder: string): Promise<readonly ArmFound[]> {
  const arms: ArmFound[] = [];
  for (const skill of await namesIn(join(folder, "arms"))) {
    for (const name of await namesIn(join(folder, "arms", skill))) {
      const [, arm] = /^(.+)\.json$/.exec(name) ?? [];
      if (arm === undefined) continue;
      const place = `arms/${skill}/${name}`;
      const record = await readRecord(join(folder, place), armRecordSchema);
      arms.push({ place, skill, arm, record: record.kind === "there" ? leanRecord(record) : record });
    }
  }
  return arms;
}

type Kept = { readonly kind: "there"; readonly value: ArmRecord; readonly hash: string };

/** Without the texts. */
function leanRecord({ value: { skill, arm, delivered }, ...rest }: Kept): ArmFound["record"] {
  return { ...rest, value: { skill, arm, delivered } };
}

/** What lies below report/ and is none of the files `made` there, and what is no file in the place of one. */
export async function findForeign(
  folder: string,
  made: ReadonlySet<string>,
): Promise<Extract<CampaignFound["rebuilt"], { readonly kind: "made" }>["foreign"]> {
  const foreign: Difference[] = [];
  let more = 0;
  const visit = async (below: string): Promise<void> => {
    for (const { path, kind } of await entriesIn(folder, below)) {
      const isMade = made.has(path.slice("report/".length));
      if (kind === "folder") await visit(path);
      else if (!isMade || kind === "other") {
        if (foreign.length === mostNamed) more++;
        else foreign.push(isMade ? { place: path, ...odd } : { place: path, ...stranger });
      }
    }
  };
  await visit("report");
  if (more === 0) return foreign;
  return [...foreign, { place: "report", ...stranger, came: `${more} more of them, which are not named` }];
}

const odd = { expected: "a regular file", came: "a link, pipe, device or socket: not a regular file" };
const stranger = { expected: "only files that skillproof report makes", came: "another file" };
