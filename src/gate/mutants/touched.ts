import { structuredPatch } from "diff";
import { differingPart } from "./diff.ts";
import { decodeText } from "./file-kind.ts";
import { linesOf } from "./rows.ts";
import type { Slice } from "./site.ts";

/** Beyond so many changed lines a file counts as written anew. */
const mostEdits = 2000;

/**
 * Tells the parts of a text that the reference changed from those it left as the fixture has them. Undefined, which is
 * all of it, where there was no fixture, where it is no text, or where hardly anything was left.
 */
export function touchedParts(
  bytes: Uint8Array,
  original: Uint8Array | null,
): ((start: number, end: number) => boolean) | undefined {
  const [after, before] = [decodeText(bytes), original === null ? null : decodeText(original)];
  if (after === null || before === null) return undefined;
  const part = differingPart(before.body, after.body, 0);
  const patch = structuredPatch("", "", part.before, part.after, undefined, undefined, {
    context: 0,
    maxEditLength: mostEdits,
  });
  if (patch === undefined) return undefined;
  const lines = [...linesOf(after.body)];
  const parts: readonly Slice[] = patch.hunks
    .filter(({ newLines }) => newLines > 0)
    .map(({ newStart, newLines }) => ({
      start: lines[part.lines + newStart - 1]?.start ?? 0,
      end: lines[part.lines + newStart + newLines - 2]?.end ?? after.body.length,
    }));
  return (start, end) => parts.some(({ start: first, end: last }) => start <= last && end >= first);
}
