import type { Bundle } from "../../artefacts/bundle.ts";
import { atomsOf, isDistinctive } from "./atoms.ts";
import { stringsOf } from "./literals.ts";
import { type Index, indexOf, jsonStrings, jsonUnits, lineUnits, stands, type Unit } from "./records.ts";
import { isCode, type TextFile } from "./texts.ts";

/** A file that holds what an agent has to find out. */
export type Piece = {
  readonly kind: "reference" | "answer";
  readonly file: TextFile;
  /** In the order of the file. Lines that the reference only takes over from what it replaces are left out. */
  readonly lines: readonly Unit[];
  /** Of JSON; else empty. */
  readonly records: readonly Unit[];
  /** Every form that stands in the file. */
  readonly whole: ReadonlySet<string>;
  /** Long strings within those records, which are answers of their own. */
  readonly strings: readonly Unit[];
  /**
   * Whether its contents are what the reference comes to. Else they may be the grader's copy of what it gives to the
   * candidate, or of a fixture that has to stay as it is.
   */
  readonly isAnswer: boolean;
};

/** The files of the reference. `replaced` is what stands in the fixtures that the reference changes or removes. */
export function referencePieces(reference: readonly TextFile[], replaced: Index): readonly Piece[] {
  return reference.map((file) => ({
    kind: "reference",
    file,
    lines: newOnes(lineUnits(file), replaced),
    records: newOnes(jsonUnits(file.text), replaced),
    strings: newOnes(jsonStrings(file.text), replaced),
    whole: formsOf(file),
    isAnswer: true,
  }));
}

/** The grader's data files, and the strings of its programs. `outcome` is what stands in the reference. */
export function answerPieces(
  bundle: Bundle,
  grader: readonly TextFile[],
  { replaced, outcome }: { readonly replaced: Index; readonly outcome: Index },
): readonly Piece[] {
  const said = saidInTask(bundle);
  return grader.map((file) => {
    const units = isCode(file) ? stringUnits(file) : lineUnits(file);
    const unsaid = (all: readonly Unit[]): readonly Unit[] =>
      newOnes(all, replaced).filter(({ forms: [atoms = ""] }) => !said.has(atoms));
    const lines = unsaid(units);
    const records = isCode(file) ? [] : unsaid(jsonUnits(file.text));
    const strings = isCode(file) ? [] : unsaid(jsonStrings(file.text));
    const known = [...lines, ...records];
    const inOutcome = known.filter((unit) => stands(unit, outcome)).length;
    const isAnswer = inOutcome > 0 && 2 * inOutcome >= known.length;
    return { kind: "answer", file, lines, records, strings, whole: formsOf(file), isAnswer };
  });
}

/** What the grader says about itself: assertions, and sentences of the task. */
function saidInTask({ claims }: Bundle): ReadonlySet<string> {
  const said = claims?.claims.flatMap(({ assertion, sentence }) => [assertion, sentence]) ?? [];
  return new Set(said.map(atomsOf));
}

function stringUnits({ text }: TextFile): readonly Unit[] {
  return stringsOf(text)
    .flatMap((string) => string.split("\n"))
    .map((line) => ({ text: line, forms: [atomsOf(line)] }))
    .filter(({ forms: [atoms = ""] }) => isDistinctive(atoms));
}

function formsOf(file: TextFile): ReadonlySet<string> {
  const units = lineUnits(file).flatMap(({ forms }) => forms);
  return new Set([...units, ...indexOf([file.text]).forms]);
}

function newOnes(units: readonly Unit[], replaced: Index): readonly Unit[] {
  return units.filter((unit) => !stands(unit, replaced));
}
