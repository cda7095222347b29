import { z } from "zod";
import { conclusionKindSchema } from "./conclusion-kind.ts";

const count = z.number().int().min(0);

/** Group-sequential looks as the YAML asks for them. */
export const lookRulesSchema = z.strictObject({
  /** Equally spaced over the trials, the last at their end; the table of boundaries knows 2 to 5. */
  count: z.number().int().min(2).max(5),
  /** `obrien-fleming` spends little on early looks, `pocock` stops early more often and is less likely to find anything. */
  boundary: z.enum(["obrien-fleming", "pocock"]).default("obrien-fleming"),
  /**
   * A cell with at least `after` pairs whose verdicts were all alike gets no more trials, and the others get its share,
   * up to `mostPairs` each: more power for the same number of trials.
   */
  settle: z
    .strictObject({
      after: z.number().int().min(2).default(2),
      mostPairs: z
        .number()
        .int()
        .min(2)
        .max(6, "at most 6: with more the error exceeds what is said")
        .default(6),
    })
    .nullable()
    .default(null),
});
export type LookRules = z.infer<typeof lookRulesSchema>;

/** The same, frozen. */
export const lookSettingsSchema = lookRulesSchema.extend({
  /** Trials per arm and cell that the budget is made of: cells × this many blocks at most. */
  trials: z.number().int().min(1),
});
export type LookSettings = z.infer<typeof lookSettingsSchema>;

/** What was seen at one look. */
export const lookSchema = z.object({
  look: count,
  /** Blocks (one trial of each arm) that were over, of at most so many. */
  blocks: count,
  ofBlocks: count,
  /** A p above it decides nothing at this look. */
  nominalP: z.number(),
  rows: z.array(
    z.object({ skill: z.string(), arm: z.string(), against: z.string(), kind: conclusionKindSchema }),
  ),
  /** No further trial is begun. */
  stops: z.boolean(),
});
export type Look = z.infer<typeof lookSchema>;

/** In a report: what the looks did to the campaign. Null where none were planned. */
export const reportedLooksSchema = z.object({
  settings: lookSettingsSchema,
  taken: z.array(lookSchema),
  ended: z.boolean(),
  /** Trials that the plan allows at most, and those of them that were not needed or are not released yet. */
  atMost: count,
  notReleased: count,
  settledCells: count,
  cells: count,
});
export type ReportedLooks = z.infer<typeof reportedLooksSchema>;
