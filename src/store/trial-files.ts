import { lstat, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { type PlannedTrial, trialName } from "../artefacts/trial.ts";
import { UserError } from "../errors.ts";
import { openRegular } from "./regular-file.ts";

/** Files of a trial that are there to be read as they are, in the order in which they come about. */
export const trialFiles = [
  "transcript.jsonl",
  "trial.json",
  "workspace.tar.gz",
  "grader.log",
  "verdict.json",
  "claim.json",
] as const;
export type TrialFile = (typeof trialFiles)[number];

export function trialFolder(campaign: string, planned: PlannedTrial): string {
  return join(campaign, "trials", trialName(planned));
}

/** Those of a trial that are files and no links. */
export async function trialFilesThere(
  campaign: string,
  planned: PlannedTrial,
): Promise<readonly TrialFile[]> {
  const folder = trialFolder(campaign, planned);
  const names = await filesIn(folder);
  return trialFiles.filter((name) => names.includes(name));
}

/**
 * The real path of a file that lies in `campaign`; null where there is none, where it is no plain file, or where links
 * lead to a place outside.
 */
export async function fileInside(campaign: string, ...parts: readonly string[]): Promise<string | null> {
  const path = join(campaign, ...parts);
  try {
    if (!(await lstat(path)).isFile()) return null;
    const [root, real] = await Promise.all([realpath(campaign), realpath(path)]);
    return real.startsWith(`${root}${sep}`) ? real : null;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** At most the first `mostBytes` of a text file, with its whole size; null where no regular file lies there. */
export async function readHead(
  path: string,
  mostBytes: number,
): Promise<{ readonly text: string; readonly bytes: number } | null> {
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      const head = Buffer.alloc(Math.min(size, mostBytes));
      const { bytesRead } = await file.read(head, 0, head.length, 0);
      return { text: head.toString("utf8", 0, bytesRead), bytes: size };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsence(error) || error instanceof UserError) return null;
    throw error;
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "ENAMETOOLONG"].includes(code);
}
