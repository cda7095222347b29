import { z } from "zod";
import { conclusionKindSchema } from "./conclusion-kind.ts";
import { tallySchema } from "./tally.ts";
import { armSchema } from "./trial.ts";

export const comparisonFormat = "skillproof/comparison@1";

const count = z.number().int().min(0);
const p = z.number().min(0).max(1);
const interval = z.tuple([z.number(), z.number()]).readonly();

/** One of the two: an arm of a campaign. */
export const comparedSideSchema = z.object({
  campaign: z.string(),
  /** As the YAML calls the campaign: the same for every version of its inputs. */
  name: z.string(),
  arm: armSchema,
  inputsHash: z.string(),
  standIn: z.boolean(),
  standInJudges: z.boolean(),
  trials: z.object({ planned: count, finished: count, graded: count }),
});
export type ComparedSide = z.infer<typeof comparedSideSchema>;

/** B minus A, of a pass rate or of an uplift, as a fraction. An uplift can change by 2. */
export const changeSchema = z.object({
  estimate: z.number(),
  /** Would a rerun of these very benchmarks agree? The trial is the unit. */
  set: z.object({
    standardError: z.number(),
    /** At 1 − α, and at 1 − 2α for the margin. */
    interval,
    marginInterval: interval,
    /** Exact and two-sided, of the shuffled labels A and B inside every cell. Null for uplifts: they have four labels. */
    p: p.nullable(),
    /** Holm over the rows of the level; null for uplifts and cells. */
    pAdjusted: p.nullable(),
    /** The least p that so few trials can give, whatever they show; null for uplifts, and from 41 cells on. */
    smallestP: p.nullable(),
  }),
  /** Does it hold for tasks like these? The task is the unit, its models averaged. Null for one cell. */
  tasks: z
    .object({
      count,
      better: count,
      worse: count,
      same: count,
      /** Of the sign-flip test; `exact` is false where sign vectors were drawn. */
      p,
      exact: z.boolean(),
      /** t interval at 1 − α; null where there are too few tasks or all differ alike. */
      interval: interval.nullable(),
    })
    .nullable(),
});
export type Change = z.infer<typeof changeSchema>;

/**
 * `regression`, `improvement`: the arm passes less, or more, often in B, confirmed · `drift`: so it does, and the control
 * moved as far.
 */
export const changeKindSchema = z.enum([
  "regression",
  "improvement",
  "drift",
  "no_meaningful_difference",
  "cannot_tell",
]);
export type ChangeKind = z.infer<typeof changeKindSchema>;

export const comparedRowSchema = z.object({
  level: z.enum(["skill", "skill-model", "cell"]),
  skill: z.string(),
  model: z.string().nullable(),
  benchmark: z.string().nullable(),
  /** That have a verdict of the arm on both sides; and of those, with one of the control on both sides too. */
  cells: count,
  upliftCells: count,
  tasks: count,
  /** Trials of the compared arm, and of the control in `upliftCells`. */
  arm: z.object({ a: tallySchema, b: tallySchema }),
  control: z.object({ a: tallySchema, b: tallySchema }),
  /** Means over `upliftCells`; null where there are none. */
  uplift: z.object({ a: z.number(), b: z.number(), change: changeSchema }).nullable(),
  /** Pass rates of the compared arm, as means over `cells`. */
  rate: z.object({ a: z.number(), b: z.number(), change: changeSchema }),
  /** Null for a cell: nothing is concluded from one. */
  verdict: z.object({ kind: changeKindSchema, reason: z.string() }).nullable(),
});
export type ComparedRow = z.infer<typeof comparedRowSchema>;

/** A figure per trial in B ÷ in A; null where it is not known, for the reason given. */
export const ratioSchema = z.object({ ratio: z.number().nullable(), words: z.string() });

export const campaignComparisonSchema = z.object({
  format: z.literal(comparisonFormat),
  /** The baseline. */
  a: comparedSideSchema,
  b: comparedSideSchema,
  control: armSchema,
  /** Both are arms of one campaign: they share the control's trials, so their uplifts differ as their rates do. */
  sharedControl: z.boolean(),
  /** The same inputs and the same arm: an A/A comparison, whose differences are noise or drift. */
  sameInputs: z.boolean(),
  /** Of A's plan, or the defaults where it froze none. */
  settings: z.object({
    alpha: z.number(),
    delta: z.number(),
    minTasks: count,
    harmedFrom: z.number(),
    frozen: z.boolean(),
  }),
  rows: z.array(comparedRowSchema),
  /** Cells whose pass rate fell by `harmedFrom` or more; a description, not a conclusion. */
  fell: z.array(
    z.object({
      skill: z.string(),
      benchmark: z.string(),
      model: z.string(),
      a: tallySchema,
      b: tallySchema,
    }),
  ),
  /** What each campaign concluded for itself about a row that both have; null on both sides is not listed. */
  conclusions: z.array(
    z.object({
      skill: z.string(),
      model: z.string().nullable(),
      question: z.enum(["tasks", "set"]),
      a: conclusionKindSchema,
      b: conclusionKindSchema,
      worse: z.boolean(),
    }),
  ),
  usage: z.array(
    z.object({
      skill: z.string(),
      model: z.string(),
      inputTokens: ratioSchema,
      outputTokens: ratioSchema,
      costUsd: ratioSchema,
    }),
  ),
  /** Whether the arm delivers the same bytes on both sides; null where it is not known. */
  skills: z.array(z.object({ skill: z.string(), sameDelivered: z.boolean().nullable() })),
  /** What was not compared; a null stands for all. */
  leftOut: z.array(
    z.object({
      skill: z.string().nullable(),
      benchmark: z.string().nullable(),
      model: z.string().nullable(),
      reason: z.string(),
    }),
  ),
  /** What a reader must know before trusting the numbers; each a sentence. */
  warnings: z.array(z.string()),
});
export type CampaignComparison = z.infer<typeof campaignComparisonSchema>;
