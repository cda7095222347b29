import type { Leak } from "../../artefacts/gate.ts";
import type { Piece } from "./pieces.ts";
import { type Index, jsonUnits, lineUnits, stands, type Unit } from "./records.ts";
import { isCode, shown, type TextFile } from "./texts.ts";

/** A fixture that the reference leaves as it is, and may therefore give its answer away. */
export type KeptFixture = {
  readonly file: TextFile;
  readonly index: Index;
  /** The task names it, or names no fixture at all: what it holds is there to be worked on. */
  readonly isInput: boolean;
};

/** So many lines in a row, or so large a share of all, are a part and no coincidence. */
const leastRow = 5;
const leastShare = 0.3;
const leastUnits = 3;

/**
 * Parts of an answer that stand in a fixture. An answer may well hold lines of its inputs: rows that were selected,
 * sorted, joined or only partly changed. So a file that the task names counts only where it holds what no input would:
 * the whole answer in its order, rows of the answer with others of their kind nowhere, or a block of another form than
 * the rest of the file.
 */
export function copyLeaks(piece: Piece, fixtures: readonly KeptFixture[]): readonly Leak[] {
  return fixtures.flatMap((fixture) => {
    const shared =
      sharedUnits("lines", { piece, fixture, fixtures }) ??
      sharedUnits("records", { piece, fixture, fixtures });
    if (shared === null) return [];
    const passage = shown(shared.map(({ text }) => text.trim()).join(" / "));
    return [{ kind: piece.kind, from: piece.file.place, to: fixture.file.place, passage }];
  });
}

type View = "lines" | "records";

type Pair = {
  readonly piece: Piece;
  readonly fixture: KeptFixture;
  readonly fixtures: readonly KeptFixture[];
};

function sharedUnits(view: View, pair: Pair): readonly Unit[] | null {
  const { piece, fixture } = pair;
  const units = piece[view];
  const shared = units.filter((unit) => stands(unit, fixture.index));
  if (shared.length === 0 || !isPart(units, shared, fixture.index)) return null;
  const isGiven = fixture.isInput ? isPlausibleInput(view, shared, pair) : isUnnamedInput(view, shared, pair);
  return isGiven ? null : shared;
}

function isPart(units: readonly Unit[], shared: readonly Unit[], index: Index): boolean {
  if (shared.length === units.length) return true;
  if (shared.length >= leastUnits && shared.length >= leastShare * units.length) return true;
  return shared.length >= leastRow && longestRow(units, index) >= leastRow;
}

/** Length of the longest stretch of units that is one in the other file too. */
function longestRow(units: readonly Unit[], { lines }: Index): number {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    if (line === "") continue;
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else if (known.length < mostPlaces) known.push(at);
  }
  let longest = 0;
  let ends = new Map<number, number>();
  for (const { forms } of units) {
    const next = new Map<number, number>();
    for (const at of forms.flatMap((form) => places.get(form) ?? [])) {
      // One line in between may have too few words to count.
      const length = 1 + Math.max(ends.get(at - 1) ?? 0, ends.get(at - 2) ?? 0);
      next.set(at, length);
      longest = Math.max(longest, length);
    }
    ends = next;
  }
  return longest;
}

const mostPlaces = 20;

/** A file that the task does not name is still an input when much of it is like what is shared and stands in no answer. */
function isUnnamedInput(view: View, shared: readonly Unit[], { piece, fixture }: Pair): boolean {
  if (!piece.isAnswer && isSameName(piece.file.path, fixture.file.path)) return true;
  if (isCode(fixture.file)) return false;
  const { alike } = restOf(view, shared, { piece, fixture });
  return alike >= 0.2 * (alike + shared.length);
}

function isPlausibleInput(view: View, shared: readonly Unit[], { piece, fixture, fixtures }: Pair): boolean {
  if (!piece.isAnswer || shared.length < leastUnits) return true;
  const { alike, others } = restOf(view, shared, { piece, fixture });
  if (alike > 0) return true;
  if (others > 0) return others < shared.length / 2;
  const units = piece[view];
  if (shared.length === units.length) return !isInOrder(shared, fixture.index);
  const forms = new Set(units.map(({ text }) => formOf(text)));
  if (forms.size > 2 || forms.has("")) return true;
  const anywhere = units.filter((unit) => fixtures.some(({ index }) => stands(unit, index)));
  return anywhere.length >= 0.8 * units.length;
}

/** What of the fixture stands nowhere in the answer: of the form that most of the shared units have, and of another. */
function restOf(
  view: View,
  shared: readonly Unit[],
  { piece, fixture: { file } }: Pick<Pair, "piece" | "fixture">,
): { readonly alike: number; readonly others: number } {
  const form = commonest(shared.map(({ text }) => formOf(text)));
  const all = view === "lines" ? lineUnits(file) : jsonUnits(file.text);
  const rest = all.filter((unit) => !stands(unit, { forms: piece.whole }));
  const alike = rest.filter(({ text }) => formOf(text) === form).length;
  return { alike, others: rest.length - alike };
}

/** How a row is divided: its separators in order. */
function formOf(line: string): string {
  return line.replace(/[^;|\t¦,]/g, "").slice(0, 100);
}

function commonest(forms: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1);
  return [...counts.entries()].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

function isInOrder(units: readonly Unit[], { lines }: Index): boolean {
  let at = -1;
  for (const { forms } of units) {
    const next = forms.map((form) => lines.indexOf(form, at + 1)).find((place) => place >= 0);
    if (next === undefined) return units.length === 1 || !forms.some((form) => lines.includes(form));
    at = next;
  }
  return true;
}

const tellingName = /expected|answer|case|solution|golden|reference/i;

/** A grader keeps copies of what must stay as it is, under the same name. */
function isSameName(a: string, b: string): boolean {
  const name = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  return name(a) === name(b) && !tellingName.test(name(a));
}
