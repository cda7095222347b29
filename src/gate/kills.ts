import type { Claims } from "../artefacts/claims.ts";
import type { Grading } from "../artefacts/grading.ts";
import { unreachable } from "../errors.ts";
import { standingOf } from "./judged.ts";
import type { Mutant } from "./mutants/mutant.ts";

/**
 * What became of a mutant. `by-time`: the grader ran out of time on it · `left`: only judges could tell, and they were
 * not asked · `broken`: the grader broke its contract.
 */
export type Fate = "by-assertion" | "by-judges" | "by-time" | "survived" | "left" | "broken";

export type TriedMutant = { readonly mutant: Mutant; readonly grading: Grading };

export type KillTally = {
  readonly tried: readonly (TriedMutant & { readonly fate: Fate })[];
  /** Failed, by whatever. */
  readonly killed: readonly TriedMutant[];
  /** Passed, and no one says that they may. */
  readonly survived: readonly TriedMutant[];
  /** Passed, and the author says why they may; they count nowhere. */
  readonly excused: readonly (TriedMutant & { readonly reason: string })[];
  /** Killed of killed and survived; null when there is neither. */
  readonly killRate: number | null;
  /** Which assertion failed on which mutants, in the order of the author's list; only those that failed on any. */
  readonly kills: readonly { readonly assertion: string; readonly mutants: readonly string[] }[];
  /** Assertions of the reference that failed on none. */
  readonly idle: readonly string[];
};

/** Counts what a grader does with broken work. Throws what `standingOf` does. */
export function tallyOf(
  tried: readonly TriedMutant[],
  options: { readonly claims: Claims | null; readonly judged: boolean; readonly reference: Grading },
): KillTally {
  const reasons = new Map(options.claims?.survivors.map(({ mutant, reason }) => [mutant, reason]));
  const fated = tried.map((one) => ({ ...one, fate: fateOf(one.grading, options.judged) }));
  const passed = fated.filter(({ fate }) => fate === "survived");
  const survived = passed.filter(({ mutant }) => !reasons.has(mutant.id));
  const excused = passed.flatMap((one) => {
    const reason = reasons.get(one.mutant.id);
    return reason === undefined ? [] : [{ ...one, reason }];
  });
  const killed = fated.filter(({ fate }) => isKill(fate));
  const counted = killed.length + survived.length;
  const asserted = options.reference.outcome.assertions.map(({ assertion }) => assertion);
  const kills = killsOf(killed, options.claims?.claims.map(({ assertion }) => assertion) ?? asserted);
  return {
    tried: fated,
    killed,
    survived,
    excused,
    killRate: counted === 0 ? null : killed.length / counted,
    kills,
    idle: asserted.filter((assertion) => !kills.some((one) => one.assertion === assertion)),
  };
}

export function fateOf(grading: Grading, judged: boolean): Fate {
  const { outcome } = grading;
  switch (outcome.kind) {
    case "passed":
      return "survived";
    case "failed":
      return "by-assertion";
    case "error":
      return grading.grader.timedOut ? "by-time" : "broken";
    case "asks":
      if (!judged) return "broken";
      if (grading.answers.length === 0) return "left";
      return standingOf(grading) === "passed" ? "survived" : "by-judges";
    default:
      return unreachable(outcome);
  }
}

export function isKill(fate: Fate): boolean {
  return fate === "by-assertion" || fate === "by-judges" || fate === "by-time";
}

function killsOf(killed: readonly TriedMutant[], order: readonly string[]): KillTally["kills"] {
  const by = new Map<string, Set<string>>(order.map((assertion) => [assertion, new Set()]));
  for (const { mutant, grading } of killed) {
    for (const { assertion, passed } of grading.outcome.assertions) {
      if (passed) continue;
      const mutants = by.get(assertion) ?? new Set();
      by.set(assertion, mutants.add(mutant.id));
    }
  }
  return [...by.entries()].flatMap(([assertion, mutants]) =>
    mutants.size === 0 ? [] : [{ assertion, mutants: [...mutants] }],
  );
}
