import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump } from "js-yaml";
import { type Plan, planSchema } from "../artefacts/plan.ts";
import { type Report, reportSchema } from "../artefacts/report.ts";
import type { ExitCode, Io } from "../cli/io.ts";
import { main } from "../cli/main.ts";
import type { RawConfig } from "../config.ts";
import { capturedIo } from "./captured-io.ts";
import type { FakeLogEntry } from "./fake-openrouter.mjs";

export type Evaluated = {
  readonly code: ExitCode;
  readonly stderr: string;
  /** From report.json on stdout; null when the command ended before. */
  readonly report: Report | null;
};

/** `skillproof eval --yes --json` in a campaign's folder. */
export async function evalIn(
  folder: string,
  { args = [], over = {} }: { readonly args?: readonly string[]; readonly over?: Partial<Io> } = {},
): Promise<Evaluated> {
  const io = capturedIo(folder, over);
  const code = await main(["eval", "--yes", "--json", ...args], io);
  const stdout = io.stdout();
  return { code, stderr: io.stderr(), report: stdout === "" ? null : reportSchema.parse(JSON.parse(stdout)) };
}

/** The report of a command that came to its end. */
export function reportOf({ report, stderr }: Evaluated): Report {
  if (report === null) throw new Error(`no report:\n${stderr}`);
  return report;
}

/** Replaces the campaign's file. */
export async function writeConfig(folder: string, config: RawConfig): Promise<void> {
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
}

/** The folder of the only campaign there is below `out`. */
export async function campaignIn(folder: string): Promise<string> {
  const [name, ...more] = (await readdir(join(folder, "out"))).filter((entry) => entry !== "cache");
  if (name === undefined || more.length > 0)
    throw new Error(`not one campaign: ${[name, ...more].join(", ")}`);
  return join(folder, "out", name);
}

export async function planIn(folder: string): Promise<Plan> {
  return planSchema.parse(JSON.parse(await readFile(join(await campaignIn(folder), "plan.json"), "utf8")));
}

/** Paths below the campaign's folder, sorted, that end in `name`; what was not finished is left out. */
export async function filesIn(folder: string, name: string): Promise<string[]> {
  const files = await readdir(await campaignIn(folder), { recursive: true });
  return files.filter((file) => file.endsWith(name) && !file.includes(".unfinished")).sort();
}

/** What was asked of the models, lists and look-ups left out. */
export function chatsIn(log: readonly FakeLogEntry[]): readonly FakeLogEntry[] {
  return log.filter(({ path }) => path.endsWith("chat/completions"));
}
