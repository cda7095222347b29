import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Canary, canarySchema } from "../artefacts/canary.ts";
import { type Plan, planSchema } from "../artefacts/plan.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import {
  type PlannedTrial,
  type SnapshotRef,
  type Trial,
  trialName,
  trialSchema,
} from "../artefacts/trial.ts";
import { type Verdict, verdictSchema } from "../artefacts/verdict.ts";
import { hashJson } from "../hash.ts";
import { readArtefact, readArtefactIfThere } from "./artefact.ts";
import { writeAtomic, writeJson } from "./atomic.ts";
import { EvidenceChain, markOf } from "./evidence.ts";
import { findUnfinished } from "./leftovers.ts";
import { openSnapshot, spoolSnapshot } from "./spool.ts";

type Shelf = (typeof shelves)[number];
const shelves = ["voids", "stopped"] as const;

/** What an agent left behind before it is known to be a finished trial. */
export type OpenTrial = {
  readonly record: (line: TranscriptLine) => void;
  readonly spool: (tar: AsyncIterable<Uint8Array>) => Promise<SnapshotRef>;
  /** Puts the evidence in its place. Until then nothing of it counts. */
  readonly finish: (trial: Trial) => Promise<void>;
  /**
   * Keeps the evidence of an attempt that is no trial: under voids/ when it was lost to infrastructure, under stopped/
   * when we ended it ourselves (the budget, a model or a campaign that cannot go on), which is nobody's fault.
   */
  readonly lose: (reason: string, shelf?: Shelf) => Promise<void>;
};

/** One campaign's folder: plan, evidence of trials, verdicts. Everything is written whole or not at all. */
export class CampaignStore {
  readonly folder: string;
  private readonly chain: EvidenceChain;

  constructor(folder: string) {
    this.folder = folder;
    this.chain = new EvidenceChain(join(folder, "evidence.jsonl"));
  }

  /** What judges answered, as they answered it. */
  get answersFile(): string {
    return join(this.folder, "answers.jsonl");
  }

  get ledgerFile(): string {
    return join(this.folder, "ledger.jsonl");
  }

  readPlan(): Promise<Plan> {
    return readArtefact(this.planFile, planSchema, "Name a campaign's folder, or make one: skillproof eval");
  }

  readPlanIfThere(): Promise<Plan | null> {
    return readArtefactIfThere(this.planFile, planSchema, "Delete the folder to begin again.");
  }

  writePlan(plan: Plan): Promise<void> {
    return writeJson(this.planFile, plan);
  }

  /** Null while the trial is not finished. A finished one whose key is not the planned one is an error. */
  async readTrial(planned: PlannedTrial): Promise<Trial | null> {
    const path = join(this.trialFolder(planned), "trial.json");
    const trial = await readArtefactIfThere(path, trialSchema, "Delete its folder and repeat the command.");
    if (trial !== null && trial.trial.key !== planned.key) {
      throw new Error(`${path}: holds another trial (${trial.trial.key}) than the plan (${planned.key})`);
    }
    return trial;
  }

  /** Those of `planned` that are finished. */
  async readTrials(planned: readonly PlannedTrial[]): Promise<Trial[]> {
    const trials = [];
    for (const one of planned) trials.push(await this.readTrial(one));
    return trials.filter((trial) => trial !== null);
  }

  readVerdict(planned: PlannedTrial): Promise<Verdict | null> {
    const path = join(this.trialFolder(planned), "verdict.json");
    return readArtefactIfThere(path, verdictSchema, "Delete it and repeat: skillproof grade");
  }

  readSnapshot(planned: PlannedTrial): AsyncIterable<Uint8Array> {
    return openSnapshot(join(this.trialFolder(planned), "workspace.tar.gz"));
  }

  async openTrial(planned: PlannedTrial): Promise<OpenTrial> {
    const final = this.trialFolder(planned);
    const draft = `${final}.unfinished`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    const lines: string[] = [];
    return {
      record: (line) => lines.push(JSON.stringify(line)),
      spool: (tar) => spoolSnapshot(tar, join(draft, "workspace.tar.gz")),
      finish: async (trial) => {
        await writeAtomic(join(draft, "transcript.jsonl"), `${lines.join("\n")}\n`);
        await writeJson(join(draft, "trial.json"), trial);
        await this.place(draft, final);
        await this.note("trial", planned, hashJson(trial));
      },
      lose: async (reason, shelf = "voids") => {
        const text = `${shelf === "voids" ? "void" : shelf}: ${reason}`;
        lines.push(JSON.stringify({ kind: "note", text } satisfies TranscriptLine));
        await writeAtomic(join(draft, "transcript.jsonl"), `${lines.join("\n")}\n`);
        await mkdir(join(final, shelf), { recursive: true });
        const number = (await entriesOf(join(final, shelf))).length;
        await rename(draft, join(final, shelf, String(number + 1)));
      },
    };
  }

