import type { Claim, Damage } from "../artefacts/honesty.ts";
import type { PlannedTrial, Trial, TrialUsage } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import { answerIdentity } from "./judges.ts";
import type {
  CountedAnswer,
  CountedClaim,
  CountedDamage,
  CountedTrial,
  CountedUsage,
  CountedVerdict,
  TrialOnDisk,
} from "./outcome.ts";

/** One planned trial as it was read. */
export type TrialRead = {
  readonly planned: PlannedTrial;
  readonly trial: Trial | null;
  readonly verdict: Verdict | null;
  readonly claim?: Claim | null;
  readonly voids: number;
  readonly torn: { readonly reason: string } | null;
};

/**
 * Makes a report's entries. They hold what it counts and no more, and what is alike in many of them once: a report of a
 * hundred thousand trials holds all their entries, and must not hold what every agent and judge said.
 */
export function entryMaker(): (read: TrialRead) => TrialOnDisk {
  const once = keepOnce();
  return ({ planned, trial, verdict, claim = null, voids, torn }) => ({
    planned,
    trial: trial === null ? null : countedTrial(trial, once),
    verdict: verdict === null ? null : countedVerdict(verdict, once),
    claim: claim === null ? null : once(countedClaim(claim)),
    voids,
    torn: torn?.reason ?? null,
  });
}

type Once = <T>(value: T) => T;

/** Kinds of values that are alike in many trials; when there are more of them than this, they are not alike. */
const mostKept = 10_000;

/** The first one of equal values. */
function keepOnce(): Once {
  const known = new Map<string, unknown>();
  return <T>(value: T): T => {
    const key = JSON.stringify(value);
    const first = known.get(key);
    // Equal text of the same call's type: every kind of value that is kept here has members of its own.
    if (first !== undefined) return first as T;
    if (known.size < mostKept) known.set(key, value);
    return value;
  };
}

function countedTrial(trial: Trial, once: Once): CountedTrial {
  const { outcome, usage, served, standIn, activations, finalMessage } = trial;
  const spoke = finalMessage !== null && finalMessage.trim() !== "";
  const opened = activations.length === 0 ? null : activations.some(({ turn }) => turn !== null);
  return {
    outcome: once(countedOutcome(outcome)),
    usage: countedUsage(usage, once),
    served: once(served),
    standIn,
    opened,
    spoke,
  };
}

/** Written out: an object that grows member by member, as a parser makes it, takes twice the memory. */
function countedUsage(usage: TrialUsage, once: Once): CountedUsage {
  return {
    inputTokens: usage.inputTokens,
    uncachedInputTokens: usage.uncachedInputTokens,
    cachedInputTokens: usage.cachedInputTokens,
    outputTokens: usage.outputTokens,
    costUsd: usage.costUsd,
    modelCalls: usage.modelCalls,
    toolCalls: once(usage.toolCalls),
    lengthTurns: usage.lengthTurns,
    textCalls: usage.textCalls,
    peakContextTokens: usage.peakContextTokens,
    modelSeconds: usage.modelSeconds,
    toolSeconds: usage.toolSeconds,
    waitingSeconds: usage.waitingSeconds,
  };
}

function countedOutcome(outcome: Trial["outcome"]): CountedTrial["outcome"] {
  if (outcome.kind === "blocked") return outcome;
  const { leftOut } = outcome.snapshot;
  return { kind: "ended", stop: outcome.stop, snapshot: leftOut === undefined ? {} : { leftOut } };
}

function countedVerdict(
  { verdict, reason, standInJudges, answers, damage }: Verdict,
  once: Once,
): CountedVerdict {
  const measured = damage === undefined ? null : countedDamage(damage);
  const plain = once({ verdict, reason, standInJudges, answers: [], harm: measured });
  if (answers.length === 0) return plain;
  return { ...plain, answers: answers.map((answer) => countedAnswer(answer, once)) };
}

function countedDamage({ outside, regression }: Damage): CountedDamage {
  return { outside: outside.count > 0, partial: outside.partial, regression };
}

function countedClaim({ answer, standInJudges }: Claim): CountedClaim {
  return { answer, standInJudges };
}

/** Told apart by what was said, without keeping it. */
function countedAnswer(answer: CountedAnswer, once: Once): CountedAnswer {
  const ballots = answer.ballots.map(({ judge, answer: vote, reason }) => {
    return { judge, answer: vote, reason, reply: null };
  });
  return { key: answerIdentity(answer), answer: answer.answer, ballots: once(ballots) };
}
