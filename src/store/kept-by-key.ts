import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { UserError } from "../errors.ts";
import { readIfThere } from "./artefact.ts";
import { writeAtomic } from "./atomic.ts";

type Keyed = { readonly key: string };

/**
 * What was answered, by key, each written to `file` as soon as it is set, so that neither a kill nor an exhausted budget
 * makes it be paid for twice. A later line of a key replaces an earlier one. `what` names a line for people. Throws
 * `UserError` for a line that is none.
 */
export async function openKept<T extends Keyed>(
  file: string,
  schema: z.ZodType<T>,
  what: string,
): Promise<Map<string, T>> {
  const text = (await readIfThere(file)) ?? "";
  // A kill in mid-append leaves a torn last line.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) await writeAtomic(file, whole);
  mkdirSync(dirname(file), { recursive: true });
  const read = whole.split("\n").flatMap((line, at) => {
    if (line === "") return [];
    try {
      return [schema.parse(JSON.parse(line))];
    } catch (error) {
      const words = `${file}:${at + 1}: not ${what}. Delete it and give the same command again.`;
      throw new UserError(words, { cause: error });
    }
  });
  return new KeptByKey(file, read);
}

class KeptByKey<T extends Keyed> extends Map<string, T> {
  private readonly file: string;

  constructor(file: string, known: readonly T[]) {
    super();
    this.file = file;
    for (const one of known) super.set(one.key, one);
  }

  /** At once: what a later write has not done yet, a kill could lose. */
  override set(key: string, value: T): this {
    appendFileSync(this.file, `${JSON.stringify(value)}\n`);
    return super.set(key, value);
  }
}
