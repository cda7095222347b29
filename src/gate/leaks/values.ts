import type { Leak } from "../../artefacts/gate.ts";
import { atomsOf, findAtoms } from "./atoms.ts";
import type { Given } from "./given.ts";
import type { Piece } from "./pieces.ts";
import type { Unit } from "./records.ts";
import { isCode, shown, type TextFile } from "./texts.ts";

/**
 * Expected rows and values that stand in the task. Only what has digits counts: words that a program is to print are
 * rightly told to whoever writes it.
 */
export function valueLeaks(task: string, pieces: readonly Piece[], given: Given): readonly Leak[] {
  const inTask = new Set(valuesOf(task));
  const taskAtoms = atomsOf(task);
  return pieces.flatMap(({ file, lines, records, strings }) => {
    const rows = [...lines, ...records, ...strings].filter(({ forms }) =>
      forms.some((form) => /\p{N}/u.test(form)),
    );
    const found = findAtoms(
      rows.flatMap(({ forms }) => forms),
      taskAtoms,
    );
    const told = rows
      .filter(({ forms }) => forms.some((form) => found.has(form)))
      .map(({ text }) => text.trim());
    const values = isCode(file) ? [] : valuesIn(file).filter((value) => inTask.has(value));
    const passages = [...told, ...notIn(told, values)];
    const inFixtures = given.inFixtures(passages);
    return passages
      .filter((passage) => !given.isName(passage) && !inFixtures.has(passage))
      .map((passage): Leak => ({ kind: "answer", from: file.place, to: "task.md", passage: shown(passage) }));
  });
}

/** Those units that stand in a text, given its atoms. */
export function standingIn(atoms: string, units: readonly Unit[]): readonly Unit[] {
  const needles = units.flatMap(({ forms }) => forms);
  const found = findAtoms(needles, atoms);
  return units.filter(({ forms }) => forms.some((form) => found.has(form)));
}

/** Those values that none of the rows has. */
export function notIn(rows: readonly string[], values: readonly string[]): readonly string[] {
  const known = new Set(rows.flatMap(valuesOf));
  return values.filter((value) => !known.has(value));
}

export function valuesIn({ text }: TextFile): readonly string[] {
  return [...new Set(valuesOf(text))];
}

/** Values of a text that nobody writes twice by chance: four digits at least, five for a bare whole number. */
function valuesOf(text: string): readonly string[] {
  return [...text.matchAll(token)].flatMap(([value]) => [value, ...value.split(/[,:=]/)]).filter(isTelling);
}

const token = /[\p{L}\p{N}][\p{L}\p{N}.,:*+_=-]{0,200}[\p{L}\p{N}*+]/gu;
const common = /^(v?\d+\.\d+\.\d+|(cp|iso|windows|latin|rfc|utf|sha|base)[-_ ]?\d.*)$/i;
const time = /^\d{4}-\d{2}(-\d{2})?(T[\d:.]+Z?)?$|^\d{1,2}:\d{2}(:\d{2})?$/;

function isTelling(value: string): boolean {
  const digits = value.replace(/[^\p{N}]/gu, "");
  if (digits.length < 4 || common.test(value) || time.test(value)) return false;
  if (/^\p{N}+$/u.test(value))
    return digits.length >= 5 && !/^[1-9]0+$/.test(value) && !isPowerOfTwo(Number(value));
  return true;
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}
