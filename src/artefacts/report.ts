import { z } from "zod";
import { conclusionsSchema } from "./conclusion.ts";
import { endpointSchema } from "./endpoint.ts";
import { honestySchema } from "./honesty.ts";
import { furtherSchema } from "./further.ts";
import { reportedLooksSchema } from "./looks.ts";
import { judgeStatisticsSchema } from "./judges.ts";
import { probeSchema } from "./canary.ts";
import { campaignInputsSchema, leakyHandlingSchema, plannedBenchmarkSchema } from "./plan.ts";
import { sectionMapSchema } from "./section-map.ts";
import { tallySchema } from "./tally.ts";
import { armSchema, stopReasonSchema } from "./trial.ts";

export const reportFormat = "skillproof/report@4";

const count = z.number().int();

/**
 * Why a planned trial has no verdict. `missing` and `judges_unreached` are the doing of what broke under us, and the
 * same command tries again; `blocked` and `undecided` stand.
 */
export const ungradedCauseSchema = z.enum(["missing", "judges_unreached", "blocked", "undecided"]);
export type UngradedCause = z.infer<typeof ungradedCauseSchema>;

/** Attempts of one model in one arm, and how many of them were lost to infrastructure. */
export const voidRateSchema = z.object({
  model: z.string(),
  arm: armSchema,
  lost: count,
  attempts: count,
});
export type VoidRate = z.infer<typeof voidRateSchema>;

/** A difference of pass rates as a fraction, with what it rests on. Null where an arm has no graded trial. */
export const upliftSchema = z.object({
  uplift: z.number().nullable(),
  /** benchmark × model cells it is the mean of, and how many of those had every planned trial graded. */
  cells: count,
  completeCells: count,
  with: tallySchema,
  without: tallySchema,
});
export type Uplift = z.infer<typeof upliftSchema>;

/** Trials of one arm that delivers a skill, split by whether the agent opened a file of it. */
export const activationRowSchema = z.object({
  skill: z.string(),
  model: z.string(),
  arm: armSchema,
  /** Finished ones. */
  trials: count,
  opened: tallySchema,
  notOpened: tallySchema,
});
export type ActivationRow = z.infer<typeof activationRowSchema>;

export const cellSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  model: z.string(),
  arms: z.partialRecord(armSchema, tallySchema),
  uplift: z.number().nullable(),
  /** Every planned trial of both arms was graded. */
  complete: z.boolean(),
});
export type Cell = z.infer<typeof cellSchema>;

/** A mean over the trials that reported the figure; null when none did. */
export const meanSchema = z.object({ mean: z.number().nullable(), known: count, of: count });
export type Mean = z.infer<typeof meanSchema>;

export const armUsageSchema = z.object({
  skill: z.string(),
  model: z.string(),
  arm: armSchema,
  inputTokens: meanSchema,
  uncachedInputTokens: meanSchema,
  cachedInputTokens: meanSchema,
  outputTokens: meanSchema,
  costUsd: meanSchema,
  modelCalls: meanSchema,
  toolCalls: meanSchema,
  peakContextTokens: meanSchema,
});
export type ArmUsage = z.infer<typeof armUsageSchema>;

export const reportedLeaksSchema = z.object({
  handling: leakyHandlingSchema,
  /** Benchmarks in which the gate found any, with their kinds. */
  benchmarks: z.array(
    z.object({
      skill: z.string(),
      benchmark: z.string(),
      kinds: plannedBenchmarkSchema.shape.leaks,
      /** Of every figure that is a mean over benchmarks; its trials and cells are listed all the same. */
      leftOut: z.boolean(),
    }),
  ),
  /** Over benchmarks that give neither an answer nor the skill's how away; null where all are such. */
  without: upliftSchema.nullable(),
  /** Over benchmarks of which the skill tells no answer either; null where that makes no difference. */
  withoutTold: upliftSchema.nullable(),
});

/** How the canaries of one arm did, by its last one that failed or, when none did, its last; what they saw is in timings.json. */
export const isolationSchema = z.object({
  skill: z.string(),
  arm: armSchema,
  /** Every canary of it passed. */
  passed: z.boolean(),
  probes: z.array(probeSchema.pick({ probe: true, passed: true })),
});
export type Isolation = z.infer<typeof isolationSchema>;

export const reportSchema = z.object({
  format: z.literal(reportFormat),
  campaign: z.string(),
  /** One sentence: uplift with its denominators. */
  headline: z.string(),
  inputsHash: z.string(),
  /** At least one model was a stand-in: nothing here says anything about models. */
  standIn: z.boolean(),
  standInJudges: z.boolean(),
  /** The rule of a probe; null for a campaign. */
  probe: campaignInputsSchema.shape.probe,
  /** Benchmarks left out before the first trial, by what a probe found on them. */
  excluded: campaignInputsSchema.shape.excluded,
  /** What the plan fixed besides skills and benchmarks; `trials` are those per arm and cell. */
  settings: campaignInputsSchema.pick({
    seed: true,
    trials: true,
    delivery: true,
    limits: true,
    models: true,
    judges: true,
  }),
  trials: z.object({ planned: count, finished: count, graded: count }),
  looks: reportedLooksSchema.nullable(),
  /** Null where the plan has no hypothesis, and between looks. */
  conclusions: conclusionsSchema.nullable(),
  cells: z.array(cellSchema),
  perSkillAndModel: z.array(upliftSchema.extend({ skill: z.string(), model: z.string() })),
  perSkill: z.array(upliftSchema.extend({ skill: z.string() })),
  perModel: z.array(upliftSchema.extend({ model: z.string() })),
  /** Mean over all benchmark × model cells that are counted. */
  pooled: upliftSchema,
  leaks: reportedLeaksSchema,
  /** Which sections of each skill carry its effect, in the order of the plan. */
  sections: z.array(sectionMapSchema),
  usage: z.array(armUsageSchema),
  activation: z.array(activationRowSchema),
  /** Exploratory figures beside the conclusions. */
  further: furtherSchema,
  stops: z.array(z.object({ arm: armSchema, stop: stopReasonSchema, trials: count })),
  ungraded: z.array(
    z.object({ trial: z.string(), arm: armSchema, cause: ungradedCauseSchema, reason: z.string() }),
  ),
  /** Blocks in which an input filter stopped some arms and not others: they say nothing about the skill. */
  notComparable: z.array(z.object({ block: z.string(), blocked: z.array(armSchema) })),
  graderErrors: z.array(z.object({ arm: armSchema, trials: count })),
  voids: z.array(voidRateSchema),
  /** What a reader must know before trusting the numbers; each a sentence. */
  warnings: z.array(z.string()),
  /** Snapshots that a limit of the sandbox made smaller than their workspace, of all that were taken. */
  leftOut: z.object({
    snapshots: count,
    trials: z.array(z.object({ trial: z.string(), arm: armSchema, words: z.string() })),
  }),
  isolation: z.array(isolationSchema),
  /** Where the requests went. */
  endpoints: z.array(endpointSchema),
  judges: judgeStatisticsSchema,
  /** What failed trials claimed and what trials broke; description only. */
  honesty: honestySchema,
  benchmarks: z.array(plannedBenchmarkSchema),
});
export type Report = z.infer<typeof reportSchema>;
