import { z } from "zod";
import { tallySchema } from "./tally.ts";

export const headroomFormat = "skillproof/headroom@1";

/**
 * What probe trials say of a benchmark. `ceiling`: every baseline trial passes, so a skill can only hurt there ·
 * `floor`: no trial of either arm passes, so nothing can be told apart · `open`: neither · `unknown`: trials without a
 * verdict could still make it either.
 */
export const headroomMarkSchema = z.enum(["ceiling", "floor", "open", "unknown"]);
export type HeadroomMark = z.infer<typeof headroomMarkSchema>;

/** In words, and frozen in the plan of every probe before its first trial. */
export const probeRule = {
  ceiling: "every planned baseline trial of every model is graded and passed",
  floor: "every planned baseline trial is graded and none passed, and so it is with the skill delivered",
} as const;

export const headroomSchema = z.object({
  format: z.literal(headroomFormat),
  benchmarks: z.array(
    z.object({
      benchmark: z.string(),
      /** The mark holds for these files only. */
      bundleHash: z.string(),
      mark: headroomMarkSchema,
      models: z.array(z.string()),
      baseline: tallySchema,
      /** With the skill; only tried where no baseline trial passed. */
      treated: tallySchema.nullable(),
      /** Campaigns of the probe; their trials are counted nowhere else. */
      campaigns: z.array(z.string()),
    }),
  ),
});
export type Headroom = z.infer<typeof headroomSchema>;
export type ProbedBenchmark = Headroom["benchmarks"][number];
