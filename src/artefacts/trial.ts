import { z } from "zod";
import { activationSchema } from "./activation.ts";
import { armIdSchema } from "./arm.ts";

export const trialFormat = "skillproof/trial@3";

/** The id of an arm; what it gives to the agent stands in the plan. */
export const armSchema = armIdSchema;
export type Arm = z.infer<typeof armSchema>;

/** How an agent's work ended. All of these are graded as they stand. */
export const stopReasonSchema = z.enum([
  "finished",
  "turn_limit",
  "token_limit",
  "time_limit",
  "context_exhausted",
  "refused",
  "invalid_calls",
  "blank_turns",
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** What a trial used. Null means the provider did not say; it is printed as unavailable, never estimated. */
export const trialUsageSchema = z.object({
  /** Whole prompts, summed over the calls; known also where the split into cached and uncached is not. */
  inputTokens: z.number().nullable(),
  uncachedInputTokens: z.number().nullable(),
  cachedInputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  costUsd: z.number().nullable(),
  modelCalls: z.number().int(),
  toolCalls: z.object({
    bash: z.number().int(),
    read_file: z.number().int(),
    write_file: z.number().int(),
    /** Unknown tool, or arguments that do not fit. */
    invalid: z.number().int(),
  }),
  repairedCalls: z.number().int(),
  /** Turns cut off at `max_tokens`. */
  lengthTurns: z.number().int(),
  /** Turns that wrote a call as text: the endpoint's parser is measured there, not the model. */
  textCalls: z.number().int(),
  peakContextTokens: z.number().nullable(),
  modelSeconds: z.number(),
  toolSeconds: z.number(),
  /** Back-off, queues and lost attempts: not the agent's time. */
  waitingSeconds: z.number(),
});
export type TrialUsage = z.infer<typeof trialUsageSchema>;

/** One planned trial: one agent, one benchmark, one arm, once. */
export const plannedTrialSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  model: z.string(),
  arm: armSchema,
  /** 1-based repetition. */
  n: z.number().int().positive(),
  /** The trials of one block (every arm on one benchmark × model) share this, and run close together. */
  block: z.number().int(),
  /** Hash of everything that can change the outcome and of nothing else. */
  key: z.string(),
  /** Sampling seed, the same in every arm of the block. */
  seed: z.number().int(),
});
export type PlannedTrial = z.infer<typeof plannedTrialSchema>;

/** A trial's name: its path below trials/, and what its requests are paid for. */
export function trialName({ skill, benchmark, model, arm, n }: PlannedTrial): string {
  // Model ids hold `/` and `:`.
  return [skill, benchmark, encodeURIComponent(model), arm, n].join("/");
}

/** Who answered, as the servers named themselves; one each, unless a void trial says otherwise. */
export const servedSchema = z.object({ models: z.array(z.string()), providers: z.array(z.string()) });
export type Served = z.infer<typeof servedSchema>;

export const snapshotRefSchema = z.object({
  /** Of the uncompressed tar. */
  sha256: z.string(),
  bytes: z.number().int(),
  /** What a limit of the sandbox kept out of it: how many of what, in words. Absent when nothing was. */
  leftOut: z.string().optional(),
});
export type SnapshotRef = z.infer<typeof snapshotRefSchema>;

export const trialSchema = z.object({
  format: z.literal(trialFormat),
  trial: plannedTrialSchema,
  /** `blocked`: an input filter refused the request; there is nothing to grade. */
  outcome: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("ended"), stop: stopReasonSchema, snapshot: snapshotRefSchema }),
    z.object({ kind: z.literal("blocked"), reason: z.string() }),
  ]),
  finalMessage: z.string().nullable(),
  /** Which files of each delivered skill the agent opened; empty in an arm that delivers none. */
  activations: z.array(activationSchema),
  usage: trialUsageSchema,
  /** Hashes of what the first request was made of. */
  prompts: z.object({ system: z.string(), task: z.string(), tools: z.string() }),
  served: servedSchema,
  /**
   * What the first request carried besides conversation and tools, and the names of what was left out because the
   * endpoint does not list it. Null when there was no turn.
   */
  request: z.object({ sent: z.record(z.string(), z.unknown()), withheld: z.array(z.string()) }).nullable(),
  standIn: z.boolean(),
  image: z.string(),
  /** Attempts lost to infrastructure before this one. */
  voids: z.number().int(),
});
export type Trial = z.infer<typeof trialSchema>;
