import { z } from "zod";
import { ablationSchema } from "./ablation.ts";
import { armTreatmentSchema } from "./arm.ts";
import { placeboRecordSchema } from "./placebo.ts";
import { deliverySchema } from "./plan.ts";
import { armSchema } from "./trial.ts";

export const armRecordFormat = "skillproof/arm@1";

/** How an arm's skill came about, where it is not simply a folder. */
export const armEvidenceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("placebo"), record: placeboRecordSchema }),
  z.object({ kind: z.literal("version"), ref: z.string(), commit: z.string() }),
  z.object({ kind: z.literal("ablation"), ablation: ablationSchema }),
]);

/** What an arm gives to every agent of one skill's trials. */
export const armRecordSchema = z.object({
  format: z.literal(armRecordFormat),
  skill: z.string(),
  arm: armSchema,
  treatment: armTreatmentSchema,
  delivery: deliverySchema,
  /** As in the plan; null, like the text, for an arm that delivers nothing. */
  delivered: z.string().nullable(),
  /** Stands behind the constant system prompt. */
  prompt: z.string().nullable(),
  tokenizer: z.string(),
  /** Of the text. */
  tokens: z.number().int(),
  skills: z.array(
    z.object({
      name: z.string(),
      /** Where its files are in the container. */
      root: z.string(),
      treeHash: z.string(),
    }),
  ),
  evidence: armEvidenceSchema.nullable(),
});
export type ArmRecord = z.infer<typeof armRecordSchema>;
