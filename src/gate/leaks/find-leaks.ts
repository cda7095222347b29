import type { Bundle } from "../../artefacts/bundle.ts";
import { claimsPath } from "../../artefacts/claims.ts";
import type { Leak } from "../../artefacts/gate.ts";
import type { GateContext } from "../check.ts";
import { copyLeaks, type KeptFixture } from "./copies.ts";
import { givenBy, isNamed } from "./given.ts";
import { howLeaks } from "./how.ts";
import { identicalLeaks } from "./identical.ts";
import { answerPieces, type Piece, referencePieces } from "./pieces.ts";
import { indexOf } from "./records.ts";
import { toldLeaks } from "./told.ts";
import { plainText, type TextFile, textsOf } from "./texts.ts";
import { valueLeaks } from "./values.ts";

export type Leaks = {
  /** By kind, then in the order of the files; each once. */
  readonly leaks: readonly Leak[];
  /** Files of the reference of which the skill has half or more. */
  readonly toldWholes: readonly string[];
};

/** Passages that task, fixtures, reference, grader and skill have in common and should not. Words only, no meanings. */
export function findLeaks(bundle: Bundle, context: GateContext): Leaks {
  const task = plainText(bundle.task);
  const fixtures = textsOf(bundle.fixtures, "fixtures");
  const given = givenBy(bundle, fixtures);
  const changed = new Set([...bundle.reference.map(({ path }) => path), ...bundle.spec.removes]);
  const { reference, answer } = piecesOf(
    bundle,
    fixtures.filter(({ path }) => changed.has(path)),
  );
  const pieces = [...answer, ...reference];
  const wanted = new Set(
    pieces.flatMap(({ lines, records }) => [...lines, ...records].flatMap(({ forms }) => forms)),
  );
  const kept = keptFixtures(task, fixtures, { changed, wanted });
  const sections = (context.sections ?? []).map(({ file, text }) => ({ file, text: plainText(text) }));
  const copies = pieces.flatMap((piece) => copyLeaks(piece, kept));
  const isKnown = ({ from, to }: Leak): boolean =>
    copies.some((leak) => leak.from === from && leak.to === to);
  const told = toldLeaks([...reference, ...answer], textsOf(context.skill ?? [], "skill"), given);
  const found = [
    ...howLeaks(task, sections, given),
    ...valueLeaks(task, answer, given),
    ...copies,
    ...identicalLeaks(bundle, task, changed).filter((leak) => !isKnown(leak)),
    ...told.leaks,
  ];
  const byWords = new Map(found.map((leak) => [JSON.stringify(leak), leak]));
  return { leaks: [...byWords.values()], toldWholes: told.wholes };
}

function piecesOf(
  bundle: Bundle,
  replacedFiles: readonly TextFile[],
): { readonly reference: readonly Piece[]; readonly answer: readonly Piece[] } {
  const reference = textsOf(bundle.reference, "reference");
  const grader = textsOf(bundle.grader, "grader").filter(({ place }) => place !== claimsPath);
  const replaced = indexOf(replacedFiles.map(({ text }) => text));
  const outcome = indexOf(reference.map(({ text }) => text));
  return {
    reference: referencePieces(reference, replaced),
    answer: answerPieces(bundle, grader, { replaced, outcome }),
  };
}

/** A task that names none of its files leaves it to the agent to look at all. */
function keptFixtures(
  task: string,
  fixtures: readonly TextFile[],
  { changed, wanted }: { readonly changed: ReadonlySet<string>; readonly wanted: ReadonlySet<string> },
): readonly KeptFixture[] {
  const named = new Set(fixtures.filter(({ path }) => isNamed(path, task)));
  return fixtures
    .filter(({ path }) => !changed.has(path))
    .map((file) => ({
      file,
      index: indexOf([file.text], wanted),
      isInput: named.size === 0 || named.has(file),
    }));
}
