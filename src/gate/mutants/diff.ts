import { structuredPatch } from "diff";

const mostLines = 12;
const mostCharacters = 160;
const context = 2;
/** Beyond so many changed lines the way from one to the other says nothing to anybody. */
const mostEdits = 400;

/**
 * The unified diff of a text, at most 12 lines of at most 160 characters under the two names; what is left out is
 * said. Null stands for a file that is missing.
 */
export function shortDiff(path: string, before: string | null, after: string | null): string {
  const names = [
    before === null ? "--- (missing)" : `--- reference/${path}`,
    after === null ? "+++ (missing)" : `+++ mutant/${path}`,
  ];
  const lines = hunkLines(before ?? "", after ?? "");
  const left = lines.length - mostLines;
  const rest = left > 0 ? [`… ${left} more lines`] : [];
  return [...names, ...lines.slice(0, mostLines), ...rest].map(visible).join("\n");
}

/** Control characters as pictures: a changed line end is seen, and no terminal obeys what a file holds. */
function visible(line: string): string {
  return line.replaceAll(/[\u0000-\u0008\u000A-\u001F]/g, (control) =>
    String.fromCharCode(0x2400 + control.charCodeAt(0)),
  );
}

function hunkLines(before: string, after: string): readonly string[] {
  const part = differingPart(before, after, context);
  const patch = structuredPatch("", "", part.before, part.after, undefined, undefined, {
    context,
    maxEditLength: mostEdits,
  });
  if (patch === undefined) return wholesale(before, after);
  return patch.hunks.flatMap((hunk) => [
    hunkHead(hunk.oldStart + part.lines, hunk.oldLines, hunk.newStart + part.lines, hunk.newLines),
    ...shortened(hunk.lines),
  ]);
}

/**
 * Two texts without the lines they begin and end with alike, but for `kept` of them on both sides: the package takes
 * its time for each line it is given. `lines` were taken away at the beginning.
 */
export function differingPart(
  before: string,
  after: string,
  kept: number,
): { readonly before: string; readonly after: string; readonly lines: number } {
  const same = commonStart(before, after);
  const tail = Math.min(commonEnd(before, after), before.length - same, after.length - same);
  let start = lineStart(before, same);
  for (let line = 0; line < kept; line++) start = lineStart(before, start - 1);
  let end = lineEnd(before, before.length - tail);
  for (let line = 0; line < kept; line++) end = lineEnd(before, end);
  const lines = before.slice(0, start).split("\n").length - 1;
  return {
    before: before.slice(start, end),
    after: after.slice(start, after.length - before.length + end),
    lines,
  };
}

/** Where the line begins that `at` stands in; a line end belongs to the line before it. */
function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Where the line ends that begins at `from` or goes on there. */
function lineEnd(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline === -1 ? text.length : newline + 1;
}

/** Of no lines at all, the line before is named: so the format wants it. */
function hunkHead(from: number, fromLines: number, to: number, toLines: number): string {
  const span = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${span(from, fromLines)} +${span(to, toLines)} @@`;
}

/** All from the first line that differs, said to be so many lines. */
function wholesale(before: string, after: string): readonly string[] {
  const [from, to] = [linesIn(before), linesIn(after)];
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same++;
  const lines = [...signed("-", from.slice(same)), ...signed("+", to.slice(same))];
  return [hunkHead(same + 1, from.length - same, same + 1, to.length - same), ...shortened(lines)];
}

function linesIn(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function signed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${sign}${line}`);
}

/** Runs of one sign are cut in the middle, so that both sides of a long change are seen; long lines as well. */
function shortened(lines: readonly string[]): readonly string[] {
  const runs: string[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run?.[0]?.[0] === line[0] && run !== undefined) run.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run, at) => cutRun(run).map((line, row) => aroundChange(line, runs, at, row)));
}

const mostPerRun = 4;

function cutRun(run: readonly string[]): readonly string[] {
  if (run.length <= mostPerRun + 1) return run;
  return [...run.slice(0, mostPerRun), `… ${run.length - mostPerRun} more lines`];
}

/** A long line is shown where it differs from the line that took its place. */
function aroundChange(line: string, runs: readonly (readonly string[])[], at: number, row: number): string {
  if (line.length <= mostCharacters) return line;
  const step = line.startsWith("-") ? 1 : -1;
  // A last line without an end has a remark between the two.
  const other = runs[runs[at + step]?.[0]?.startsWith("\\") === true ? at + 2 * step : at + step]?.[row];
  const focus = other === undefined ? 1 : 1 + commonStart(line.slice(1), other.slice(1));
  const start = characterAt(line, Math.max(1, focus - mostCharacters / 2));
  const end = characterAt(line, start + mostCharacters - 3);
  return `${line.slice(0, 1)}${start > 1 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

/** Not between the two halves of a character beyond U+FFFF. */
function characterAt(line: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(line[at] ?? "") ? at - 1 : at;
}

/** Slices are compared much faster than characters. */
const stride = 4096;

function commonStart(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at + stride <= shorter && a.slice(at, at + stride) === b.slice(at, at + stride)) at += stride;
  while (at < shorter && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  const last = (text: string, from: number): string =>
    text.slice(text.length - from - stride, text.length - from);
  let at = 0;
  while (at + stride <= shorter && last(a, at) === last(b, at)) at += stride;
  while (at < shorter && a[a.length - 1 - at] === b[b.length - 1 - at]) at++;
  return at;
}
