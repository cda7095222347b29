import { type EvidenceNote, evidenceLinkSchema, evidenceNoteSchema, markOf } from "../artefacts/evidence.ts";
import { messageOf } from "../errors.ts";
import { sha256 } from "../hash.ts";
import type { Difference } from "../artefacts/verification.ts";
import { short } from "./look.ts";

export type PlacedNote = {
  readonly note: EvidenceNote;
  /** 1-based. */
  readonly line: number;
};

/** evidence.jsonl, walked from its first line to its head. */
export type Chain = {
  readonly notes: readonly PlacedNote[];
  /** What is said last about each thing (`markOf`): a later verdict takes the place of an earlier one. */
  readonly latest: ReadonlyMap<string, PlacedNote>;
  readonly head: string | null;
  /** Lines that cannot be read, or do not name the line before them. */
  readonly differences: readonly Difference[];
};

/** Takes every hash anew from the lines as they are. */
export function walkChain(lines: readonly string[]): Chain {
  const notes: PlacedNote[] = [];
  const differences: Difference[] = [];
  let head: string | null = null;
  for (const [at, text] of lines.entries()) {
    const line = at + 1;
    const read = readLine(text);
    if ("fault" in read) {
      differences.push({ place: placeOf(line), expected: "a line of evidence", came: read.fault });
    } else {
      if (read.previous !== head) differences.push(brokenLink(line, head, read.previous));
      notes.push({ note: read.note, line });
    }
    head = sha256(text);
  }
  const latest = new Map(notes.map((placed) => [markOf(placed.note), placed]));
  return { notes, latest, head, differences };
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
