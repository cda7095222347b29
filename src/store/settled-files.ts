import { join } from "node:path";
import { namesIn } from "./record.ts";

export const ledgerName = "ledger.jsonl";

/** What a settlement of the campaign in `folder` binds, relative to it: the ledger, and what judges did on sentinels. */
export async function settledFiles(folder: string): Promise<readonly string[]> {
  const names = [ledgerName];
  for (const skill of await namesIn(join(folder, "judges"))) {
    const files = await namesIn(join(folder, "judges", skill));
    names.push(...files.filter((name) => name.endsWith(".json")).map((name) => join("judges", skill, name)));
  }
  return names;
}
