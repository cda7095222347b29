import { z } from "zod";
import { answerSchema } from "./verdict.ts";

export const gateFormat = "skillproof/gate@2";

export const checkRecordSchema = z.object({
  check: z.string(),
  passed: z.boolean(),
  /** A sentence the author of a refused bundle can act on; for a passed check, what was seen. */
  words: z.string(),
  /** What a passed check wants somebody to look at. */
  warnings: z.array(z.string()),
  /** What was run and what came back. */
  evidence: z.json(),
});
export type CheckRecord = z.infer<typeof checkRecordSchema>;

/** A passage that two parts of a bundle, or a bundle and its skill, have in common and should not. */
export const leakSchema = z.object({
  /**
   * `how`: task.md says what only the skill should · `answer`: the grader's expected value stands in task or fixtures ·
   * `reference`: a part of the reference stands in the fixtures · `told`: the answer stands verbatim in the skill, so
   * that following it is copying.
   */
  kind: z.enum(["how", "answer", "reference", "told"]),
  /** The two places, as `task.md` or `fixtures/a.json`. */
  from: z.string(),
  to: z.string(),
  passage: z.string(),
});
export type Leak = z.infer<typeof leakSchema>;

/** What the gate demanded. */
export const gateSettingsSchema = z.object({
  seed: z.number().int(),
  /** Independent gradings of the reference, the first included. */
  gradings: z.number().int(),
  /** At most so many mutants are tried. */
  mutants: z.number().int(),
  /** Share of mutants that must be killed. */
  killRate: z.number(),
  /** Whether a leak refuses a bundle or is a warning. */
  leaks: z.enum(["warn", "reject"]),
});
export type GateSettings = z.infer<typeof gateSettingsSchema>;

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
  settings: gateSettingsSchema,
  passed: z.boolean(),
  checks: z.array(checkRecordSchema),
  /** Killed mutants of those that count; null when none was tried. */
  killRate: z.number().nullable(),
  leaks: z.array(leakSchema),
  /** Judges' answers met on the way, kept by key so that the gate needs no new ones. */
  answers: z.array(answerSchema),
  standInJudges: z.boolean(),
});
export type GateRecord = z.infer<typeof gateRecordSchema>;
