import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Canary } from "../artefacts/canary.ts";
import { markOf, type SetAsideNote } from "../artefacts/evidence.ts";
import { type FileText, jsonText } from "../artefacts/file-text.ts";
import type { Claim } from "../artefacts/honesty.ts";
import type { Plan } from "../artefacts/plan.ts";
import { type PlannedTrial, type Trial, trialName, trialSchema } from "../artefacts/trial.ts";
import { type Verdict, verdictSchema } from "../artefacts/verdict.ts";
import { UserError } from "../errors.ts";
import { canonicalJson, hashJson } from "../hash.ts";
import { readArtefactIfThere } from "./artefact.ts";
import { writeAtomic, writeJson } from "./atomic.ts";
import { canaryFile, findCanaries, nextCanary } from "./canaries.ts";
import { findLeftovers, findWholeDrafts, placeDraft } from "./drafts.ts";
import { EvidenceChain } from "./evidence.ts";
import { hashFiles, measureFiles } from "./file-hash.ts";
import { type FoundTrial, findTrial, type Torn } from "./find-trial.ts";
import { type OpenTrial, openTrial } from "./open-trial.ts";
import { readPlanFile } from "./read-plan.ts";
import { namesIn } from "./record.ts";
import { type SetAside, setAside } from "./set-aside.ts";
import { ledgerName, settledFiles } from "./settled-files.ts";
import { snapshotFault } from "./snapshot-fault.ts";
import { openSnapshot } from "./spool.ts";

/** How long reading on may keep signals and timers waiting. */
const longestTurnMs = 20;

