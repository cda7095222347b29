import type { Grading } from "../../artefacts/grading.ts";
import { canonicalJson } from "../../hash.ts";
import type { Check } from "../check.ts";
import { describeGrading, gradingEvidence } from "../describe-grading.ts";
import { referenceWorkspace } from "../workspaces.ts";

/** Two gradings of the same reference in two containers must come to the same: a grader that wavers measures noise. */
export const runsAgree: Check = {
  name: "runs-agree",
  prove: async (bundle, tools) => {
    const first = await tools.gradeReferenceOnce();
    const second = await tools.grade(referenceWorkspace(bundle));
    const differences = differencesOf(first, second);
    return {
      passed: differences.length === 0,
      words:
        differences.length === 0
          ? "Two independent gradings of the reference agree."
          : `Two independent gradings of the reference differ in: ${differences.join(", ")}. Take out whatever depends on time, chance, order or temporary names.\nFirst grading.\n${describeGrading(first)}\nSecond grading.\n${describeGrading(second)}`,
      evidence: {
        differences: [...differences],
        first: gradingEvidence(first),
        second: gradingEvidence(second),
      },
    };
  },
};

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
