import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type JudgeTrials, judgeTrialsSchema } from "../artefacts/judges.ts";
import { type Answer, answerSchema } from "../artefacts/verdict.ts";
import { readArtefact, readArtefactIfThere } from "./artefact.ts";
import { writeJson } from "./atomic.ts";
import { openKept } from "./kept-by-key.ts";

const remedy = "Delete it and give the same command again.";

/** How the judges did on one benchmark's sentinels in the campaign in `folder`; null when they were not tried. */
export function readJudgeTrials(
  folder: string,
  { skill, benchmark }: Pick<JudgeTrials, "skill" | "benchmark">,
): Promise<JudgeTrials | null> {
  return readArtefactIfThere(fileOf(folder, { skill, benchmark }), judgeTrialsSchema, remedy);
}

/** Of every benchmark whose judges were tried, by skill and benchmark. */
export async function readAllJudgeTrials(folder: string): Promise<readonly JudgeTrials[]> {
  const root = join(folder, "judges");
  const all: JudgeTrials[] = [];
  for (const skill of await namesIn(root)) {
    for (const name of await namesIn(join(root, skill))) {
      if (!name.endsWith(".json")) continue;
      all.push(await readArtefact(join(root, skill, name), judgeTrialsSchema, remedy));
    }
  }
  return all;
}

export function writeJudgeTrials(folder: string, trials: JudgeTrials): Promise<void> {
  return writeJson(fileOf(folder, trials), trials);
}

function fileOf(folder: string, { skill, benchmark }: Pick<JudgeTrials, "skill" | "benchmark">): string {
  return join(folder, "judges", skill, `${benchmark}.json`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Judges' answers of a campaign by key, each written to `file` as soon as it is set, so that neither a kill nor an
 * exhausted budget in mid-grading makes a ballot be paid for twice. A later line of a key replaces an earlier one.
 */
export function openAnswers(file: string): Promise<Map<string, Answer>> {
  return openKept(file, answerSchema, "an answer of a judge");
}
