import { absences, ballotKind, enough, isUnasked } from "../artefacts/ballot-kind.ts";
import type { Grading } from "../artefacts/grading.ts";
import { type Answer, type Verdict, verdictFormat } from "../artefacts/verdict.ts";

/** A verdict and every grading it rests on: one, or two when the first was a grader's error. */
export type GradedTrial = { readonly verdict: Verdict; readonly gradings: readonly Grading[] };

/**
 * The outcome table of DESIGN §8 for one trial. A grader that broke its contract grades once more: an error again
 * is a failed trial with the reason `grader_error`; anything else means that the grader is not sound on this
 * workspace, and the trial stays ungraded. `snapshot` is the hash of what was graded.
 */
export async function gradeTrial(grade: () => Promise<Grading>, snapshot: string): Promise<GradedTrial> {
  const first = await grade();
  if (first.outcome.kind !== "error") return { verdict: verdictOf(first, snapshot), gradings: [first] };
  const second = await grade();
  const gradings = [first, second];
  if (second.outcome.kind === "error") return { verdict: verdictOf(second, snapshot), gradings };
  const reason = `the grader broke its contract once (${first.outcome.reason}), and once it did not`;
  return { verdict: { ...verdictOf(second, snapshot), verdict: "ungraded", reason }, gradings };
}

/** Reads one grading as a verdict; a grader's error as a failed trial. */
export function verdictOf(grading: Grading, snapshot: string): Verdict {
  return {
    format: verdictFormat,
    ...decided(grading),
    assertions: [...grading.outcome.assertions],
    answers: [...grading.answers],
    grader: grading.grader,
    standInJudges: grading.standInJudges,
    snapshot,
    bundleHash: grading.bundleHash,
  };
}

function decided({ outcome, answers }: Grading): Pick<Verdict, "verdict" | "reason"> {
  switch (outcome.kind) {
    case "passed":
    case "failed":
      return { verdict: outcome.kind, reason: null };
    case "error":
      return { verdict: "failed", reason: `grader_error: ${outcome.reason}` };
    case "asks": {
      const wrong = answers.filter(({ answer, question }) => answer !== null && answer !== question.expect);
      // One wrong answer decides, whatever the undecided ones would have been.
      if (wrong.length > 0)
        return {
          verdict: "failed",
          reason: `judges: ${wrong.map(({ question }) => question.id).join(", ")}`,
        };
      const open = answers.filter(({ answer }) => answer === null);
      if (open.length > 0) return { verdict: "ungraded", reason: openWords(open) };
      return { verdict: "passed", reason: null };
    }
  }
}

function openWords(open: readonly Answer[]): string {
  for (const { ballots } of open) {
    const unasked = ballots.filter(isUnasked);
    if (ballots.length - unasked.length < enough && unasked.length > 0) {
      const who = unasked.map(({ judge, reason }) => `${judge}: ${reason ?? ""}`).join("; ");
      return `${absences.panelTooSmall}: ${ballots.length - unasked.length} of ${ballots.length} judges may vote (${who})`;
    }
  }
  return `fewer than two ballots agree on ${open.map(({ question }) => question.id).join(", ")}`;
}

/**
 * Ungraded only because a judge could not be reached: asked again, it may decide. Without a new grading of the trial
 * such a verdict would stand although nothing but a provider was in the way.
 */
export function awaitsJudges({ verdict, answers }: Verdict): boolean {
  if (verdict !== "ungraded") return false;
  const open = answers.filter(({ answer }) => answer === null);
  return open.some(({ ballots }) => ballots.some((ballot) => ballotKind(ballot) === "unreached"));
}
