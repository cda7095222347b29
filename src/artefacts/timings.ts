import { z } from "zod";
import { probeSchema, searchedSchema } from "./canary.ts";
import { moneySchema } from "./money.ts";
import { meanSchema } from "./report.ts";
import { armSchema } from "./trial.ts";

export const timingsFormat = "skillproof/timings@1";

/**
 * What another execution of the same campaign would give otherwise: times, money that was spent on the way, the head of
 * the evidence. It stands beside report.json, which is the same bytes for a fresh, a resumed and a replayed campaign.
 */
export const timingsSchema = z.object({
  format: z.literal(timingsFormat),
  campaign: z.string(),
  /** Hash of the last line of evidence.jsonl. */
  evidenceHead: z.string().nullable(),
  /** Answered from a recording: no model was asked. */
  replayed: z.boolean(),
  /** One row per probe container, in the order in which they were sent; a resumed campaign sends them again. */
  canaries: z.array(
    z.object({
      skill: z.string(),
      arm: armSchema,
      /** Address of the engine, where the campaign has several. */
      endpoint: z.string().nullable(),
      image: z.string(),
      passed: z.boolean(),
      searched: searchedSchema,
      /** With the random names that were planted for it. */
      probes: z.array(probeSchema),
    }),
  ),
  /** What was found torn and made again; a reader must see whether arms differ in it. */
  setAside: z.array(
    z.object({ trial: z.string(), what: z.enum(["trial", "verdict", "claim"]), reason: z.string() }),
  ),
  /** Means over finished trials. */
  seconds: z.array(
    z.object({
      skill: z.string(),
      model: z.string(),
      arm: armSchema,
      agentSeconds: meanSchema,
      waitingSeconds: meanSchema,
    }),
  ),
  money: moneySchema,
});
export type Timings = z.infer<typeof timingsSchema>;
