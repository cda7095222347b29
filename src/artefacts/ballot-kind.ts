import type { Ballot } from "./verdict.ts";

/** Equal votes that decide a question. */
export const enough = 2;

/** How the reason of an absent ballot begins. What follows are words for people. */
export const absences = {
  refused: "refused",
  cutOff: "cut off",
  tooLong: "context_exhausted",
  /** It missed the benchmark's sentinels. */
  setAside: "set aside",
  /** It was absent when it should have been tried on them. */
  untried: "untried",
  panelTooSmall: "panel too small",
} as const;

/**
 * What a ballot comes to. `unparsed` counts as NO; `refused`, `cut_off` (twice), `too_long` (the question does not
 * fit the judge's window), `not_asked` and `unreached` count for neither side.
 */
export type BallotKind =
  | "yes"
  | "no"
  | "unparsed"
  | "refused"
  | "cut_off"
  | "too_long"
  | "not_asked"
  /** Its provider failed, now or when it should have been tried: asked again, it may answer. */
  | "unreached";

type Reasoned = Pick<Ballot, "answer" | "reason">;

export function ballotKind(ballot: Reasoned): BallotKind {
  if (ballot.answer === "yes") return "yes";
  if (ballot.answer === "no") return ballot.reason === "unparsed" ? "unparsed" : "no";
  if (begins(ballot, absences.refused)) return "refused";
  if (begins(ballot, absences.cutOff)) return "cut_off";
  if (begins(ballot, absences.tooLong)) return "too_long";
  if (begins(ballot, absences.setAside) || begins(ballot, absences.panelTooSmall)) return "not_asked";
  return "unreached";
}

/** The judge has no vote on this benchmark. */
export function isUnasked(ballot: Reasoned): boolean {
  return (
    ballot.answer === "absent" && (begins(ballot, absences.setAside) || begins(ballot, absences.untried))
  );
}

function begins({ reason }: Reasoned, words: string): boolean {
  return reason?.startsWith(words) === true;
}
