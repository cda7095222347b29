import { cp, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usualModels } from "../cli/init.ts";
import { main } from "../cli/main.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { writeTree } from "../store/tree.ts";
import { answerBundle, passedGate, treeOf } from "./benchmark.ts";
import { type CapturedIo, capturedIo } from "./captured-io.ts";
import { type FakeModel, type FakeRule, type RunningFake, startFake } from "./fake-openrouter.mjs";
import { obedientModel, sampleSkill } from "./sample-campaign.ts";

export const readersSkill = "my-skill";
/** SKILL.md of it. */
export const readersSkillText = sampleSkill.replace("name: sample", `name: ${readersSkill}`);
const configFile = "skillproof.config.yaml";

/** How a command of a page ended. */
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** A server that knows every model that `init` writes down; the author follows `author`, the others the skill. */
export function readersServer(author: readonly FakeRule[] = []): Promise<RunningFake> {
  const { "evaluation.models": tested, "judge.models": judges, "authoring.model": writes } = usualModels;
  const models = new Map<string, FakeModel>([
    ...tested.map((id) => [id, obedientModel()] as const),
    ...judges.map((id) => [id, {}] as const),
    [writes, { rules: author }] as const,
  ]);
  return startFake({ scenario: { models: Object.fromEntries(models) } });
}

/** A folder as somebody has it who begins: a skill, a key, tasks from elsewhere. */
export async function readersFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reader-"));
  const script = "#!/usr/bin/env bash\necho right\n";
  await writeTree(
    join(folder, "skills", readersSkill),
    treeOf({ "SKILL.md": readersSkillText, "scripts/answer.sh!": script }),
  );
  await cp(join(import.meta.dirname, "formats/original"), join(folder, "tasks"), { recursive: true });
  return folder;
}

/** A benchmark that `build` could have made. */
export async function addReadersBenchmark(folder: string): Promise<void> {
  const bundle = answerBundle();
  await writeBenchmark(join(folder, "benchmarks", readersSkill, bundle.id), bundle, passedGate(bundle));
}

/** Names of the campaigns below out/. */
export async function readersCampaigns(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, "out")).catch((): string[] => []);
  return names.filter((name) => name.startsWith(`${readersSkill}-`)).sort();
}

/**
 * A command of skillproof. The campaign's file, once there is one, asks the stand-in server instead of the real one, and
 * for one trial a cell, and `plan` simulates little: a reader has more time than a test. `view` is ended as soon as it shows
 * something.
 */
export async function perform(
  folder: string,
  words: readonly string[],
  server: Pick<RunningFake, "baseURL">,
): Promise<Ended> {
  await replaceInFile(join(folder, configFile), [
    [/https:\/\/openrouter\.ai\/api\/v1/g, server.baseURL],
    [/^ {2}trials: 3\b/gm, "  trials: 1"],
  ]);
  const stop = new AbortController();
  const env = { OPENROUTER_API_KEY: "sk-test", PATH: process.env["PATH"] };
  // Somebody is there who says yes.
  const captured = capturedIo(folder, { env, drain: stop.signal, ask: () => Promise.resolve(true) });
  const io: CapturedIo = {
    ...captured,
    out: (text) => {
      captured.out(text);
      if (words[0] === "view") stop.abort();
    },
  };
  const quick = words[0] === "plan" ? ["--repetitions", "5"] : [];
  const code = await main([...words, ...quick], io);
  return { code, out: io.stdout(), err: io.stderr() };
}

async function replaceInFile(
  file: string,
  changes: readonly (readonly [from: RegExp, to: string])[],
): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return;
  const changed = changes.reduce((whole, [from, to]) => whole.replace(from, to), text);
  if (changed !== text) await writeFile(file, changed);
}
