import { type EvidenceNote, evidenceLinkSchema, evidenceNoteSchema, markOf } from "../artefacts/evidence.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { messageOf } from "../errors.ts";
import { sha256 } from "../hash.ts";
import type { Difference } from "../artefacts/verification.ts";
import { short } from "./look.ts";
import type { TrialIndex } from "./trial-index.ts";
import { isAboutTrial, type TrialNoteKind, TrialNotes } from "./trial-notes.ts";

export type PlacedNote = {
  readonly note: EvidenceNote;
  /** 1-based. */
  readonly line: number;
};

/** evidence.jsonl, walked from its first line to its head. */
export type Chain = {
  readonly lines: number;
  /** Lines of them that could be read. */
  readonly notes: number;
  readonly first: PlacedNote | null;
  /** Lines that could be read and stand before the first one of a plan; all of them where there is none. */
  readonly beforePlan: number;
  readonly plans: readonly { readonly line: number; readonly hash: string }[];
  /** What is said last about each thing (`markOf`) but planned trials: a later one takes the place of an earlier one. */
  readonly latest: ReadonlyMap<string, PlacedNote>;
  /** The same of a planned trial, by its name. */
  readonly latestOf: (kind: TrialNoteKind, trial: string) => PlacedNote | undefined;
  /** 1-based; 0 where there is none. Of planned trials. */
  readonly lineOf: (kind: TrialNoteKind, trial: string) => number;
  /** Trials that were set aside, in order. */
  readonly setAside: readonly { readonly trial: string; readonly reason: string }[];
  /** Lines of trials beyond the first one of each. */
  readonly repeated: number;
  /** Trials that were made a second time without having been set aside. */
  readonly again: readonly Difference[];
  readonly head: string | null;
  /** The first line whose hash was sought; null when none is it. */
  readonly soughtLine: number | null;
  /** Lines that cannot be read, or do not name the line before them. */
  readonly differences: readonly Difference[];
};

type WalkOptions = {
  readonly trials: readonly PlannedTrial[];
  readonly index: TrialIndex;
  /** Hash of a line whose place is wanted. */
  readonly sought: string | null;
};

/** Takes every hash anew from the lines as they are, one after the other, and keeps none of them. */
export class ChainWalk {
  private readonly sought: string | null;
  private readonly ofTrials: TrialNotes;
  private readonly latest = new Map<string, PlacedNote>();
  /** The line in which a trial was set aside last. */
  private readonly aside = new Map<string, number>();
  private readonly setAside: { readonly trial: string; readonly reason: string }[] = [];
  private readonly plans: { readonly line: number; readonly hash: string }[] = [];
  private readonly again: Difference[] = [];
  private readonly differences: Difference[] = [];
  private first: PlacedNote | null = null;
  private lines = 0;
  private notes = 0;
  private beforePlan = 0;
  private repeated = 0;
  private head: string | null = null;
  private soughtLine: number | null = null;

  constructor({ trials, index, sought }: WalkOptions) {
    this.ofTrials = new TrialNotes(trials, index);
    this.sought = sought;
  }

  see(text: string): void {
    const line = ++this.lines;
    const read = readLine(text);
    if ("fault" in read) {
      this.differences.push({ place: placeOf(line), expected: "a line of evidence", came: read.fault });
    } else {
      if (read.previous !== this.head) this.differences.push(brokenLink(line, this.head, read.previous));
      this.take({ note: read.note, line });
    }
    this.head = sha256(text);
    if (this.head === this.sought) this.soughtLine ??= line;
  }

  chain(): Chain {
    const { lines, notes, first, beforePlan, plans, latest, setAside, repeated, again, head } = this;
    return {
      ...{ lines, notes, first, beforePlan, plans, latest, setAside, repeated, again, head },
      latestOf: (kind, trial) => this.ofTrials.get(kind, trial),
      lineOf: (kind, trial) => this.ofTrials.lineOf(kind, trial),
      soughtLine: this.soughtLine,
      differences: this.differences,
    };
  }

  private take(placed: PlacedNote): void {
    const { note, line } = placed;
    this.first ??= placed;
    this.notes++;
    if (note.kind === "plan") this.plans.push({ line, hash: note.hash });
    else if (this.plans.length === 0) this.beforePlan++;
    if (note.kind === "set_aside" && note.what === "trial") {
      this.aside.set(note.trial, line);
      this.setAside.push({ trial: note.trial, reason: note.reason });
    }
    if (note.kind === "trial") this.takeTrial(note.trial, line);
    if (!isAboutTrial(note) || !this.ofTrials.set(note, line)) this.latest.set(markOf(note), placed);
  }

  /** A trial that was made a second time without a reason may have been made until it fitted. */
  private takeTrial(trial: string, line: number): void {
    const before =
      this.ofTrials.lineOf("trial", trial) || (this.latest.get(markOf({ kind: "trial", trial }))?.line ?? 0);
    if (before === 0) return;
    this.repeated++;
    if ((this.aside.get(trial) ?? 0) > before) return;
    const expected = `${trial} once, or set aside in between with its reason`;
    this.again.push({ place: placeOf(line), expected, came: `a second time, after line ${before}` });
  }
}

export function placeOf(line: number): string {
  return `evidence.jsonl:${line}`;
}

type ReadLine =
  { readonly note: EvidenceNote; readonly previous: string | null } | { readonly fault: string };

function readLine(text: string): ReadLine {
  try {
    const value: unknown = JSON.parse(text);
    return { note: evidenceNoteSchema.parse(value), previous: evidenceLinkSchema.parse(value).previous };
  } catch (error) {
    return { fault: `one that cannot be read (${oneLine(messageOf(error))})` };
  }
}

function brokenLink(line: number, head: string | null, previous: string | null): Difference {
  return {
    place: placeOf(line),
    expected:
      head === null
        ? "no line before it"
        : `${short(head)}, the hash of line ${line - 1}, as the hash of the line before`,
    came: `${short(previous)}: a line was changed, or lines were put in, taken out or moved`,
  };
}

/** Bounded, since what is wrong may be a megabyte. */
export function oneLine(words: string): string {
  const line = words.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
