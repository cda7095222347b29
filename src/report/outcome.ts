import type { PlannedTrial, SnapshotRef, StopReason, Trial, TrialUsage } from "../artefacts/trial.ts";
import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { ClaimAnswer, Regression } from "../artefacts/honesty.ts";
import type { UngradedCause } from "../artefacts/report.ts";
import type { Answer, Ballot, Verdict } from "../artefacts/verdict.ts";

/** What a report counts of a finished trial. It holds them all at once, so there is no more in it than that. */
export type CountedTrial = Pick<Trial, "served" | "standIn"> & {
  readonly usage: CountedUsage;
  /** Whether the agent opened a file of a skill that was delivered; null or absent where none was. */
  readonly opened?: boolean | null;
  /** Whether it ended with a message. */
  readonly spoke?: boolean;
  readonly outcome:
    | {
        readonly kind: "ended";
        readonly stop: StopReason;
        readonly snapshot: Pick<SnapshotRef, "leftOut">;
      }
    | { readonly kind: "blocked"; readonly reason: string };
};

/** What it counts of what a trial used. */
export type CountedUsage = Readonly<Omit<TrialUsage, "repairedCalls">>;

/** What it counts of an answer. `key` and the ballots together tell two answers apart. */
export type CountedAnswer = Pick<Answer, "key" | "answer"> & {
  readonly ballots: readonly Omit<Ballot, "question">[];
};

export type CountedVerdict = Pick<Verdict, "verdict" | "reason" | "standInJudges"> & {
  readonly answers: readonly CountedAnswer[];
  /** Null or absent where it was not measured. */
  readonly harm?: CountedDamage | null;
};

/** What it counts of damage: whether there was any, and of what kind. */
export type CountedDamage = {
  readonly outside: boolean;
  readonly partial: boolean;
  readonly regression: Regression | null;
};

/** What it counts of a claim. `answer` is null where the panel did not agree. */
export type CountedClaim = { readonly answer: ClaimAnswer | null; readonly standInJudges: boolean };

/** One planned trial with what is on disk of it. */
export type TrialOnDisk = {
  readonly planned: PlannedTrial;
  readonly trial: CountedTrial | null;
  readonly verdict: CountedVerdict | null;
  /** About its last words; null or absent where no judges were asked. */
  readonly claim?: CountedClaim | null;
  /** Attempts lost to infrastructure, whether or not one succeeded afterwards. */
  readonly voids: number;
  /** Why what lies in its place is neither a trial nor a verdict; null or absent where nothing of that kind does. */
  readonly torn?: string | null;
};

export type Outcome =
  | { readonly kind: "graded"; readonly passed: boolean }
  | { readonly kind: "ungraded"; readonly cause: UngradedCause; readonly reason: string };

/** What a planned trial counts as. Only `graded` enters a denominator. */
export function outcomeOf(entry: TrialOnDisk): Outcome {
  const { trial, verdict, voids, torn = null } = entry;
  if (torn !== null) return { kind: "ungraded", cause: "missing", reason: `cannot be used: ${torn}` };
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

function causeOf({ answers }: CountedVerdict): UngradedCause {
  const unreached = answers.some(
    ({ answer, ballots }) => answer === null && ballots.some((ballot) => ballotKind(ballot) === "unreached"),
  );
  return unreached ? "judges_unreached" : "undecided";
}

/** `skill/benchmark/model/arm/n`, as people name a trial. */
export function trialName(planned: PlannedTrial): string {
  return [planned.skill, planned.benchmark, planned.model, planned.arm, planned.n].join("/");
}
