import type { Trial } from "../artefacts/trial.ts";
import type { Answer, Verdict } from "../artefacts/verdict.ts";
import type { Read, TrialFound } from "./found.ts";

/** Kinds of values that are alike in many trials; when there are more of them than this, they are not alike. */
const mostKept = 10_000;

type Once = <T>(value: T) => T;

/**
 * Makes a trial without what no check reads: what judges replied, and all but the first character of last words that
 * nobody was asked about. Hashes were taken before. What is alike in many is held once. A hundred thousand trials are
 * held at once.
 */
export function leanMaker(): (found: TrialFound) => TrialFound {
  const once = keepOnce();
  return (found) => ({
    ...found,
    trial: mapped(found.trial, (trial) => leanTrial(trial, found.claim.kind !== "absent", once)),
    verdict: mapped(found.verdict, (verdict) => leanVerdict(verdict, once)),
    said: once(found.said),
  });
}

function mapped<T>(read: Read<T>, map: (value: T) => T): Read<T> {
  return read.kind === "there" ? { ...read, value: map(read.value) } : read;
}

function leanTrial(trial: Trial, isAsked: boolean, once: Once): Trial {
  const { finalMessage, request, served, prompts, activations, image } = trial;
  return {
    ...trial,
    ...once({ request, served, prompts, activations, image }),
    finalMessage: isAsked || finalMessage === null ? finalMessage : finalMessage.trim().slice(0, 1),
  };
}

function leanVerdict({ answers, snapshot, grader, ...plain }: Verdict, once: Once): Verdict {
  return { ...once(plain), grader, snapshot, answers: answers.map((answer) => leanAnswer(answer, once)) };
}

function leanAnswer({ question, key, ballots, answer }: Answer, once: Once): Answer {
  const unsaid = ballots.map((ballot) => ({ ...ballot, reply: null }));
  return { ...once({ question, ballots: unsaid, answer }), key };
}

/** The first one of equal values. */
function keepOnce(): Once {
  const known = new Map<string, unknown>();
  return <T>(value: T): T => {
    const key = JSON.stringify(value);
    const first = known.get(key);
    // Equal text: every kind of value that is kept here has members of its own.
    if (first !== undefined) return first as T;
    if (known.size < mostKept) known.set(key, value);
    return value;
  };
}
