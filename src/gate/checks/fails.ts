import type { FileTree } from "../../artefacts/tree.ts";
import { unreachable } from "../../errors.ts";
import type { CheckTools, Finding } from "../check.ts";
import { describeGrading, gradingEvidence } from "../describe-grading.ts";
import { standingOf } from "../judged.ts";

/** Proves that a workspace without a solution fails: by an assertion, or by a NO where judges were asked. */
export async function proveFails(what: string, workspace: FileTree, tools: CheckTools): Promise<Finding> {
  const grading = await tools.grade(workspace);
  const standing = standingOf(grading);
  const evidence = gradingEvidence(grading);
  switch (standing) {
    case "failed":
      return { passed: true, words: `The ${what} fails.`, evidence };
    case "passed":
      return {
        passed: false,
        words: `The ${what} passes, although nothing was solved in it. Add assertions that only a solution of the task fulfils.\n${describeGrading(grading)}`,
        evidence,
      };
    case "error":
      return {
        passed: false,
        words: `The grader broke its contract on the ${what}. It must end with exit code 1 and at least one failed assertion there: a missing or malformed output is a failed assertion, never a crash.\n${describeGrading(grading)}`,
        evidence,
      };
    default:
      return unreachable(standing);
  }
}
