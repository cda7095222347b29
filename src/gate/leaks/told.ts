import type { Leak } from "../../artefacts/gate.ts";
import { atomsOf } from "./atoms.ts";
import type { Given } from "./given.ts";
import type { Piece } from "./pieces.ts";
import type { Unit } from "./records.ts";
import { isCode, shown, type TextFile } from "./texts.ts";
import { notIn, standingIn, valuesIn } from "./values.ts";

export type Told = {
  readonly leaks: readonly Leak[];
  /** Files of the reference of which the skill has half or more. */
  readonly wholes: readonly string[];
};

/** Fewer lines of a program than this are idioms of its language. */
const leastCodeLines = 5;
const mostly = 0.5;

type SkillFile = { readonly place: string; readonly atoms: string; readonly values: ReadonlySet<string> };

/** Answers that stand in the skill's own text, so that following it is copying. */
export function toldLeaks(pieces: readonly Piece[], skill: readonly TextFile[], given: Given): Told {
  const files = skill.map((file) => ({
    place: file.place,
    atoms: atomsOf(file.text),
    values: new Set(valuesIn(file)),
  }));
  const told = pieces.map((piece) => ({ piece, ...toldOf(piece, files, given) }));
  // A grader's expected value is mostly the reference's too: it is told once.
  const byPassage = new Map<string, Leak>();
  for (const leak of told.flatMap(({ leaks }) => leaks)) {
    const key = JSON.stringify([leak.to, leak.passage]);
    if (!byPassage.has(key)) byPassage.set(key, leak);
  }
  const wholes = told
    .filter(({ piece, known }) => isMostly(piece, known))
    .map(({ piece }) => piece.file.place);
  return { leaks: [...byPassage.values()], wholes };
}

function toldOf(
  piece: Piece,
  skill: readonly SkillFile[],
  given: Given,
): { readonly leaks: readonly Leak[]; readonly known: ReadonlySet<Unit> } {
  const units = [...piece.lines, ...piece.records, ...piece.strings];
  const values = isCode(piece.file) ? [] : valuesIn(piece.file);
  const known = new Set<Unit>();
  const leaks = skill.flatMap((file) => {
    const told = standingIn(file.atoms, units);
    const inFixtures = given.inFixtures([...told.map(({ text }) => text), ...values]);
    const own = told.filter(({ text }) => !inFixtures.has(text));
    for (const unit of own) known.add(unit);
    const isIdiom = piece.kind === "reference" && isCode(piece.file) && own.length < leastCodeLines;
    const lines = isIdiom ? [] : own.map(({ text }) => text.trim());
    const single = values.filter((value) => file.values.has(value) && !inFixtures.has(value));
    return [...new Set([...lines, ...notIn(lines, single)])].map((passage): Leak => {
      return { kind: "told", from: piece.file.place, to: file.place, passage: shown(passage) };
    });
  });
  return { leaks, known };
}

function isMostly({ kind, file, lines, records }: Piece, known: ReadonlySet<Unit>): boolean {
  if (kind !== "reference") return false;
  return [lines, records].some((units) => {
    const told = units.filter((unit) => known.has(unit)).length;
    const least = isCode(file) ? leastCodeLines : 1;
    return told >= least && told >= mostly * units.length;
  });
}
