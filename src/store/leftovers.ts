import { lstat, readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** Lies in a campaign's folder while a process works on it. */
export const campaignLock = "campaign.lock";

/** Something temporary on disk that nobody will finish. */
export type FileLeftover = {
  readonly path: string;
  readonly bytes: number;
};

/** Who is alive: the holder of a lock file, the process of a number. */
export type Living = {
  readonly holds: (lock: string) => Promise<boolean>;
  readonly runs: (pid: number) => boolean;
};

/** Temporary files and folders below `folder` that a write under way, or one that was killed, has there. */
export function findUnfinished(folder: string): Promise<string[]> {
  return walk(folder, (name) => name.endsWith(".tmp") || name.endsWith(".unfinished"));
}

/** What dead processes left below `out`: half-written files, unfinished trials, locks. */
export async function findDeadOutput(out: string, living: Living): Promise<FileLeftover[]> {
  const found = await walk(
    out,
    (name) => name.endsWith(".tmp") || name.endsWith(".unfinished") || name === campaignLock,
  );
  const dead: string[] = [];
  for (const path of found) if (!(await isAtWork(path, out, living))) dead.push(path);
  return Promise.all(dead.map(measure));
}

/** What dead processes left in the system's folder for temporary files. */
export async function findDeadTemporary(folder: string, living: Living): Promise<FileLeftover[]> {
  const dead: string[] = [];
  for (const { name } of await entriesIn(folder)) {
    const path = join(folder, name);
    if (/^skillproof-image-[0-9a-f]+\.lock$/.test(name)) {
      if (!(await living.holds(path))) dead.push(path);
    } else if (name.startsWith("skillproof-")) {
      const pid = temporaryPid(name) ?? writerPid(name);
      if (pid !== null && !living.runs(pid)) dead.push(path);
    }
  }
  return Promise.all(dead.sort().map(measure));
}

/** The process in the name of a temporary folder: of a `command` author, of a base image being made. */
function temporaryPid(name: string): number | null {
  const [, pid] = /^skillproof-(?:author|base)-(\d+)-/.exec(name) ?? [];
  return pid === undefined ? null : Number(pid);
}

/** The process in the name of a file half written (store/atomic.ts). */
function writerPid(name: string): number | null {
  const [, pid] = /\.(\d+)\.[0-9a-f-]+\.tmp$/.exec(name) ?? [];
  return pid === undefined ? null : Number(pid);
}

async function isAtWork(path: string, out: string, living: Living): Promise<boolean> {
  if (path.endsWith(campaignLock)) return living.holds(path);
  for (let at = dirname(path); !relative(out, at).startsWith(".."); at = dirname(at)) {
    if (await living.holds(join(at, campaignLock))) return true;
    if (at === dirname(at)) break;
  }
  if (path.endsWith(".unfinished")) return false;
  const pid = writerPid(path);
  return pid === null || living.runs(pid);
}

async function measure(path: string): Promise<FileLeftover> {
  const stat = await lstat(path);
  if (!stat.isDirectory()) return { path, bytes: stat.size };
  const files = await walk(path, () => false, true);
  const sizes = await Promise.all(files.map(async (file) => (await lstat(file)).size));
  return { path, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Paths of what `wanted` takes by its name, or of every file; nothing is looked for inside of them. Follows no links. */
async function walk(folder: string, wanted: (name: string) => boolean, files = false): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const entry of await entriesIn(at)) {
      const path = join(at, entry.name);
      if (wanted(entry.name) || (files && !entry.isDirectory())) found.push(path);
      else if (entry.isDirectory()) await visit(path);
    }
  };
  await visit(folder);
  return found.sort();
}

async function entriesIn(folder: string): Promise<{ readonly name: string; isDirectory(): boolean }[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Removed while we were on our way to it.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
