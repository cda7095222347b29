import { z } from "zod";

const count = z.number().int();

/** Trials of one arm. `graded` is the denominator of the pass rate. */
export const tallySchema = z.object({ passed: count, graded: count, planned: count });
export type Tally = z.infer<typeof tallySchema>;
