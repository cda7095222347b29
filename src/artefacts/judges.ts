import { z } from "zod";
import { answerSchema, ballotSchema } from "./verdict.ts";

export const judgeTrialsFormat = "skillproof/judges@1";

/** One judge on one benchmark's sentinels, with its ballots as evidence. */
export const judgeTrialSchema = z.object({
  judge: z.string(),
  /** `missed`: set aside for this benchmark. `absent`: neither shown sound nor unsound, so without a vote too. */
  outcome: z.enum(["passed", "missed", "absent"]),
  /** What decided it. */
  words: z.string(),
  good: z.array(ballotSchema),
  bad: z.array(ballotSchema),
});
export type JudgeTrial = z.infer<typeof judgeTrialSchema>;

/** All judges on one benchmark's sentinels, before its first judged trial. */
export const judgeTrialsSchema = z.object({
  format: z.literal(judgeTrialsFormat),
  skill: z.string(),
  benchmark: z.string(),
  bundleHash: z.string(),
  /** Ids of the panel, in its order. */
  judges: z.array(z.string()),
  /** Why the sentinels say nothing about any judge (the grader did not ask); null when they do. */
  unusable: z.string().nullable(),
  /** In the panel's order; empty when the sentinels are unusable. */
  trials: z.array(judgeTrialSchema),
  /** Kept by key, so that a resumed campaign asks none of it again. */
  answers: z.array(answerSchema),
  standInJudges: z.boolean(),
});
export type JudgeTrials = z.infer<typeof judgeTrialsSchema>;

const count = z.number().int().nonnegative();

/** A share with what it is a share of. */
const shareSchema = z.object({ agreed: count, of: count });
export type Share = z.infer<typeof shareSchema>;

/** `ballots` is the sum of `yes`, `no`, `unparsed`, `refused` and `absent`; `notAsked` is beside it. */
export const judgeCountsSchema = z.object({
  judge: z.string(),
  ballots: count,
  yes: count,
  /** Plain NO. An `unparsed` ballot counted as NO too. */
  no: count,
  unparsed: count,
  refused: count,
  /** Cut off, not fitting its window, or lost to its provider. */
  absent: count,
  /** Set aside, or in a panel too small to decide. */
  notAsked: count,
  /** More than 5 % of its ballots were refused. */
  refusesOften: z.boolean(),
});
export type JudgeCounts = z.infer<typeof judgeCountsSchema>;

/** What the judges of a campaign did, from its verdicts and from their sentinels. */
export const judgeStatisticsSchema = z.object({
  /** Different answers: one that was kept and used for several trials is counted once. */
  questions: count,
  decided: count,
  judges: z.array(judgeCountsSchema),
  /** Questions on which all votes were equal, of those on which the whole panel voted. */
  unanimous: shareSchema,
  /** Pairs of equal votes, of all pairs of votes on the same question. */
  pairwise: shareSchema,
  /**
   * Beyond chance, over `of` questions with two votes or more. All three, since kappa alone condemns a panel that nearly
   * always says the same. Null without such a question, or where all votes were equal and chance leaves nothing.
   */
  beyondChance: z.object({
    of: count,
    fleissKappa: z.number().nullable(),
    gwetAC1: z.number().nullable(),
    krippendorffAlpha: z.number().nullable(),
  }),
  pairs: z.array(shareSchema.extend({ judges: z.tuple([z.string(), z.string()]) })),
  /** Judges without a vote on a benchmark, and why. */
  setAside: z.array(
    z.object({ skill: z.string(), benchmark: z.string(), judge: z.string(), words: z.string() }),
  ),
  /** Benchmarks whose judges were tried, and how many of them passed. */
  tried: z.array(z.object({ skill: z.string(), benchmark: z.string(), passed: count, judges: count })),
  unusable: z.array(z.object({ skill: z.string(), benchmark: z.string(), reason: z.string() })),
});
export type JudgeStatistics = z.infer<typeof judgeStatisticsSchema>;
