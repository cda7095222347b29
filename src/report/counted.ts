import type { Claim, Damage } from "../artefacts/honesty.ts";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import { answerIdentity } from "./judges.ts";
import type {
  CountedAnswer,
  CountedClaim,
  CountedDamage,
  CountedTrial,
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

/** The first one of equal values. */
function keepOnce(): Once {
  const known = new Map<string, unknown>();
  return <T>(value: T): T => {
    const key = JSON.stringify(value);
    const first = known.get(key);
    // Equal text of the same call's type: every kind of value that is kept here has members of its own.
    if (first !== undefined) return first as T;
    known.set(key, value);
    return value;
  };
}

function countedTrial(trial: Trial, once: Once): CountedTrial {
  const { outcome, usage, served, standIn, activations, finalMessage } = trial;
  const spoke = finalMessage !== null && finalMessage.trim() !== "";
  const opened = activations.length === 0 ? null : activations.some(({ turn }) => turn !== null);
  return { outcome: once(countedOutcome(outcome)), usage, served: once(served), standIn, opened, spoke };
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
