import { z } from "zod";

/** One line of transcript.jsonl: what was said or done, in order. */
export const transcriptLineSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("system"), text: z.string() }),
  z.object({ kind: z.literal("user"), text: z.string() }),
  z.object({
    kind: z.literal("assistant"),
    text: z.string().nullable(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    finish: z.string(),
  }),
  z.object({
    kind: z.literal("tool"),
    toolCallId: z.string(),
    name: z.string(),
    text: z.string(),
    /** Seconds the tool took. */
    seconds: z.number(),
  }),
  /** A sentence of the harness itself: a nudge, a limit reached, a fault. */
  z.object({ kind: z.literal("note"), text: z.string() }),
]);

export type TranscriptLine = z.infer<typeof transcriptLineSchema>;
