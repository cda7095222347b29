import type { Dirent } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { shelves } from "./find-trial.ts";
import { findUnfinished } from "./leftovers.ts";

/** A trial's folder has this behind its name until it is whole. */
export const draftSuffix = ".unfinished";

export type Draft = { readonly draft: string; readonly final: string };

/** Drafts right below `parents` that have their last file, trial.json, so that only renames are missing. */
export async function findWholeDrafts(parents: readonly string[]): Promise<readonly Draft[]> {
  const whole: Draft[] = [];
  for (const draft of await childrenOf(parents, isDraft)) {
    const names = (await entriesIn(draft)).map(({ name }) => name);
    if (names.includes("trial.json")) whole.push({ draft, final: draft.slice(0, -draftSuffix.length) });
  }
  return whole;
}

/** A finished folder takes the place of one that holds only the lost attempts before it. */
export async function placeDraft(draft: string, final: string): Promise<void> {
  for (const shelf of shelves) {
    if ((await entriesIn(join(final, shelf))).length === 0) continue;
    await rename(join(final, shelf), join(draft, shelf));
  }
  await rm(final, { recursive: true, force: true });
  await rename(draft, final);
}

/**
 * What a kill left in a campaign's `folder` outside of trials' own folders, which are read one by one anyhow, and of
 * what was set aside: drafts and temporary files. `parents`: folders that trials' folders lie in.
 */
export async function findLeftovers(folder: string, parents: readonly string[]): Promise<readonly string[]> {
  const beside = await childrenOf(parents, isLeftover);
  const found = await Promise.all(
    (await entriesIn(folder)).map(async (entry): Promise<readonly string[]> => {
      const path = join(folder, entry.name);
      if (isLeftover(path)) return [path];
      return entry.isDirectory() && !large.includes(entry.name) ? findUnfinished(path) : [];
    }),
  );
  return [...beside, ...found.flat()];
}

const large = ["trials", "set-aside"];

function isDraft(name: string): boolean {
  return name.endsWith(draftSuffix);
}

function isLeftover(name: string): boolean {
  return name.endsWith(".tmp") || isDraft(name);
}

/** Paths of those in `folders` whose names are `wanted`; the others are many. */
async function childrenOf(
  folders: readonly string[],
  wanted: (name: string) => boolean,
): Promise<readonly string[]> {
  const children: string[] = [];
  for (const folder of folders) {
    for (const name of await readIfThere(() => readdir(folder))) {
      if (wanted(name)) children.push(join(folder, name));
    }
  }
  return children;
}

function entriesIn(folder: string): Promise<readonly Dirent[]> {
  return readIfThere(() => readdir(folder, { withFileTypes: true }));
}

async function readIfThere<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
