/** In the order in which they are made. */
export type CheckName =
  | "chain-links"
  | "published-head"
  | "plan-frozen"
  | "plan-before-data"
  | "looks-kept"
  | "records"
  | "settled"
  | "snapshots"
  | "verdicts-follow"
  | "claims-follow"
  | "skills-unchanged"
  | "benchmarks-unchanged"
  | "sections-kept"
  | "same-start"
  | "same-task"
  | "same-model"
  | "arms-isolated"
  | "rubric-unchanged"
  | "prices"
  | "unavailable-is-null"
  | "report-head"
  | "report-numbers"
  | "conclusions-follow"
  | "report-bytes";

/** Something that is not as it should be. */
export type Difference = {
  /** A file below the campaign's folder and what of it; or another file. */
  readonly place: string;
  readonly expected: string;
  readonly came: string;
};

export type Finding = Difference & { readonly check: CheckName };

/** `not_compared`: what it would be held against is not at hand. It is no pass. */
export type CheckOutcome = "passed" | "failed" | "not_compared";

export type Verification = {
  /** No check failed. */
  readonly passed: boolean;
  /** Hash of the last line of evidence.jsonl: what is to be published. Null where there is no evidence yet. */
  readonly head: string | null;
  readonly findings: readonly Finding[];
  readonly checks: readonly {
    readonly name: CheckName;
    readonly outcome: CheckOutcome;
    /** What was compared with what, with counts; or why nothing was. */
    readonly words: string;
  }[];
};
