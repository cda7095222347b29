import type { Bundle } from "../../artefacts/bundle.ts";
import { type Claims, claimsPath } from "../../artefacts/claims.ts";
import type { Grading } from "../../artefacts/grading.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { sentencesOf } from "../claims.ts";
import { describeGrading, gradingEvidence } from "../describe-grading.ts";
import { fateOf } from "../kills.ts";
import { enumerated, shorten } from "../shorten.ts";
import { planVariants, type Variant } from "../variants/plan-variants.ts";

type Refusal = Claims["refusals"][number];
type Tried = { readonly variant: Variant; readonly grading: Grading; readonly refusal: Refusal | null };

const shown = 5;
const named = 20;
const gradingSaid = 1500;

/** Work that differs from the reference in nothing that the task is about must pass as the reference does. */
export const variantsPass: Check = {
  name: "variants-pass",
  needs: ["reference-passes"],
  prove: async (bundle, tools) => {
    const reference = await tools.gradeReferenceOnce();
    const planned = planVariants(bundle);
    const refusals = soundRefusals(bundle);
    const attempt = attemptWith(bundle, reference, { tools, refusals });
    const tried = (await Promise.all(planned.map((variant) => tryVariant(variant, attempt)))).flat();
    const refused = tried.filter((one) => isRefused(bundle, one) && one.refusal === null);
    return {
      passed: refused.length === 0,
      words: refused.length === 0 ? passedWords(bundle, tried) : refusedWords(refused),
      warnings: warningsOf(bundle, tried),
      evidence: evidenceOf(bundle, tried),
    };
  },
};

type Attempt = {
  readonly grade: (variant: Variant) => Promise<Tried>;
  readonly refuses: (tried: Tried) => boolean;
};

function attemptWith(
  bundle: Bundle,
  { outcome }: Grading,
  { tools, refusals }: { readonly tools: CheckTools; readonly refusals: readonly Refusal[] },
): Attempt {
  const judgedFiles = new Set(
    outcome.kind === "asks" ? outcome.questions.flatMap(({ artefacts }) => artefacts) : [],
  );
  const grade = async (variant: Variant): Promise<Tried> => {
    // Judges have seen the reference's files, and what they would say of other bytes is no matter of the grader's.
    const askJudges = bundle.spec.judged && !variant.rewritten.some((path) => judgedFiles.has(path));
    const packing = variant.packing === undefined ? {} : { packing: variant.packing };
    const grading = await tools.grade(variant.workspace, { askJudges, ...packing });
    const refusal =
      refusals.find((one) => one.variant === variant.id || one.variant === variant.kind) ?? null;
    return { variant, grading, refusal };
  };
  return { grade, refuses: (tried) => isRefused(bundle, tried) };
}

/** All files at once; when that is refused, each alone, so that the author learns which file it is. */
async function tryVariant(variant: Variant, { grade, refuses }: Attempt): Promise<readonly Tried[]> {
  const whole = await grade(variant);
  if (!refuses(whole) || whole.refusal !== null || variant.singles.length === 0) return [whole];
  const singles = await Promise.all(variant.singles.map(grade));
  return singles.some(refuses) ? singles : [whole];
}

function isRefused({ spec }: Bundle, { grading }: Tried): boolean {
  const fate = fateOf(grading, spec.judged);
  return fate !== "survived" && fate !== "left";
}

function soundRefusals({ claims, task }: Bundle): readonly Refusal[] {
  const faultOf = sentencesOf(task);
  return (claims?.refusals ?? []).filter(({ sentence }) => faultOf(sentence) === null);
}

function refusedWords(refused: readonly Tried[]): string {
  const rest = refused.slice(shown).map(({ variant }) => variant.id);
  return [
    `The grader is too strict: it refuses variants of the reference that mean the same (${refused.length}), so it would refuse good work. Make it accept them. Where a sentence of task.md rules one out, say so in ${claimsPath}: {"refusals": [{"variant": "…", "sentence": "…", "reason": "…"}]}.`,
    ...refused.slice(0, shown).map(({ variant, grading }) => {
      const files = variant.paths.length === 0 ? "" : ` in ${shorten(enumerated(variant.paths, named), 500)}`;
      return `- ${variant.id}: ${variant.words}${files}. ${variant.cure}\n${shorten(describeGrading(grading), gradingSaid)}`;
    }),
    ...(rest.length === 0 ? [] : [`And: ${enumerated(rest, named)}`]),
  ].join("\n");
}

function passedWords(bundle: Bundle, tried: readonly Tried[]): string {
  const excused = tried.filter((one) => isRefused(bundle, one)).length;
  const more = excused === 0 ? "" : ` Refused for a reason that the author names: ${excused}.`;
  return `${tried.length - excused} of ${tried.length} neutral variants of the reference pass.${more}`;
}

function warningsOf(bundle: Bundle, tried: readonly Tried[]): readonly string[] {
  const excused = tried.filter((one) => isRefused(bundle, one) && one.refusal !== null);
  const used = new Set(excused.map(({ refusal }) => refusal));
  const idle = soundRefusals(bundle).filter(
    ({ variant }) => ![...used].some((refusal) => refusal?.variant === variant),
  );
  const reasons = excused.map(
    ({ variant, refusal }) => `${variant.id} (${shorten(refusal?.reason ?? "", 300)})`,
  );
  return [
    ...(reasons.length === 0 ? [] : [`Refused, and the author says why: ${enumerated(reasons, named)}.`]),
    ...(idle.length === 0
      ? []
      : [
          `refusals in ${claimsPath} that nothing needs: ${enumerated(
            idle.map(({ variant }) => shorten(variant, 300)),
            named,
          )}.`,
        ]),
  ];
}

function evidenceOf(bundle: Bundle, tried: readonly Tried[]): Finding["evidence"] {
  return tried.map((one) => {
    const { variant, grading, refusal } = one;
    const { id, words, paths } = variant;
    if (!isRefused(bundle, one)) {
      const left = fateOf(grading, bundle.spec.judged) === "left";
      return { variant: id, words, files: [...paths], outcome: left ? "left to the judges" : "passed" };
    }
    const graded = { variant: id, words, files: [...paths], grading: gradingEvidence(grading) };
    return refusal === null
      ? { ...graded, outcome: "refused" }
      : { ...graded, outcome: "excused", sentence: refusal.sentence, reason: refusal.reason };
  });
}
