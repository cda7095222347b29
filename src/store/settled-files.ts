import { join } from "node:path";
import { namesIn } from "./record.ts";

export const ledgerName = "ledger.jsonl";

/** Folders of what is kept of each skill: what judges did on sentinels, and what each arm gave. */
const folders = ["judges", "arms"] as const;

/** What a settlement of the campaign in `folder` binds, relative to it: the ledger, and the files of `folders`. */
export async function settledFiles(folder: string): Promise<readonly string[]> {
  const names = [ledgerName];
  for (const kept of folders) {
    for (const skill of await namesIn(join(folder, kept))) {
      const files = await namesIn(join(folder, kept, skill));
      names.push(...files.filter((name) => name.endsWith(".json")).map((name) => join(kept, skill, name)));
    }
  }
  return names;
}

/** Whether a settlement may bind that path: what a line of evidence says is hostile until the chain is known to hold. */
export function isSettledPath(path: string): boolean {
  const isBelow = folders.some((kept) => new RegExp(`^${kept}/[^/]+/[^/]+\\.json$`).test(path));
  return path === ledgerName || (isBelow && !path.includes("/../"));
}
