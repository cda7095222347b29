import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { UngradedCause } from "../artefacts/report.ts";
import type { Verdict } from "../artefacts/verdict.ts";

/** One planned trial with what is on disk of it. */
export type TrialOnDisk = {
  readonly planned: PlannedTrial;
  readonly trial: Trial | null;
  readonly verdict: Verdict | null;
  /** Attempts lost to infrastructure, whether or not one succeeded afterwards. */
  readonly voids: number;
};

export type Outcome =
  | { readonly kind: "graded"; readonly passed: boolean }
  | { readonly kind: "ungraded"; readonly cause: UngradedCause; readonly reason: string };

/** What a planned trial counts as. Only `graded` enters a denominator. */
export function outcomeOf(entry: TrialOnDisk): Outcome {
  const { trial, verdict, voids } = entry;
  if (trial === null) {
    const reason = voids > 0 ? `void ${voids} time(s)` : "not done yet";
    return { kind: "ungraded", cause: "missing", reason };
  }
  if (trial.outcome.kind === "blocked")
    return { kind: "ungraded", cause: "blocked", reason: `blocked: ${trial.outcome.reason}` };
  if (verdict === null) return { kind: "ungraded", cause: "missing", reason: "no verdict yet" };
  switch (verdict.verdict) {
    case "passed":
      return { kind: "graded", passed: true };
    case "failed":
      return { kind: "graded", passed: false };
    case "ungraded":
      return { kind: "ungraded", cause: causeOf(verdict), reason: verdict.reason ?? "no reason recorded" };
  }
}

function causeOf({ answers }: Verdict): UngradedCause {
  const unreached = answers.some(
    ({ answer, ballots }) => answer === null && ballots.some((ballot) => ballotKind(ballot) === "unreached"),
  );
  return unreached ? "judges_unreached" : "undecided";
}

/** `skill/benchmark/model/arm/n`, as people name a trial. */
export function trialName(planned: PlannedTrial): string {
  return [planned.skill, planned.benchmark, planned.model, planned.arm, planned.n].join("/");
}
