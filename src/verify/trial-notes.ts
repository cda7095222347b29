import type { EvidenceNote } from "../artefacts/evidence.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import type { TrialIndex } from "./trial-index.ts";

export type TrialNote = Extract<EvidenceNote, { readonly kind: "trial" | "verdict" | "claim" }>;
export type TrialNoteKind = TrialNote["kind"];

/** What each kind of line names besides its artefact. */
export const restsOn: Readonly<Record<TrialNoteKind, readonly string[]>> = {
  trial: ["transcript.jsonl"],
  verdict: ["grader.log"],
  claim: [],
};

export function isAboutTrial(note: EvidenceNote): note is TrialNote {
  return note.kind === "trial" || note.kind === "verdict" || note.kind === "claim";
}

type Placed = { readonly note: TrialNote; readonly line: number };

/** The latest line of each kind about every planned trial, by its place in the plan. */
export class TrialNotes {
  private readonly trials: readonly PlannedTrial[];
  private readonly index: TrialIndex;
  private readonly kinds = new Map<TrialNoteKind, PackedNotes>();

  constructor(trials: readonly PlannedTrial[], index: TrialIndex) {
    this.trials = trials;
    this.index = index;
  }

  /** False for a trial that is not planned, of which nothing is kept. */
  set(note: TrialNote, line: number): boolean {
    const at = this.index.get(note.trial);
    const planned = at === undefined ? undefined : this.trials[at];
    if (at === undefined || planned === undefined) return false;
    const packed = this.kinds.get(note.kind) ?? new PackedNotes(this.trials.length);
    this.kinds.set(note.kind, packed);
    packed.set(at, { note, line }, planned.key);
    return true;
  }

  /** 1-based; 0 where there is none. */
  lineOf(kind: TrialNoteKind, trial: string): number {
    const at = this.index.get(trial);
    return at === undefined ? 0 : (this.kinds.get(kind)?.lineAt(at) ?? 0);
  }

  get(kind: TrialNoteKind, trial: string): Placed | undefined {
    const at = this.index.get(trial);
    const planned = at === undefined ? undefined : this.trials[at];
    if (at === undefined || planned === undefined) return undefined;
    return this.kinds.get(kind)?.get(at, { kind, trial, key: planned.key });
  }
}

const hashBytes = 32;
const isHash = /^[0-9a-f]{64}$/;

/**
 * Lines that are as skillproof writes them (the planned key, hashes of 64 digits, the one file that their kind names) as
 * bare bytes; any other line as it is. As objects those of a hundred thousand trials are a hundred megabytes.
 */
class PackedNotes {
  private readonly lines: Uint32Array;
  private readonly hashes: Buffer;
  private readonly files: Buffer;
  private readonly others = new Map<number, Placed>();

  constructor(trials: number) {
    this.lines = new Uint32Array(trials);
    this.hashes = Buffer.alloc(trials * hashBytes);
    this.files = Buffer.alloc(trials * hashBytes);
  }

  lineAt(at: number): number {
    return this.lines[at] ?? 0;
  }

  set(at: number, placed: Placed, plannedKey: string): void {
    const { note, line } = placed;
    this.lines[at] = line;
    this.others.delete(at);
    const [name, ...more] = Object.keys(note.files);
    const [expected] = restsOn[note.kind];
    const file = name === undefined ? undefined : note.files[name];
    const isPlain = note.key === plannedKey && isHash.test(note.hash) && more.length === 0;
    if (!isPlain || name !== expected || (name !== undefined && !isHash.test(file ?? ""))) {
      this.others.set(at, placed);
      return;
    }
    this.hashes.write(note.hash, at * hashBytes, "hex");
    if (file !== undefined) this.files.write(file, at * hashBytes, "hex");
  }

  get(at: number, about: Pick<TrialNote, "kind" | "trial" | "key">): Placed | undefined {
    const line = this.lineAt(at);
    if (line === 0) return undefined;
    const other = this.others.get(at);
    if (other !== undefined) return other;
    const [from, to] = [at * hashBytes, (at + 1) * hashBytes];
    const files = restsOn[about.kind].map((name) => [name, this.files.toString("hex", from, to)] as const);
    const hash = this.hashes.toString("hex", from, to);
    return { note: { ...about, hash, files: Object.fromEntries(files) }, line };
  }
}
