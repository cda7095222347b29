import { appendFile, mkdir, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { type EvidenceNote, evidenceNoteSchema, markOf, type SetAsideNote } from "../artefacts/evidence.ts";
import { canonicalJson, sha256 } from "../hash.ts";
import { textIfThere } from "./regular-file.ts";
import { tailOf, wholeLines } from "./whole-lines.ts";

/**
 * evidence.jsonl: the plan first, then one line per canary, finished trial, verdict and settlement, each naming the hash
 * of the line before it. Changing or removing a line breaks every later one; the last line's hash stands in timings.json.
 */
export class EvidenceChain {
  private readonly file: string;
  /** Hash of the last line, null for an empty file, undefined until the file has been read. */
  private last: string | null | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  append(line: EvidenceNote): Promise<void> {
    return this.inOrder(async () => {
      const previous = await this.load();
      const text = canonicalJson({ ...line, previous });
      await mkdir(dirname(this.file), { recursive: true });
      this.last = undefined; // an append that fails half-way leaves a torn line, which the next one must drop
      await appendFile(this.file, `${text}\n`);
      this.last = sha256(text);
    });
  }

  /** What every line is about (`markOf`). */
  async seen(): Promise<ReadonlySet<string>> {
    return this.inOrder(async () => {
      const marks = new Set<string>();
      for await (const lines of wholeLines(this.file))
        for (const line of lines) marks.add(markOf(noteOf(line)));
      return marks;
    });
  }

  /** Of the plan that the first line freezes; null while there is no line of one. */
  async planHash(): Promise<string | null> {
    return this.inOrder(async () => {
      for await (const [first] of wholeLines(this.file)) {
        if (first === undefined) continue;
        const note = noteOf(first);
        return note.kind === "plan" ? note.hash : null;
      }
      return null;
    });
  }

  /** What the last settlement found; null before the first. */
  async lastSettled(): Promise<Extract<EvidenceNote, { kind: "settled" }> | null> {
    return this.inOrder(async () => {
      let last: Extract<EvidenceNote, { kind: "settled" }> | null = null;
      for await (const lines of wholeLines(this.file))
        for (const line of lines) last = settlementOf(line) ?? last;
      return last;
    });
  }

  /** What was set aside, in order. */
  async setAsides(): Promise<readonly SetAsideNote[]> {
    return this.inOrder(async () => {
      const found: SetAsideNote[] = [];
      for await (const lines of wholeLines(this.file))
        for (const line of lines) {
          const note = line.includes('"set_aside"') ? noteOf(line) : null;
          if (note?.kind === "set_aside") found.push(note);
        }
      return found;
    });
  }

  /** Hash of the last line; null when there is none. */
  async head(): Promise<string | null> {
    return this.inOrder(async () => headOf((await tailOf(this.file)).last));
  }

  /** The whole lines in order; `torn` says whether a kill left a part of one behind them. Writes nothing. */
  read(): Promise<{ readonly lines: readonly string[]; readonly torn: boolean }> {
    return this.inOrder(async () => {
      const text = (await textIfThere(this.file)) ?? "";
      const whole = text.slice(0, text.lastIndexOf("\n") + 1);
      return { lines: whole.split("\n").filter((line) => line !== ""), torn: whole !== text };
    });
  }

  private inOrder<T>(step: () => Promise<T>): Promise<T> {
    const next = this.queue.then(step);
    // The next writer waits for this one, and meets its own error rather than this one's.
    this.queue = next.catch(() => undefined);
    return next;
  }

  private async load(): Promise<string | null> {
    if (this.last !== undefined) return this.last;
    const { last, wholeBytes, bytes } = await tailOf(this.file);
    // A kill in mid-append leaves a torn last line, which was never part of the chain.
    if (wholeBytes < bytes) await truncate(this.file, wholeBytes);
    this.last = headOf(last);
    return this.last;
  }
}

function headOf(last: string | null): string | null {
  return last === null ? null : sha256(last);
}

function noteOf(line: string): EvidenceNote {
  return evidenceNoteSchema.parse(JSON.parse(line));
}

/** Most lines are of trials: only those that can be a settlement are parsed. */
function settlementOf(line: string): Extract<EvidenceNote, { kind: "settled" }> | null {
  if (!line.includes('"settled"')) return null;
  const note = noteOf(line);
  return note.kind === "settled" ? note : null;
}
