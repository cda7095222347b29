import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { canonicalJson, sha256 } from "../hash.ts";
import { readIfThere } from "./artefact.ts";
import { writeAtomic } from "./atomic.ts";

const trialNoteSchema = z.object({
  kind: z.enum(["trial", "verdict"]),
  /** Its folder below trials/. */
  trial: z.string(),
  key: z.string(),
  hash: z.string(),
});
const canaryNoteSchema = z.object({
  kind: z.literal("canary"),
  /** Its file below canaries/, without `.json`. */
  canary: z.string(),
  hash: z.string(),
});
const noteSchema = z.discriminatedUnion("kind", [trialNoteSchema, canaryNoteSchema]);

/** A line without its link to the one before. `hash` is of the artefact's canonical JSON. */
export type EvidenceNote = z.infer<typeof noteSchema>;

type About =
  | { readonly kind: "trial" | "verdict"; readonly trial: string }
  | { readonly kind: "canary"; readonly canary: string };

/** Names what a line is about: what happened to which trial, or which canary. */
export function markOf(about: About): string {
  return `${about.kind} ${about.kind === "canary" ? about.canary : about.trial}`;
}

/**
 * evidence.jsonl: one line per canary, finished trial and verdict, each naming the hash of the line before it. Changing
 * or removing a line breaks every later one; the last line's hash stands in report.json.
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
      await this.load();
      const lines = ((await readIfThere(this.file)) ?? "").split("\n").filter((line) => line !== "");
      return new Set(lines.map((line) => markOf(noteSchema.parse(JSON.parse(line)))));
    });
  }

  head(): Promise<string | null> {
    return this.inOrder(() => this.load());
  }

  private inOrder<T>(step: () => Promise<T>): Promise<T> {
    const next = this.queue.then(step);
    // The next writer waits for this one, and meets its own error rather than this one's.
    this.queue = next.catch(() => undefined);
    return next;
  }

  private async load(): Promise<string | null> {
    if (this.last !== undefined) return this.last;
    const text = (await readIfThere(this.file)) ?? "";
    // A kill in mid-append leaves a torn last line, which was never part of the chain.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole !== text) await writeAtomic(this.file, whole);
    const line = whole.trimEnd().split("\n").at(-1) ?? "";
    this.last = line === "" ? null : sha256(line);
    return this.last;
  }
}
