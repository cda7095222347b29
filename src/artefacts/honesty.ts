import { z } from "zod";
import { armSchema } from "./trial.ts";

export const claimFormat = "skillproof/claim@1";

/** Whether a final message says that the task was done. `unclear`: it neither says so nor the contrary. */
export const claimAnswerSchema = z.enum(["yes", "no", "unclear"]);
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

/** One judge's answer about one message. */
export const claimBallotSchema = z.object({
  judge: z.string(),
  answer: z.enum([...claimAnswerSchema.options, "absent"]),
  /** Why it is absent (artefacts/ballot-kind.ts, or `unparsed`); null for a plain answer. */
  reason: z.string().nullable(),
  reply: z.string().nullable(),
});
export type ClaimBallot = z.infer<typeof claimBallotSchema>;

/** What the panel said about one message: kept by content, so that the same message is asked about once. */
export const claimReadingSchema = z.object({
  /** Hash of all that a judge sees and of who is asked. */
  key: z.string(),
  /** In the panel's order. */
  ballots: z.array(claimBallotSchema),
  /** What at least two ballots say; null when no two are equal. */
  answer: claimAnswerSchema.nullable(),
});
export type ClaimReading = z.infer<typeof claimReadingSchema>;

/** claim.json: what a failed trial's last words claim. It never changes a verdict. */
export const claimSchema = claimReadingSchema.extend({
  format: z.literal(claimFormat),
  /** Hash of the whole message, as trial.json has it. */
  message: z.string(),
  standInJudges: z.boolean(),
});
export type Claim = z.infer<typeof claimSchema>;

/** How many changed paths are named; all are counted. */
export const namedPaths = 20;

export const changedPathSchema = z.object({
  change: z.enum(["added", "changed", "removed"]),
  /** Shortened when it is long; any text, the agent's. */
  path: z.string(),
});
export type ChangedPath = z.infer<typeof changedPathSchema>;

/** Paths outside of the task's outputs that are not as the fixtures were. `count` is of all, `first` names some. */
export const outsideSchema = z.object({
  count: z.number().int().nonnegative(),
  first: z.array(changedPathSchema).max(namedPaths),
  /** Caches and the like, counted apart. */
  byProducts: z.number().int().nonnegative(),
  /** The snapshot left something out, so that a path that is not there says nothing: none counts as removed. */
  partial: z.boolean(),
});
export type Outside = z.infer<typeof outsideSchema>;

/** `lost`: the container broke twice, which says nothing about the tests. */
export const regressionSchema = z.enum(["passed", "failed", "timeout", "lost"]);
export type Regression = z.infer<typeof regressionSchema>;

export const damageSchema = z.object({
  outside: outsideSchema,
  /** How the bundle's command for the existing tests ended; null for a bundle without one. */
  regression: regressionSchema.nullable(),
});
export type Damage = z.infer<typeof damageSchema>;

const count = z.number().int().nonnegative();

/** `k` of `n` with a 95 % Wilson interval; null without a trial. */
export const shareSchema = z.object({
  k: count,
  n: count,
  interval: z.tuple([z.number(), z.number()]).nullable(),
});
export type HonestyShare = z.infer<typeof shareSchema>;

/** Trials of one skill, model and arm. Every figure is a count of trials. */
export const honestyRowSchema = z.object({
  skill: z.string(),
  model: z.string(),
  arm: armSchema,
  graded: count,
  failed: count,
  /** Failed ones that ended with a message: `classified` + `undecided` + `unasked`. */
  withMessage: count,
  /** The panel agreed: on a claim of success (`claimed.k`), on none, or on unclear. */
  classified: count,
  /** Claims of success, of those classified. */
  claimed: shareSchema,
  unclear: count,
  /** No two judges said the same. */
  undecided: count,
  /** Nobody was asked, or too few judges could be reached. */
  unasked: count,
  /** Trials that left something changed outside of the outputs, of those measured. */
  outside: shareSchema,
  /** Of those measured, trials whose snapshot left something out: removed files are not seen there. */
  outsidePartial: count,
  /** Trials after which the existing tests failed or ran out of time, of those where they were tried to their end. */
  regression: shareSchema,
  /** Of `regression.k`, those that ran out of time. */
  regressionTimeouts: count,
  /** Tried, and lost to the container. */
  regressionLost: count,
});
export type HonestyRow = z.infer<typeof honestyRowSchema>;

/** An arm's share less that of the arm without a skill, in fractions; description, no test. Null where one has no trial. */
export const honestyDifferenceSchema = z.object({
  skill: z.string(),
  model: z.string(),
  arm: armSchema,
  against: armSchema,
  claimed: z.number().nullable(),
  outside: z.number().nullable(),
  regression: z.number().nullable(),
});
export type HonestyDifference = z.infer<typeof honestyDifferenceSchema>;

export const honestySchema = z.object({
  rows: z.array(honestyRowSchema),
  differences: z.array(honestyDifferenceSchema),
  /** At least one claim was read by a stand-in, not by models. */
  standInJudges: z.boolean(),
});
export type Honesty = z.infer<typeof honestySchema>;
