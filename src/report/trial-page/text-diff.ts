import { structuredPatch } from "diff";

/** Lines of a unified diff as they are written: a mark (space, +, -, \) and the line. */
export type Hunk = { readonly header: string; readonly lines: readonly string[] };

export type TextDiff = {
  readonly hunks: readonly Hunk[];
  /** Lines of the diff that are not shown. */
  readonly linesLeftOut: number;
};

/** Of one file on a page. */
const mostLines = 400;
const mostLineCharacters = 2000;
/** Beyond this many insertions and removals finding the shortest diff takes seconds; then all lines count as replaced. */
const mostEdits = 2000;
const context = 3;

/** What changed between two texts; `before` or `after` null for a file that was not or is no longer there. */
export function diffTexts(before: string | null, after: string | null): TextDiff {
  const patch = structuredPatch("", "", before ?? "", after ?? "", undefined, undefined, {
    context,
    maxEditLength: mostEdits,
  });
  const hunks = patch?.hunks ?? [replaced(before ?? "", after ?? "")];
  let left = mostLines;
  let linesLeftOut = 0;
  const shown: Hunk[] = [];
  for (const hunk of hunks) {
    const lines = hunk.lines.slice(0, left).map(cutLine);
    linesLeftOut += hunk.lines.length - lines.length;
    left -= lines.length;
    const { oldStart, oldLines, newStart, newLines } = hunk;
    const header = `@@ -${placeOf(oldStart, oldLines)} +${placeOf(newStart, newLines)} @@`;
    if (lines.length > 0) shown.push({ header, lines });
  }
  return { hunks: shown, linesLeftOut };
}

/** As in a unified diff: where there are no lines, the one before them is named. */
function placeOf(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

type WholeHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

function replaced(before: string, after: string): WholeHunk {
  const [old, now] = [linesOf(before, "-"), linesOf(after, "+")];
  const count = (lines: readonly string[], mark: string): number =>
    lines.filter((line) => line.startsWith(mark)).length;
  return {
    ...{ oldStart: 1, oldLines: count(old, "-"), newStart: 1, newLines: count(now, "+") },
    lines: [...old, ...now],
  };
}

function linesOf(text: string, mark: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const endsWhole = lines.at(-1) === "";
  if (endsWhole) lines.pop();
  return [...lines.map((line) => `${mark}${line}`), ...(endsWhole ? [] : ["\\ No newline at end of file"])];
}

function cutLine(line: string): string {
  if (line.length <= mostLineCharacters) return line;
  return `${line.slice(0, mostLineCharacters)} [… ${line.length - mostLineCharacters} more characters of this line]`;
}
