import {
  type AttemptLine,
  type LedgerLine,
  LedgerTally,
  settledAttempts,
  SpendingTally,
} from "../artefacts/ledger.ts";
import type { Money } from "../artefacts/money.ts";
import { type Arm, type PlannedTrial, trialName } from "../artefacts/trial.ts";

/** Adds up a campaign's ledger. Agents' attempts are told by arm through the trial they were for. */
export function moneyOf(lines: readonly LedgerLine[], planned: readonly PlannedTrial[]): Money {
  const tally = new MoneyTally(planned);
  for (const attempt of settledAttempts(lines)) tally.add(attempt);
  return tally.money();
}

/** The same, from attempts that are settled as far as they will be, one by one. */
export class MoneyTally {
  /** By the name of a trial without its number: fewer than trials. */
  private readonly armOf = new Map<string, Arm>();
  private readonly ledger = new LedgerTally();
  private readonly arms = new Map<Arm, SpendingTally>();

  constructor(planned: readonly PlannedTrial[]) {
    for (const trial of planned) this.armOf.set(cellOf(trialName(trial)), trial.arm);
  }

  add(attempt: AttemptLine): void {
    this.ledger.add(attempt);
    const { role, subject } = attempt;
    const arm = role === "agent" && subject !== null ? this.armOf.get(cellOf(subject)) : undefined;
    if (arm === undefined) return;
    const tally = this.arms.get(arm) ?? new SpendingTally();
    tally.add(attempt);
    this.arms.set(arm, tally);
  }

  money(): Money {
    const { all, roles } = this.ledger.total();
    // Blocks shuffle their arms: what all others are compared with comes first in any case.
    const order = new Set<Arm>(["without_skill", "with_skill", ...this.armOf.values()]);
    const arms = [...order].flatMap((arm) => {
      const own = this.arms.get(arm);
      return own === undefined ? [] : [{ arm, spending: own.spending() }];
    });
    return { all, roles: [...roles].map(([role, spending]) => ({ role, spending })), arms };
  }
}

function cellOf(trial: string): string {
  return trial.slice(0, trial.lastIndexOf("/"));
}
