import { z } from "zod";
import { comparisonSchema } from "./analysis.ts";
import { tallySchema } from "./tally.ts";
import { armSchema } from "./trial.ts";

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
const interval = z.tuple([z.number(), z.number()]).readonly();
/** An end is null where the resamples have no bound there. */
const openInterval = z.tuple([z.number().nullable(), z.number().nullable()]).readonly();

/** A pass rate's counts with its Wilson interval; null without a graded trial. */
export const rateSchema = tallySchema.extend({ interval: interval.nullable() });
export type Rate = z.infer<typeof rateSchema>;

/** A mean over the finished trials that told the figure (`known` of `of`); null when none did. */
const toldSchema = z.object({ mean: z.number().nullable(), known: count, of: count });

/** One benchmark × model in two arms. No conclusion is drawn about a cell: it has too few trials. */
export const furtherCellSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  model: z.string(),
  comparison: comparisonSchema,
  treated: rateSchema,
  control: rateSchema,
  /** Rate of the arm − rate of the control, a fraction, with its Newcombe interval; null where one has none. */
  difference: z.number().nullable(),
  interval: interval.nullable(),
  /** Input and output of a trial; the ratio is null where a mean is unknown or 0. */
  tokens: z.object({ treated: toldSchema, control: toldSchema, ratio: z.number().nullable() }),
});
export type FurtherCell = z.infer<typeof furtherCellSchema>;

/** What a row is about; `model` is null for all models together. */
const scope = { skill: z.string(), model: z.string().nullable() };

/** All trials of an arm as one rate. */
export const armRateSchema = rateSchema.extend({ ...scope, arm: armSchema });
export type ArmRate = z.infer<typeof armRateSchema>;

/** Unbiased pass@k and pass^k of each benchmark × model, then their mean. */
export const reliabilitySchema = z.object({
  ...scope,
  arm: armSchema,
  /** Trials that every cell has: the plan's number, or what its looks gave to the least of them. */
  k: count,
  /** Cells with at least k graded trials, which the means are over, of all cells. */
  cells: count,
  of: count,
  passAtK: share.nullable(),
  passHatK: share.nullable(),
});
export type Reliability = z.infer<typeof reliabilitySchema>;

/** Pairs of trials of one block. McNemar's test asks whether those that differ point one way. */
export const trialPairsSchema = z.object({
  ...scope,
  comparison: comparisonSchema,
  /** Graded in both arms, of all that are planned in both. */
  pairs: count,
  of: count,
  bothPassed: count,
  onlyTreatedPassed: count,
  onlyControlPassed: count,
  bothFailed: count,
  /** Two-sided; null without a pair. */
  pExact: share.nullable(),
  pMid: share.nullable(),
});
export type TrialPairs = z.infer<typeof trialPairsSchema>;

/** `total` is input and output together; `uncachedInput` and `cachedInput` are parts of the input. */
export const tokenKindSchema = z.enum(["total", "uncachedInput", "cachedInput", "output"]);
export type TokenKind = z.infer<typeof tokenKindSchema>;

/** Mean tokens with the arm ÷ mean tokens of the control, per task. Over all models a task's mean is that of its models'. */
export const tokenRatioSchema = z.object({
  ...scope,
  comparison: comparisonSchema,
  tokens: tokenKindSchema,
  /** With a mean above 0 in both arms, which the figures are over, of all tasks. */
  tasks: count,
  of: count,
  /** Finished trials that told the figure. */
  treated: z.object({ known: count, of: count }),
  control: z.object({ known: count, of: count }),
  /** The primary one, with a t interval on logarithms; null below two tasks, and where all ratios are alike. */
  geometric: z.number().nullable(),
  interval: interval.nullable(),
  arithmetic: z.number().nullable(),
  median: z.number().nullable(),
  /** Of the sums: the bill. */
  pooled: z.number().nullable(),
});
export type TokenRatioRow = z.infer<typeof tokenRatioSchema>;

/** Fewer passes than that say nothing about the cost of one. */
export const fewestPasses = 8;
/** A bootstrap over fewer tasks covers far less than it says. */
export const fewestTasks = 6;

/**
 * What all finished trials of an arm cost ÷ those that passed, with a bootstrap over tasks. `unavailable`: a finished
 * trial did not tell its cost, or none has finished · `unbounded`: nothing passed · `counts_only`: fewer than
 * `fewestPasses` passed · `told`: only then is there `perCorrectUsd`, and from `fewestTasks` on that are not all alike `interval`.
 */
export const costSchema = z.object({
  ...scope,
  arm: armSchema,
  kind: z.enum(["unavailable", "unbounded", "counts_only", "told"]),
  tally: tallySchema,
  /** US dollars; null where unavailable. */
  totalUsd: z.number().nullable(),
  /** Finished trials that told their cost, of all finished. */
  known: count,
  of: count,
  perCorrectUsd: z.number().nullable(),
  interval: openInterval.nullable(),
  resamples: count,
});
export type Cost = z.infer<typeof costSchema>;

/** Dollars per correct of the arm ÷ of the control; null unless both are told. */
export const costRatioSchema = z.object({
  ...scope,
  comparison: comparisonSchema,
  ratio: z.number().nullable(),
  interval: openInterval.nullable(),
  resamples: count,
});
export type CostRatio = z.infer<typeof costRatioSchema>;

/** Figures beside the conclusions. All of them are exploratory: none is tested against the plan's α, none concludes. */
export const furtherSchema = z.object({
  /** Of every interval. */
  confidence: share,
  /** Of the plan; where it has none, with against without the skill, if both were planned. */
  comparisons: z.array(comparisonSchema),
  /** Every planned cell. All others are over benchmarks that are counted (`leaks`). */
  cells: z.array(furtherCellSchema),
  rates: z.array(armRateSchema),
  reliability: z.array(reliabilitySchema),
  pairs: z.array(trialPairsSchema),
  tokens: z.array(tokenRatioSchema),
  costs: z.array(costSchema),
  costRatios: z.array(costRatioSchema),
});
export type Further = z.infer<typeof furtherSchema>;
