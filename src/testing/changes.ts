import type { Change, Mutator, MutatorOptions } from "../gate/mutants/mutant.ts";
import { randomFrom } from "../seed.ts";

/** A change with its outcome as text. */
export type TextChange = { readonly kind: string; readonly words: string; readonly text: string };

/** What a mutator makes of a text, all of it unless told otherwise; the bytes are decoded strictly, marks kept. */
export async function textChanges(
  mutate: Mutator,
  path: string,
  content: string | Uint8Array,
  over: Partial<MutatorOptions> = {},
): Promise<readonly TextChange[]> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const options = { mostPerKind: 1000, random: randomFrom(7, "changes"), ...over };
  const changes: readonly Change[] = await mutate({ path, bytes, mode: 0o644 }, options);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return changes.map(({ kind, words, bytes: became }) => ({
    kind,
    words,
    text: became === null ? "" : decoder.decode(became),
  }));
}

/** Outcomes of one kind, in the order of the text. */
export function outcomes(changes: readonly TextChange[], kind: string): readonly string[] {
  return changes.filter((change) => change.kind === kind).map(({ text }) => text);
}
