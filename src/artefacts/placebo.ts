import { z } from "zod";

export const placeboFormat = "skillproof/placebo@1";

const pairSchema = z.object({ skill: z.number().int(), placebo: z.number().int() });

/** Evidence that a placebo is like its skill in all but what it says. */
export const placeboRecordSchema = z.object({
  format: z.literal(placeboFormat),
  skill: z.string(),
  /** What the placebo is called in its place. */
  name: z.string(),
  /** Of the files that are delivered. */
  skillHash: z.string(),
  placeboHash: z.string(),
  tokenizer: z.string(),
  /** What each way of delivery adds to the system prompt. `difference`: placebo to skill, as a share of the skill. */
  tokens: z.array(pairSchema.extend({ delivery: z.enum(["inject", "discover"]), difference: z.number() })),
  allowedDifference: z.number(),
  headings: pairSchema,
  listing: z.object({
    files: z.number().int(),
    /** Paths that one has and the other has not, or that differ in kind, executable bit or size. */
    differs: z.array(z.string()),
    /** Bytes of SKILL.md, which follow from its tokens and are not matched. */
    markdownBytes: pairSchema,
  }),
  /** Rows of words and names of the skill that stand in the placebo too; at most twenty. */
  shared: z.array(z.string()),
  /** Words in a row that count as shared. */
  sequenceWords: z.number().int(),
  passed: z.boolean(),
});
export type PlaceboRecord = z.infer<typeof placeboRecordSchema>;