  /**
   * Puts right what a killed process left half done: a finished trial that was not yet in its place or not yet in the
   * evidence, and temporary files. Only for the one process that works on this campaign.
   */
  async recover(trials: readonly PlannedTrial[]): Promise<void> {
    for (const planned of trials) {
      const final = this.trialFolder(planned);
      const draft = `${final}.unfinished`;
      // Its last file is there, so that only the renames are missing.
      if ((await entriesOf(draft)).includes("trial.json")) await this.place(draft, final);
    }
    for (const leftover of await findUnfinished(this.folder)) await rm(leftover, { recursive: true });
    await this.noteMissing(trials);
  }

  /** Only what has no line at all: one of another hash tells of a change, which must stay visible. */
  private async noteMissing(trials: readonly PlannedTrial[]): Promise<void> {
    const seen = await this.chain.seen();
    for (const { name, canary } of await this.canariesByName()) {
      if (seen.has(markOf({ kind: "canary", canary: name }))) continue;
      await this.chain.append({ kind: "canary", canary: name, hash: hashJson(canary) });
    }
    for (const planned of trials) {
      for (const kind of ["trial", "verdict"] as const) {
        if (seen.has(markOf({ kind, trial: trialName(planned) }))) continue;
        const done = kind === "trial" ? await this.readTrial(planned) : await this.readVerdict(planned);
        if (done !== null) await this.note(kind, planned, hashJson(done));
      }
    }
  }

  async countVoids(planned: PlannedTrial): Promise<number> {
    return (await entriesOf(join(this.trialFolder(planned), "voids"))).length;
  }

  async writeVerdict(planned: PlannedTrial, verdict: Verdict, graderLog: string): Promise<void> {
    await writeAtomic(join(this.trialFolder(planned), "grader.log"), graderLog);
    await writeJson(join(this.trialFolder(planned), "verdict.json"), verdict);
    await this.note("verdict", planned, hashJson(verdict));
  }

  /** Evidence of isolation, by skill and arm, each in the order in which it was found. */
  async readCanaries(): Promise<readonly Canary[]> {
    return (await this.canariesByName()).map(({ canary }) => canary);
  }

  private async canariesByName(): Promise<{ name: string; canary: Canary }[]> {
    const root = join(this.folder, "canaries");
    const canaries: { name: string; canary: Canary }[] = [];
    for (const skill of await entriesOf(root)) {
      for (const arm of await entriesOf(join(root, skill))) {
        for (const number of await canaryNumbers(join(root, skill, arm))) {
          const name = join(skill, arm, String(number));
          const path = join(root, `${name}.json`);
          const canary = await readArtefact(path, canarySchema, "Delete the folder canaries and repeat.");
          canaries.push({ name, canary });
        }
      }
    }
    return canaries;
  }

  /** Beside the earlier ones of its arm, also of those that failed. Resolves to its path. */
  async writeCanary(canary: Canary): Promise<string> {
    const folder = join(this.folder, "canaries");
    const arm = join(canary.skill, canary.arm);
    const name = join(arm, String((await canaryNumbers(join(folder, arm))).length + 1));
    const path = join(folder, `${name}.json`);
    await writeJson(path, canary);
    await this.chain.append({ kind: "canary", canary: name, hash: hashJson(canary) });
    return path;
  }

  async writeReport(files: Readonly<Record<string, string>>): Promise<string> {
    for (const [name, text] of Object.entries(files)) {
      await writeAtomic(join(this.folder, "report", name), text);
    }
    return join(this.folder, "report");
  }

  /** Hash of the last line of evidence.jsonl; null when there is none. */
  evidenceHead(): Promise<string | null> {
    return this.chain.head();
  }

  private get planFile(): string {
    return join(this.folder, "plan.json");
  }

  private trialFolder(planned: PlannedTrial): string {
    return join(this.folder, "trials", trialName(planned));
  }

  /** A finished folder takes the place of one that holds only the void attempts before it. */
  private async place(draft: string, final: string): Promise<void> {
    for (const shelf of shelves) {
      if ((await entriesOf(join(final, shelf))).length === 0) continue;
      await rename(join(final, shelf), join(draft, shelf));
    }
    await rm(final, { recursive: true, force: true });
    await rename(draft, final);
  }

  private note(kind: "trial" | "verdict", planned: PlannedTrial, hash: string): Promise<void> {
    return this.chain.append({ kind, trial: trialName(planned), key: planned.key, hash });
  }
}

/** Of `1.json`, `2.json` and so on, and not of what a kill left beside them. */
async function canaryNumbers(folder: string): Promise<readonly number[]> {
  const numbers = (await entriesOf(folder)).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => a - b);
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
