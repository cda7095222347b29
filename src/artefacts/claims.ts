import { z } from "zod";

/** Where each thing a grader checks stands in the task, as the bundle's author says: `grader/claims.json`. */
export const claimsSchema = z.strictObject({
  /** One per assertion of the grader. `assertion` in the very words of descriptor 3; `sentence` as it stands in task.md. */
  claims: z.array(z.strictObject({ assertion: z.string().min(1), sentence: z.string().min(1) })).min(1),
  /** One per question for the judges, by its id. */
  questions: z.array(z.strictObject({ id: z.string().min(1), sentence: z.string().min(1) })).default([]),
  /** Mutants of the reference that may pass because the task leaves open what they change. */
  survivors: z.array(z.strictObject({ mutant: z.string().min(1), reason: z.string().min(1) })).default([]),
  /** Neutral variants of the reference that are rightly refused because a sentence of the task rules them out. */
  refusals: z
    .array(
      z.strictObject({
        variant: z.string().min(1),
        sentence: z.string().min(1),
        reason: z.string().min(1),
      }),
    )
    .default([]),
});
export type Claims = z.infer<typeof claimsSchema>;

/** Its place in a delivered folder. */
export const claimsPath = "grader/claims.json";
