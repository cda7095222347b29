import { z } from "zod";

/** What an ablation left out of a skill. */
export const ablationSchema = z.object({
  /** As the YAML has it. */
  of: z.string(),
  kind: z.enum(["section", "cluster"]),
  cuts: z.array(
    z.object({
      file: z.string(),
      /** Empty for the text before the first heading. */
      title: z.string(),
      /** Lines of the file that are gone, 1-based, both included. */
      fromLine: z.number().int(),
      toLine: z.number().int(),
      /** o200k_base tokens of their text. */
      tokens: z.number().int(),
    }),
  ),
});
export type Ablation = z.infer<typeof ablationSchema>;
