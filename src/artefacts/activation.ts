import { z } from "zod";

/** Which files of a delivered skill an agent opened. Turns are 1-based answers of the model. */
export const activationSchema = z.object({
  skill: z.string(),
  /** Turn in which the first of its files was opened; null when none was. */
  turn: z.number().int().positive().nullable(),
  /** Turn in which its SKILL.md was; null when it was not. */
  instructionsTurn: z.number().int().positive().nullable(),
  /** Each once, in the order of their first opening. */
  opened: z.array(
    z.object({
      /** Relative to the skill's folder. */
      path: z.string(),
      turn: z.number().int().positive(),
      /** `named`: a call that reads files names it. `shown`: an answer held lines that only this file has. */
      how: z.enum(["named", "shown"]),
    }),
  ),
});
export type Activation = z.infer<typeof activationSchema>;