/** Files beside an artefact whose hashes stand in its line of evidence; trial.json itself names that of the workspace. */
const restsOn = { trial: ["transcript.jsonl"], verdict: ["grader.log"], claim: [] } as const;

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

  /** What they said about final messages. */
  get claimsFile(): string {
    return join(this.folder, "claims.jsonl");
  }

  get ledgerFile(): string {
    return join(this.folder, ledgerName);
  }

  async readPlan(): Promise<Plan> {
    const remedy = "Name a campaign's folder, or make one: skillproof eval";
    const plan = await readPlanFile(this.planFile, remedy);
    if (plan === null) throw new UserError(`${this.planFile}: not there. ${remedy}`);
    return plan;
  }

  readPlanIfThere(): Promise<Plan | null> {
    const remedy =
      "Use the version that began the campaign, or change `name` to begin a new one; while no trial of it was begun, its " +
      "folder may also be deleted.";
    return readPlanFile(this.planFile, remedy);
  }

  /** Hash of the plan as it was frozen; null before. */
  frozenPlanHash(): Promise<string | null> {
    return this.chain.planHash();
  }

  /** Freezes it: the first line of evidence names its hash. */
  async writePlan(plan: Plan): Promise<void> {
    await writeAtomic(this.planFile, jsonText(plan)());
    await this.chain.append({ kind: "plan", hash: hashJson(plan) });
  }

  /** Null while the trial is not finished. A finished one whose key is not the planned one is an error. */
  async readTrial(planned: PlannedTrial): Promise<Trial | null> {
    const path = join(this.trialFolder(planned), "trial.json");
    const trial = await readArtefactIfThere(
      path,
      trialSchema,
      "Repeat: skillproof eval, which sets the trial aside and works on it again.",
    );
    if (trial !== null && trial.trial.key !== planned.key) {
      throw new Error(`${path}: holds another trial (${trial.trial.key}) than the plan (${planned.key})`);
    }
    return trial;
  }

  /** Whether any of `trials` is finished. */
  isBegun(trials: readonly PlannedTrial[]): boolean {
    return trials.some((planned) => existsSync(join(this.trialFolder(planned), "trial.json")));
  }

  readVerdict(planned: PlannedTrial): Promise<Verdict | null> {
    const path = join(this.trialFolder(planned), "verdict.json");
    return readArtefactIfThere(path, verdictSchema, "Delete it and repeat: skillproof grade");
  }

  readSnapshot(planned: PlannedTrial): AsyncIterable<Uint8Array> {
    return openSnapshot(this.snapshotFile(planned));
  }

  /** Why the workspace that lies there is not the one that was recorded; null when it is. To be asked before a grading. */
  async snapshotFault({ trial, outcome }: Trial): Promise<string | null> {
    return outcome.kind === "ended" ? snapshotFault(this.snapshotFile(trial), outcome.snapshot) : null;
  }

  openTrial(planned: PlannedTrial): Promise<OpenTrial> {
    return openTrial(this.trialFolder(planned), (trial) => this.note("trial", planned, trial));
  }

  /**
   * What is on disk of each of `trials`, in their order. Changes nothing. Gives the event loop its turn in between:
   * there may be many.
   */
  async *survey(trials: readonly PlannedTrial[]): AsyncGenerator<FoundTrial> {
    let since = performance.now();
    for (const planned of trials) {
      yield findTrial(this.trialFolder(planned), planned);
      if (performance.now() - since < longestTurnMs) continue;
      await setImmediate();
      since = performance.now();
    }
  }

  /**
   * Puts right what a killed process left half done: a finished trial that was not yet in its place or not yet in the
   * evidence, and temporary files. What is torn is set aside and given back by name; it is as if it had not been done.
   * `each` is told what is left of every trial, and whether evidence names one of which nothing is left: that is no
   * damage of a kill, and its line stays without a `set_aside` behind it, so that `verify` shows it. Only for the one
   * process that works on this campaign.
   */
  async recover(
    trials: readonly PlannedTrial[],
    each: (found: FoundTrial, isGone: boolean) => void = () => undefined,
  ): Promise<readonly SetAside[]> {
    await this.placeDrafts(trials);
    const seen = await this.noteMissing();
    const aside: SetAside[] = [];
    for await (const found of this.survey(trials)) {
      for (const name of found.temporary)
        await rm(join(this.trialFolder(found.planned), name), { recursive: true, force: true });
      if (found.torn !== null) aside.push(await this.takeAside(found.planned, found.torn));
      if (found.tornClaim !== null)
        aside.push(await this.takeAside(found.planned, { what: "claim", reason: found.tornClaim }));
      await this.noteFound(found, seen);
      each(found, isGone(found, seen));
    }
    return aside;
  }

  /** Takes a finished trial out of the way, for a reason that shows only when it is graded. */
  setAside(planned: PlannedTrial, reason: string): Promise<SetAside> {
    return this.takeAside(planned, { what: "trial", reason });
  }

  private async takeAside(planned: PlannedTrial, torn: Torn): Promise<SetAside> {
    const aside = await setAside(this.folder, planned, torn);
    const { what, place, reason } = aside;
    await this.chain.append({ kind: "set_aside", trial: trialName(planned), what, place, reason });
    return aside;
  }

  /** What was set aside in this campaign, in order. */
  setAsides(): Promise<readonly SetAsideNote[]> {
    return this.chain.setAsides();
  }

  private async placeDrafts(trials: readonly PlannedTrial[]): Promise<void> {
    const parents = new Set<string>();
    for (const planned of trials) parents.add(dirname(this.trialFolder(planned)));
    for (const { draft, final } of await findWholeDrafts([...parents])) {
      if (trials.some((planned) => this.trialFolder(planned) === final)) await placeDraft(draft, final);
    }
    for (const leftover of await findLeftovers(this.folder, [...parents]))
      await rm(leftover, { recursive: true });
  }

  /**
   * Only what has no line at all: one of another hash tells of a change, which must stay visible. Resolves to what every
   * line was about before.
   */
  private async noteMissing(): Promise<ReadonlySet<string>> {
    const seen = await this.chain.seen();
    const plan = seen.has(markOf({ kind: "plan" })) ? null : await this.readPlanIfThere();
    if (plan !== null) await this.chain.append({ kind: "plan", hash: hashJson(plan) });
    for (const { name, canary } of await findCanaries(this.folder)) {
      if (seen.has(markOf({ kind: "canary", canary: name }))) continue;
      await this.chain.append({ kind: "canary", canary: name, hash: hashJson(canary) });
    }
    return seen;
  }

  private async noteFound(found: FoundTrial, seen: ReadonlySet<string>): Promise<void> {
    const { planned } = found;
    for (const kind of ["trial", "verdict", "claim"] as const) {
      const done = found[kind];
      if (done === null || seen.has(markOf({ kind, trial: trialName(planned) }))) continue;
      await this.note(kind, planned, done);
    }
  }

  /** Binds the ledger, what judges did on sentinels and how arms came about, as they are now; adds no line where nothing changed. */
  async settle(): Promise<void> {
    const files = await measureFiles(this.folder, await settledFiles(this.folder));
    const last = await this.chain.lastSettled();
    if (last !== null && canonicalJson(last.files) === canonicalJson(files)) return;
    await this.chain.append({ kind: "settled", files });
  }

  async countVoids(planned: PlannedTrial): Promise<number> {
    return (await namesIn(join(this.trialFolder(planned), "voids"))).length;
  }

  async writeVerdict(planned: PlannedTrial, verdict: Verdict, graderLog: string): Promise<void> {
    await writeAtomic(join(this.trialFolder(planned), "grader.log"), graderLog);
    await writeJson(join(this.trialFolder(planned), "verdict.json"), verdict);
    await this.note("verdict", planned, verdict);
  }

  async writeClaim(planned: PlannedTrial, claim: Claim): Promise<void> {
    await writeJson(join(this.trialFolder(planned), "claim.json"), claim);
    await this.note("claim", planned, claim);
  }

  /** Evidence of isolation, by skill and arm, each in the order in which it was found. */
  async readCanaries(): Promise<readonly Canary[]> {
    return (await findCanaries(this.folder)).map(({ canary }) => canary);
  }

  /** Beside the earlier ones of its arm, also of those that failed. Resolves to its path. */
  async writeCanary(canary: Canary): Promise<string> {
    const name = await nextCanary(this.folder, canary);
    const path = canaryFile(this.folder, name);
    await writeJson(path, canary);
    await this.chain.append({ kind: "canary", canary: name, hash: hashJson(canary) });
    return path;
  }

  async writeReport(files: Readonly<Record<string, FileText>>): Promise<string> {
    for (const [name, text] of Object.entries(files)) {
      await writeAtomic(join(this.folder, "report", name), text());
    }
    return join(this.folder, "report");
  }

  /** Hash of the last line of evidence.jsonl; null when there is none. */
  evidenceHead(): Promise<string | null> {
    return this.chain.head();
  }

  get planFile(): string {
    return join(this.folder, "plan.json");
  }

  private snapshotFile(planned: PlannedTrial): string {
    return join(this.trialFolder(planned), "workspace.tar.gz");
  }

  private trialFolder(planned: PlannedTrial): string {
    return join(this.folder, "trials", trialName(planned));
  }

  private async note(
    kind: keyof typeof restsOn,
    planned: PlannedTrial,
    done: Trial | Verdict | Claim,
  ): Promise<void> {
    const files = await hashFiles(this.trialFolder(planned), restsOn[kind]);
    const hash = hashJson(done);
    await this.chain.append({ kind, trial: trialName(planned), key: planned.key, hash, files });
  }
}

/** Recorded as finished, never set aside, and not there. */
function isGone({ planned, trial, torn }: FoundTrial, seen: ReadonlySet<string>): boolean {
  if (trial !== null || torn !== null) return false;
  const name = trialName(planned);
  const place = join("set-aside", name, "1");
  return seen.has(markOf({ kind: "trial", trial: name })) && !seen.has(markOf({ kind: "set_aside", place }));
}
