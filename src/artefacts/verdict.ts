import { z } from "zod";
import { damageSchema } from "./honesty.ts";

export const verdictFormat = "skillproof/verdict@1";

export const assertionSchema = z.object({ assertion: z.string(), passed: z.boolean() });
export type Assertion = z.infer<typeof assertionSchema>;

/** A grader's question for the panel; the trial passes when every answer is as expected. */
export const questionSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  /** Paths below /workspace, text or image. */
  artefacts: z.array(z.string().min(1)).min(1),
  expect: z.boolean(),
});
export type Question = z.infer<typeof questionSchema>;

/** One judge's answer to one question. `absent` is neither YES nor NO. */
export const ballotSchema = z.object({
  question: z.string(),
  judge: z.string(),
  answer: z.enum(["yes", "no", "absent"]),
  /** `unparsed` (counted as NO after one re-ask), or why it is absent (artefacts/ballot-kind.ts); null for a plain answer. */
  reason: z.string().nullable(),
  reply: z.string().nullable(),
});
export type Ballot = z.infer<typeof ballotSchema>;

export const answerSchema = z.object({
  question: questionSchema,
  /** Hash of question and artefact bytes: the same pair need not be asked again. */
  key: z.string(),
  ballots: z.array(ballotSchema),
  /** Null when fewer than two ballots agree: the trial stays ungraded. */
  answer: z.boolean().nullable(),
});
export type Answer = z.infer<typeof answerSchema>;

export const verdictSchema = z.object({
  format: z.literal(verdictFormat),
  verdict: z.enum(["passed", "failed", "ungraded"]),
  /** Why it is ungraded or failed, where the assertions do not say it; null otherwise. */
  reason: z.string().nullable(),
  assertions: z.array(assertionSchema),
  answers: z.array(answerSchema),
  grader: z.object({
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    timedOut: z.boolean(),
    seconds: z.number(),
  }),
  /** Judged by a stand-in, not by models. */
  standInJudges: z.boolean(),
  snapshot: z.string(),
  bundleHash: z.string(),
  /** What the agent did besides its task, which decides nothing; absent where it was not measured. */
  damage: damageSchema.optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;
