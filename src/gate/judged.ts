import type { Grading } from "../artefacts/grading.ts";
import { InfrastructureError } from "../errors.ts";

/** What a grading comes to once the judges have answered. */
export type Standing = "passed" | "failed" | "error";

/**
 * Judges that are absent say nothing about a bundle: throws `InfrastructureError` when the missing answers could
 * have changed the outcome.
 */
export function standingOf({ outcome, answers }: Grading): Standing {
  if (outcome.kind !== "asks") return outcome.kind;
  if (answers.some(({ answer, question }) => answer !== null && answer !== question.expect)) return "failed";
  const open = answers.find(({ answer }) => answer === null);
  if (open !== undefined) {
    const reasons = open.ballots.map(
      (ballot) => `${ballot.judge}: ${ballot.answer}${ballot.reason === null ? "" : ` (${ballot.reason})`}`,
    );
    throw new InfrastructureError(
      `the judges gave no decision on question "${open.question.id}" (${reasons.join("; ")}), so the gate cannot go on. Try again.`,
    );
  }
  return "passed";
}
