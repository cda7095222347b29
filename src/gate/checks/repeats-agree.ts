import type { Bundle } from "../../artefacts/bundle.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { unreachable } from "../../errors.ts";
import { canonicalJson } from "../../hash.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { describeGrading, gradingEvidence } from "../describe-grading.ts";
import {
  absentBy,
  type Circumstance,
  combined,
  planRepeats,
  probingScript,
  steadyHashSeed,
} from "../repeats.ts";
import { referenceWorkspace } from "../workspaces.ts";

/** One grading of the reference, under changed circumstances or, with none, as a campaign grades. */
type Repeat = { readonly changed: readonly Circumstance[]; readonly grading: Grading };

/** What makes gradings differ, as far as further gradings tell. */
type Cause =
  | { readonly kind: "alone"; readonly circumstance: Circumstance }
  | { readonly kind: "together"; readonly circumstances: readonly Circumstance[] }
  | { readonly kind: "by itself" };

type GradeUnder = (changed: readonly Circumstance[]) => Promise<Repeat>;

/** Further gradings that say what it was. Even chances agree by luck once in 2 to the power of them. */
const plainAgain = 4;
const eachAgain = 2;
const steadied = 5;

/** The same work must come to the same in every grading: a grader that notices where and when it works measures that. */
export const repeatsAgree: Check = {
  name: "repeats-agree",
  prove: async (bundle, tools) => {
    const planned = planRepeats(tools.settings);
    const absent = await absentHere(planned.flat(), tools);
    const plan = planned.map((group) => group.filter((one) => !absent.includes(one)));
    const under = gradeUnder(bundle, tools);
    const [first, ...repeats] = await Promise.all([tools.gradeReferenceOnce(), ...plan.map(under)]);
    const differing = repeats.filter(({ grading }) => differencesOf(first, grading).length > 0);
    const causes = differing.length === 0 ? [] : await findCauses(first, differing, under);
    return {
      passed: differing.length === 0,
      words: differing.length === 0 ? agreeWords(repeats) : differWords(first, differing, causes),
      warnings: absent.map(
        ({ words }) => `not tried: ${words}, which the container's image or machine lacks`,
      ),
      evidence: evidenceOf(first, repeats, causes),
    };
  },
};

/** A change that is not there would make two gradings agree that were never different. */
async function absentHere(
  circumstances: readonly Circumstance[],
  tools: CheckTools,
): Promise<readonly Circumstance[]> {
  const script = probingScript(circumstances);
  const left = await tools.actAsAgent({ workspace: [], files: {}, script });
  return absentBy(left(), circumstances);
}

/** Judges are not asked: whether they would be, and what, is compared. */
function gradeUnder(bundle: Bundle, tools: CheckTools): GradeUnder {
  const workspace = referenceWorkspace(bundle);
  return async (changed) => ({
    changed,
    grading: await tools.grade(workspace, { ...combined(changed), askJudges: false }),
  });
}

async function findCauses(
  first: Grading,
  differing: readonly Repeat[],
  under: GradeUnder,
): Promise<readonly Cause[]> {
  const differs = ({ grading }: Repeat): boolean => differencesOf(first, grading).length > 0;
  const again = (times: number, changed: readonly Circumstance[]): Promise<boolean> =>
    Promise.all(Array.from({ length: times }, () => under(changed))).then((repeats) => repeats.some(differs));
  if (await again(plainAgain, [])) return [await whyItWavers(under)];
  const suspects = [...new Set(differing.flatMap(({ changed }) => changed))];
  const tried = await Promise.all(suspects.map((one) => again(eachAgain, [one])));
  const guilty = suspects.filter((_, at) => tried[at]);
  const alone = guilty.map((circumstance): Cause => ({ kind: "alone", circumstance }));
  const unexplained = differing.filter(({ changed }) => !changed.some((one) => guilty.includes(one)));
  const others = await Promise.all(
    unexplained.map(async ({ changed }): Promise<Cause> => {
      const reproduced = changed.length > 1 && (await again(eachAgain, changed));
      return reproduced ? { kind: "together", circumstances: changed } : { kind: "by itself" };
    }),
  );
  return [...alone, ...others];
}

