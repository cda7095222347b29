import { z } from "zod";
import { conclusionKindSchema } from "./conclusion-kind.ts";
import { analysisRowSchema, analysisSchema, analysisSettingsSchema } from "./analysis.ts";

/** One answer to one question about one row of the analysis. */
export const conclusionSchema = z.object({
  question: z.enum(["tasks", "set"]),
  kind: conclusionKindSchema,
  /** As it reads, e.g. `helps vs none`. */
  label: z.string(),
  /** Only *helps* asks: whether a placebo ran, and whether it was beaten too. Null for the other kinds, and against the placebo itself. */
  placebo: z.enum(["absent", "beaten", "not_beaten"]).nullable(),
  /** One sentence, with denominators. */
  reason: z.string(),
  notes: z.array(z.string()),
  /** What would settle it; null where it is settled. */
  take: z.string().nullable(),
});
export type Conclusion = z.infer<typeof conclusionSchema>;

/** `tasks` is null where there are too few of them to generalise; where it is not, it is the headline. */
export const concludedRowSchema = analysisRowSchema
  .pick({ level: true, skill: true, model: true, taskClass: true, comparison: true })
  .extend({ set: conclusionSchema, tasks: conclusionSchema.nullable() });
export type ConcludedRow = z.infer<typeof concludedRowSchema>;

export const decisionSchema = z.object({
  kind: z.enum(["accept", "restrict", "revise", "reject", "undecided"]),
  reasons: z.array(z.string()),
  /** What a `restrict` leaves: classes of task, or models. */
  to: z.array(z.string()),
  /** What a `revise` is about: headings of the skill, or benchmarks where no heading is known. */
  sections: z.array(z.string()),
});
export type Decision = z.infer<typeof decisionSchema>;

/** What a report concludes, with everything that it rests on. */
export const conclusionsSchema = z.object({
  /** Of the plan, where they were frozen before the first trial. */
  settings: analysisSettingsSchema,
  analysis: analysisSchema,
  rows: z.array(concludedRowSchema),
  /** One per skill that the plan has a hypothesis about. */
  decisions: z.array(z.object({ skill: z.string(), decision: decisionSchema })),
});
export type Conclusions = z.infer<typeof conclusionsSchema>;
