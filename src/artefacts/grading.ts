import type { Answer, Assertion, Question } from "./verdict.ts";

/** How a grader's program ended, read strictly. Only `asks` leaves anything to the panel. */
export type GraderOutcome =
  | { readonly kind: "passed"; readonly assertions: readonly Assertion[] }
  | { readonly kind: "failed"; readonly assertions: readonly Assertion[] }
  | {
      readonly kind: "asks";
      readonly assertions: readonly Assertion[];
      readonly questions: readonly Question[];
    }
  /** The grader broke its contract; `reason` is a sentence its author can act on. */
  | { readonly kind: "error"; readonly assertions: readonly Assertion[]; readonly reason: string };

/** One grading of one workspace: what the program said, and what the panel answered. Held in memory, not on disk. */
export type Grading = {
  readonly outcome: GraderOutcome;
  /** In the order of the questions; empty unless the grader asked. */
  readonly answers: readonly Answer[];
  readonly grader: {
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly timedOut: boolean;
    readonly seconds: number;
  };
  /** What the grader wrote on every stream, bounded, with control characters made harmless. */
  readonly log: string;
  readonly standInJudges: boolean;
  readonly bundleHash: string;
};