/** Python draws another hash seed for every process, so that it changes without being changed. */
async function whyItWavers(under: GradeUnder): Promise<Cause> {
  const still = Array.from({ length: steadied }, () => under([steadyHashSeed]));
  const [one, ...others] = await Promise.all(still);
  const steady =
    one !== undefined && others.every(({ grading }) => differencesOf(one.grading, grading).length === 0);
  return steady ? { kind: "alone", circumstance: steadyHashSeed } : { kind: "by itself" };
}

function agreeWords(repeats: readonly Repeat[]): string {
  const changed = [...new Set(repeats.flatMap((repeat) => repeat.changed.map(({ kind }) => kind.name)))];
  const under = changed.length === 0 ? "" : ` Changed between them: ${changed.join(", ")}.`;
  return `${repeats.length + 1} independent gradings of the reference agree.${under}`;
}

function differWords(first: Grading, differing: readonly Repeat[], causes: readonly Cause[]): string {
  const parts = [...new Set(differing.flatMap(({ grading }) => differencesOf(first, grading)))];
  const shown = differing[0];
  return [
    `Independent gradings of the reference differ in: ${parts.join(", ")}. They must come to the same wherever and whenever they happen.`,
    ...new Set(causes.map(causeWords)),
    `First grading.\n${describeGrading(first)}`,
    ...(shown === undefined ? [] : [`A grading ${underWords(shown)}.\n${describeGrading(shown.grading)}`]),
  ].join("\n");
}

function causeWords(cause: Cause): string {
  switch (cause.kind) {
    case "alone":
      return `It depends on ${cause.circumstance.words}. ${cause.circumstance.kind.cure}`;
    case "together":
      return `No single change does it, but these together do: ${namesOf(cause.circumstances)}. ${cause.circumstances.map(({ kind }) => kind.cure).join(" ")}`;
    case "by itself":
      return "It wavers by itself, under the same circumstances too. Take out whatever depends on chance, the present moment, temporary names, or which of several processes comes first.";
    default:
      return unreachable(cause);
  }
}

function underWords({ changed }: Repeat): string {
  return changed.length === 0 ? "in which nothing was changed" : `with these changed: ${namesOf(changed)}`;
}

function namesOf(circumstances: readonly Circumstance[]): string {
  return circumstances.map(({ words }) => words).join(", ");
}

function evidenceOf(
  first: Grading,
  repeats: readonly Repeat[],
  causes: readonly Cause[],
): Finding["evidence"] {
  return {
    first: gradingEvidence(first),
    repeats: repeats.map(({ changed, grading }) => {
      const differences = differencesOf(first, grading);
      const names = changed.map(({ words }) => words);
      return differences.length === 0
        ? { changed: names, agrees: true }
        : { changed: names, agrees: false, differences: [...differences], found: gradingEvidence(grading) };
    }),
    causes: causes.map((cause) => {
      if (cause.kind === "alone") return cause.circumstance.words;
      return cause.kind === "together" ? `together: ${namesOf(cause.circumstances)}` : cause.kind;
    }),
  };
}

function differencesOf(first: Grading, second: Grading): readonly string[] {
  const parts: readonly (readonly [string, (grading: Grading) => unknown])[] = [
    ["outcome", ({ outcome }) => outcome.kind],
    ["assertions", ({ outcome }) => outcome.assertions],
    ["questions", ({ outcome }) => (outcome.kind === "asks" ? outcome.questions : [])],
  ];
  return parts
    .filter(([, part]) => canonicalJson(part(first)) !== canonicalJson(part(second)))
    .map(([name]) => name);
}
