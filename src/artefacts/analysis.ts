import { z } from "zod";
import { lookRulesSchema, lookSettingsSchema } from "./looks.ts";
import { tallySchema } from "./tally.ts";

export const analysisFormat = "skillproof/analysis@1";

const arm = z.string().min(1);
const share = z.number().min(0).max(1);

/** Which arm is held against which; named in every figure that follows from it. */
export const comparisonSchema = z.strictObject({ arm, against: arm });
export type Comparison = z.infer<typeof comparisonSchema>;

/** What turns a conclusion into a decision. Shares and differences of rates are fractions. */
export const decisionRuleSchema = z.strictObject({
  /** A skill that helps by less is rejected. */
  minUplift: share.default(0),
  /** A task counts as harmed from this loss on. */
  harmedFrom: z.number().gt(0).max(1).default(0.2),
  /** A skill that helps is to be revised when it harms a larger share of its tasks. */
  maxHarmedShare: share.default(0.25),
  /** A skill that hurts is to be revised rather than rejected while it harms at most this share of its tasks. */
  reviseUpTo: share.default(0.5),
  /** Tokens, and cost per correct, with the skill ÷ without; null sets no limit. */
  maxTokenRatio: z.number().gt(0).nullable().default(null),
  maxCostPerCorrectRatio: z.number().gt(0).nullable().default(null),
  /** Accept only what holds for tasks like these, and not for this set alone. */
  generalise: z.boolean().default(false),
  /** What becomes of a skill about which the campaign cannot tell. */
  unclear: z.enum(["undecided", "revise", "reject"]).default("undecided"),
});
export type DecisionRule = z.infer<typeof decisionRuleSchema>;

/** All of an analysis but its hypotheses, which follow from the arms where nobody names them. */
export const analysisRulesSchema = z.strictObject({
  alpha: z
    .number()
    .gt(0, "above 0")
    .max(0.2, "at most 0.2: more errors than that prove nothing")
    .default(0.05),
  /** 1 asks only whether the skill helps; harm is then never concluded. */
  sides: z.union([z.literal(1), z.literal(2)], { error: "1 or 2" }).default(2),
  /** Margin of *no meaningful difference*, as a fraction. */
  delta: z.number().gt(0, "above 0").lt(1, "below 1: it is a fraction, 0.1 for 10 points").default(0.1),
  /** `holm` for few skills and strong claims, `bh` (false discovery rate) for a catalogue of leads. */
  family: z.enum(["holm", "bh"]).default("holm"),
  /** Decide on mid-p; exact p is printed all the same. */
  midP: z.boolean().default(false),
  /** Below it nothing is said about tasks like these. Five tasks cannot give p ≤ 0.05 whatever they show. */
  minTasks: z.number().int().min(6, "at least 6: fewer tasks cannot tell about others").default(6),
  /** Of what is said to be needed. */
  power: z.number().min(0.5).lt(1).default(0.8),
  bootstrap: z
    .strictObject({
      /** 0 leaves it out. */
      resamples: z.number().int().min(0).max(1_000_000).default(10_000),
      seed: z.number().int().default(7),
    })
    .prefault({}),
  /** Arm that *helps* has to beat as well wherever it ran; null for none. */
  placebo: arm.nullable().default("placebo"),
  /** |uplift| between two equal arms in an earlier A/A campaign. */
  noiseFloor: share.nullable().default(null),
  decision: decisionRuleSchema.prefault({}),
  /** Looks at the campaign before its end, with stops by fixed boundaries; null for none. */
  looks: lookRulesSchema.nullable().default(null),
});

/** The hypotheses: of one level (skill × model, skill, …) they are one family. */
export const comparisonsSchema = z
  .array(comparisonSchema)
  .min(1)
  .superRefine((comparisons, context) => {
    const seen = new Set<string>();
    for (const [at, one] of comparisons.entries()) {
      const name = `${one.arm} against ${one.against}`;
      const twice = seen.has(name) ? `${name} stands here twice` : null;
      const problem = one.arm === one.against ? "an arm against itself" : twice;
      seen.add(name);
      if (problem !== null) context.addIssue({ code: "custom", path: [at], message: problem });
    }
  });

/** Frozen in the plan. An analysis by other settings is exploratory. */
export const analysisSettingsSchema = analysisRulesSchema.extend({
  comparisons: comparisonsSchema.default([{ arm: "with_skill", against: "without_skill" }]),
  looks: lookSettingsSchema.nullable().default(null),
  /** Level of each one-sided test against the margin where it is not `alpha`: a look asks for more. */
  marginAlpha: z.number().gt(0).max(0.2).nullable().default(null),
});
export type AnalysisSettings = z.infer<typeof analysisSettingsSchema>;

/** Trials of every arm on one benchmark × model. */
export const armCellSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  model: z.string(),
  /** Class of task that a decision may restrict a skill to. */
  taskClass: z.string().optional(),
  arms: z.record(z.string(), tallySchema),
});
export type ArmCell = z.infer<typeof armCellSchema>;

