import { z } from "zod";
import { answerSchema } from "./verdict.ts";

export const gateFormat = "skillproof/gate@1";

export const checkRecordSchema = z.object({
  check: z.string(),
  passed: z.boolean(),
  /** A sentence the author of a refused bundle can act on; for a passed check, what was seen. */
  words: z.string(),
  /** What was run and what came back. */
  evidence: z.json(),
});
export type CheckRecord = z.infer<typeof checkRecordSchema>;

/** Where a bundle came from, so that a resumed build can tell whether anything changed. */
export const provenanceSchema = z.object({
  skill: z.string(),
  /** Hash of the cluster's texts as the author saw them. */
  clusterHash: z.string(),
  /** Hash of the contract given to the author. */
  contractHash: z.string(),
  backend: z.string(),
  /** False when the author's program ran on the host, outside a container. */
  isolated: z.boolean(),
  attempts: z.number().int(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

export const gateRecordSchema = z.object({
  format: z.literal(gateFormat),
  benchmark: z.string(),
  bundleHash: z.string(),
  provenance: provenanceSchema.nullable(),
  image: z.object({ id: z.string(), recipe: z.string(), base: z.string() }),
  passed: z.boolean(),
  checks: z.array(checkRecordSchema),
  /** Judges' answers met on the way, kept by key so that the gate needs no new ones. */
  answers: z.array(answerSchema),
  standInJudges: z.boolean(),
});
export type GateRecord = z.infer<typeof gateRecordSchema>;
