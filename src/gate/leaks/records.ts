import { atomLinesOf, atomsOf, isDistinctive } from "./atoms.ts";
import { isCode, type TextFile } from "./texts.ts";

/** A line or record that would not stand in two files by chance. */
export type Unit = {
  /** As it stands in the file. */
  readonly text: string;
  /** Its atoms; for a JSON record those with the keys and those without. */
  readonly forms: readonly string[];
};

/**
 * The lines of a file that tell something; short ones together with those after them. In programs, imports and lines
 * that are only a comment do not.
 */
export function lineUnits(file: Pick<TextFile, "path" | "text">): readonly Unit[] {
  const code = isCode(file);
  const lines = file.text
    .split("\n")
    .filter((line) => !code || !isRoutine(line))
    .map((text) => ({ text, atoms: atomsOf(text) }))
    .filter(({ atoms }) => atoms !== "");
  return stretchesOf(lines.map(({ atoms }) => atoms)).flatMap(({ atoms, length }, at) => {
    const text = lines.slice(at, at + length).map((line) => line.text.trim());
    return atoms === "" ? [] : [{ text: text.join(" "), forms: [atoms] }];
  });
}

const longestStretch = 12;

type Stretch = { readonly atoms: string; readonly length: number };

/** From each line on, as few lines as are distinctive together. No atoms where none are: the end, or much of nothing. */
function stretchesOf(lines: readonly string[]): readonly Stretch[] {
  return lines.map((line, at): Stretch => {
    let atoms = line;
    let length = 1;
    while (!isDistinctive(atoms)) {
      const next = lines[at + length];
      if (next === undefined || length === longestStretch) return { atoms: "", length: 0 };
      atoms += ` ${next}`;
      length++;
    }
    return { atoms, length };
  });
}

const routine =
  /^\s*(#|\/\/|\/?\*|--|;|import\b|from\b.*\bimport\b|use\b|using\b|package\b|(const|var|let)\b.*=\s*require\()/;

function isRoutine(line: string): boolean {
  return routine.test(line);
}

/**
 * The records of a JSON text: per object its plain members, per list its plain members. Empty for what is no JSON. One
 * JSON value per line is read too.
 */
export function jsonUnits(text: string): readonly Unit[] {
  return nestedValues(text).flatMap((value) => {
    const plain = Object.entries(value).filter(([, member]) => !isNested(member));
    const unit = unitOf(plain, !Array.isArray(value));
    return unit === null ? [] : [unit];
  });
}

/** The strings of a JSON text that are sentences of their own. */
export function jsonStrings(text: string): readonly Unit[] {
  const strings = nestedValues(text)
    .flatMap((value): readonly unknown[] => Object.values(value))
    .filter((member) => typeof member === "string");
  return [...new Set(strings)]
    .map((string) => ({ text: string, forms: [atomsOf(string)] }))
    .filter(({ forms: [atoms = ""] }) => isDistinctive(atoms));
}

/** Objects and lists at any depth. Not recursive: a hostile text may be nested a hundred thousand deep. */
function nestedValues(text: string): readonly object[] {
  const found: object[] = [];
  const open = jsonValues(text).filter(isNested);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    found.push(value);
    const members: readonly unknown[] = Object.values(value);
    for (const member of members) if (isNested(member)) open.push(member);
  }
  return found;
}

function unitOf(members: readonly (readonly [string, unknown])[], keyed: boolean): Unit | null {
  const values = atomsOf(members.map(([, value]) => String(value)).join(" "));
  const pairs = members.map(([key, value]) => `${key} ${String(value)}`).sort();
  const withKeys = keyed ? atomsOf(pairs.join(" ")) : values;
  const forms = [...new Set([withKeys, values])].filter(isDistinctive);
  if (members.length < 2 || forms.length === 0) return null;
  return {
    text: JSON.stringify(keyed ? Object.fromEntries(members) : members.map(([, value]) => value)),
    forms,
  };
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function jsonValues(text: string): readonly unknown[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values: unknown[] = [];
  for (const line of lines) {
    const value = parsed(line);
    // A text that is no list of JSON lines shows it at its first line: no need to fail at each.
    if (value === undefined) return values;
    values.push(value);
  }
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What stands in a file, in the forms that units have. */
export type Index = {
  /** Lines in the order of the file, short ones with those after them. */
  readonly lines: readonly string[];
  /** These and JSON records. */
  readonly forms: ReadonlySet<string>;
};

/** Of all that stands in some texts, or only of what is `wanted`: other lines are empty then. */
export function indexOf(texts: readonly string[], wanted?: ReadonlySet<string>): Index {
  const isWanted = (form: string): boolean => wanted?.has(form) ?? true;
  const lines = texts.flatMap((text) =>
    stretchesOf(atomLinesOf(text)).map(({ atoms }) => (isWanted(atoms) ? atoms : "")),
  );
  const records = texts.flatMap(jsonUnits).flatMap(({ forms }) => forms);
  return { lines, forms: new Set([...lines.filter((line) => line !== ""), ...records.filter(isWanted)]) };
}

export function stands(unit: Unit, { forms }: Pick<Index, "forms">): boolean {
  return unit.forms.some((form) => forms.has(form));
}