const p = z.number().min(0).max(1);
const interval = z.tuple([z.number(), z.number()]).readonly();
const count = z.number().int().min(0);

/** What both questions answer with. Differences of rates are fractions; intervals are not adjusted for the family. */
const testedSchema = z.object({
  pTwoSided: p,
  pGreater: p,
  midPTwoSided: p,
  midPGreater: p,
  /** The one of these that the settings decide on. */
  p,
  /** The largest over all comparisons that *helps* needs; 1 unless all point up. */
  pJoint: p,
  /** Over the family: of `p`, and of `pJoint`. Null outside a family. */
  pAdjusted: p.nullable(),
  pHelps: p.nullable(),
  /** Way the test's own statistic points. */
  toward: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  /** At 1 − α; null where the question has none. */
  interval: interval.nullable(),
  /** At 1 − 2α, for the two one-sided tests against the margin. */
  marginInterval: interval.nullable(),
  equivalent: z.boolean(),
  notWorse: z.boolean(),
});

/** Would a rerun of these very benchmarks agree? The trial is the unit. */
export const setEvidenceSchema = testedSchema.extend({
  standardError: z.number(),
  /** Trials per arm and cell that would find `target`. */
  needed: z.object({ target: z.number(), trialsPerArm: count }),
});

/** Does it hold for tasks like these? The task is the unit, models and trials averaged inside. */
export const tasksEvidenceSchema = testedSchema.extend({
  /** `skill` where every skill has one vote. */
  unit: z.enum(["task", "skill"]),
  count,
  better: count,
  worse: count,
  same: count,
  mean: z.number(),
  sd: z.number().nullable(),
  /** That so many units can give at best, in the direction and on the sides of the settings. */
  smallestP: p,
  /** False when sign vectors were drawn. */
  exact: z.boolean(),
  /** Percentile interval beside the t interval; it does not decide. */
  bootstrap: interval.nullable(),
  /** All units show the same difference, so their spread says nothing. */
  uninformative: z.boolean(),
  /** Units that would find `target`; null without a spread. */
  needed: z.object({ target: z.number(), tasks: count }).nullable(),
});
export type TasksEvidence = z.infer<typeof tasksEvidenceSchema>;
export type SetEvidence = z.infer<typeof setEvidenceSchema>;
export type Tested = z.infer<typeof testedSchema>;

export const evidenceSchema = z.object({
  uplift: z.number(),
  set: setEvidenceSchema,
  tasks: tasksEvidenceSchema,
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const levelSchema = z.enum(["skill-model", "class", "skill", "model", "micro", "macro"]);
export type Level = z.infer<typeof levelSchema>;

export const analysisRowSchema = z.object({
  level: levelSchema,
  skill: z.string().nullable(),
  model: z.string().nullable(),
  taskClass: z.string().nullable(),
  comparison: comparisonSchema,
  /** `placebo`: the arm against the placebo · `nothing`: the placebo against the control · `again`: equal arms. */
  role: z.enum(["primary", "placebo", "nothing", "again"]),
  /** Planned with both arms; and with a usable trial in each, which the figures are made of. */
  cellsPlanned: count,
  cells: count,
  tasksPlanned: count,
  tasks: count,
  /** Usable cells whose verdicts in both arms were all alike. */
  uniformCells: count,
  /** Trials of all planned cells, by arm. */
  treated: tallySchema,
  control: tallySchema,
  /** Null when no cell is usable. */
  evidence: evidenceSchema.nullable(),
  /** The same with every trial without a verdict counted against the skill, and for it; null when none is missing. */
  imputed: z.object({ against: evidenceSchema, inFavour: evidenceSchema }).nullable(),
  /** A placebo was planned here. */
  placeboRan: z.boolean(),
  /** Largest |uplift| between equal arms, measured here or before; null when none was. */
  noiseFloor: z.number().nullable(),
});
export type AnalysisRow = z.infer<typeof analysisRowSchema>;

/** A cell that leaves the paired set, since one of its arms has no usable trial. */
export const leftOutCellSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  model: z.string(),
  comparison: comparisonSchema,
  /** Arms without a verdict. */
  without: z.array(z.string()),
});
export type LeftOutCell = z.infer<typeof leftOutCellSchema>;

export const analysisSchema = z.object({
  format: z.literal(analysisFormat),
  settings: analysisSettingsSchema,
  rows: z.array(analysisRowSchema),
  leftOut: z.array(leftOutCellSchema),
  /** Every task with its models averaged: description, no test. */
  tasks: z.array(
    z.object({
      comparison: comparisonSchema,
      skill: z.string(),
      benchmark: z.string(),
      uplift: z.number(),
    }),
  ),
  /** Skills pulled towards their mean by how little each is known: for ranking, not for conclusions. */
  shrunk: z.array(
    z.object({
      comparison: comparisonSchema,
      mean: z.number(),
      /** Variance between skills. */
      tauSquared: z.number(),
      skills: z.array(
        z.object({ skill: z.string(), uplift: z.number(), shrunk: z.number(), sd: z.number() }),
      ),
    }),
  ),
});
export type Analysis = z.infer<typeof analysisSchema>;
