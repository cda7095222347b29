import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Timings, timingsSchema } from "../artefacts/timings.ts";

/** What stands beside a campaign's report.json. */
export async function readTimings(campaign: string): Promise<Timings> {
  return timingsSchema.parse(JSON.parse(await readFile(join(campaign, "report", "timings.json"), "utf8")));
}

/** Of the only campaign in a folder of campaigns. */
export async function readOnlyTimings(out: string): Promise<Timings> {
  const campaigns = (await readdir(out)).filter((name) => /-[0-9a-f]{12}$/.test(name));
  const [only, ...others] = campaigns;
  if (only === undefined || others.length > 0)
    throw new Error(`${out}: ${campaigns.length} campaigns, expected 1`);
  return readTimings(join(out, only));
}
