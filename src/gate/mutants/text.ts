import { commentOf, decodeText } from "./file-kind.ts";
import type { Mutator } from "./mutant.ts";
import { nearMiss, otherSign } from "./other-value.ts";
import { linesOf, type Row, rowSites } from "./rows.ts";
import { changesAt, type Site } from "./site.ts";

/** Breaks any UTF-8 text by its lines and numbers; lines that are only comments are left alone. */
export const mutateText: Mutator = ({ path, bytes }, options) => {
  const text = decodeText(bytes);
  return text === null ? [] : changesAt(text, textSites(text.body, commentOf(path, text.body)), options);
};

function* textSites(body: string, comment: RegExp | null): Generator<Site> {
  const isComment = ({ start, end }: Row): boolean =>
    comment?.test(body.slice(start, Math.min(end, start + mostIndented))) === true;
  for (const line of linesOf(body)) if (!isComment(line)) yield* numberSites(body, line);
  yield* rowSites(body, linesOf(body), { one: "line", many: "lines" }, isComment);
}

/** Farther in no comment is looked for. */
const mostIndented = 200;

/** Thousands and fractions belong to a number, and so do the parts of a version or an address. */
const number = /\d+(?:[.,]\d+)*/g;

function* numberSites(body: string, line: Row): Generator<Site> {
  for (const match of body.slice(line.start, line.end).matchAll(number)) {
    const start = line.start + match.index;
    yield numberSite(body, start, start + match[0].length);
  }
}

function numberSite(body: string, from: number, end: number): Site {
  const signed = hasSign(body, from);
  const start = signed ? from - 1 : from;
  const become: Site["become"] = (random) => {
    const before = body.slice(start, end);
    const flips = (signed || standsAlone(body, from, end)) && random() < 0.25;
    const text = (flips ? otherSign(before) : null) ?? nearMiss(before, random);
    return { text, what: "a number changed", detail: `${before.slice(0, 60)} → ${text.slice(0, 60)}` };
  };
  return { kind: "number-changed", start, end, become };
}

/** A minus that is no hyphen: `-3`, `x = -3`, but not `2031-05`. */
function hasSign(body: string, from: number): boolean {
  return body[from - 1] === "-" && !/[^\s=(:,;|"'[]/.test(body[from - 2] ?? "");
}

/** Not part of a word, a date, a time or a path, so that it may have a sign. */
function standsAlone(body: string, from: number, end: number): boolean {
  return !/[^\s=(,;|"'[$€£]/.test(body[from - 1] ?? "") && !/[\p{L}\d_/:.-]/u.test(wordAfter(body, end));
}

/** The character after a number, without a full stop that ends a sentence. */
function wordAfter(body: string, end: number): string {
  const next = body[end] ?? "";
  return next === "." && !/\S/.test(body[end + 1] ?? "") ? "" : next;
}
