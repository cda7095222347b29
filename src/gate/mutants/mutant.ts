import type { Random } from "../../seed.ts";

/** A file of the reference that mutants are made from. */
export type Subject = {
  /** Relative to /workspace. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
};

/** One thing that can be broken in one file. */
export type Change = {
  /** `number-changed`, `comparison-flipped`, … The sample is spread evenly over kinds. */
  readonly kind: string;
  /** What was done, for people: "a number changed in line 3: 12 → 13". */
  readonly words: string;
  /** The broken file; null where it is missing. */
  readonly bytes: Uint8Array | null;
};

export type MutatorOptions = {
  readonly mostPerKind: number;
  readonly random: Random;
  /**
   * Whether a change of text from `start` to `end` is wanted: where the reference only edits a fixture, what it left
   * alone is not what the task asks for. UTF-16 offsets without a byte order mark. Everything is wanted when absent.
   */
  readonly within?: (start: number, end: number) => boolean;
};

/**
 * Finds what can be broken in files of one format, at most `mostPerKind` changes of a kind, chosen by `random`. Gives
 * none for a file that is not of its format. Never throws for what a file holds.
 */
export type Mutator = (
  subject: Subject,
  options: MutatorOptions,
) => readonly Change[] | Promise<readonly Change[]>;

/** A broken variant of the reference workspace. */
export type Mutant = Change & {
  /** `<kind>:<path>:<8 hex digits of what the file became>`: the same for the same reference, so that it can be named. */
  readonly id: string;
  readonly path: string;
  /** Unified diff against the reference, a few lines; null for what is not text. */
  readonly diff: string | null;
};

/** Kinds that leave little or nothing of a file. Judges can tell such a file from the reference. */
export const wholeFileKinds: readonly string[] = [
  "missing",
  "emptied",
  "truncated",
  "original",
  "image-blanked",
];

/** Kinds that say nothing about what stands in a file's single lines. */
export const coarseKinds: readonly string[] = [...wholeFileKinds, "script-fails", "script-silent"];
