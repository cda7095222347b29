import type { Bundle } from "../../artefacts/bundle.ts";
import type { Grading } from "../../artefacts/grading.ts";
import type { Check } from "../check.ts";
import { describeGrading, gradingEvidence } from "../describe-grading.ts";
import { standingOf } from "../judged.ts";
import { existingTestsFault, tryExistingTests } from "./existing-tests.ts";

/**
 * The bundled solution must pass its own grader, a judged one by the answers it expects, and leave the existing tests
 * whole, where the bundle names any.
 */
export const referencePasses: Check = {
  name: "reference-passes",
  prove: async (bundle, tools) => {
    const grading = await tools.gradeReferenceOnce();
    const fault = faultOf(bundle, grading);
    const evidence = gradingEvidence(grading);
    if (fault !== null) return { passed: false, words: `${fault}\n${describeGrading(grading)}`, evidence };
    const existingTests = await tryExistingTests(bundle, tools);
    if (existingTests === null) return { passed: true, words: "The reference passes.", evidence };
    const broken = existingTestsFault(existingTests);
    return {
      passed: broken === null,
      words: broken ?? "The reference passes, and so do the existing tests before and after it.",
      evidence: { grading: evidence, existingTests },
    };
  },
};

function faultOf({ spec }: Bundle, grading: Grading): string | null {
  const asked = grading.outcome.kind === "asks";
  if (asked && !spec.judged) {
    return "The grader asks the judges (exit code 3), but benchmark.yaml does not say `judged: true`. Add it, or decide in the grader.";
  }
  switch (standingOf(grading)) {
    case "error":
      return "The grader broke its contract on the reference workspace (fixtures with reference/ laid over them). Mend the grader.";
    case "failed":
      return asked
        ? "The judges did not give the expected answers on the reference. Make reference/ clearly fulfil what the question states, or state the question so that it can be answered from the file alone."
        : "The reference does not pass. Either reference/ is wrong or the grader demands something else than the task: make them agree with task.md.";
    case "passed":
      if (spec.judged && !asked)
        return "benchmark.yaml says `judged: true`, but the grader passed the reference without asking. Ask (exit code 3), or take `judged` out.";
      return null;
  }
}
