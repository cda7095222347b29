import type { Ledger } from "../models/port.ts";

export type BudgetSettings = {
  /** Null: no limit. */
  readonly limitNanoUsd: number | null;
  /** Before this process, what is unknown counted at its most. */
  readonly spentNanoUsd: number;
};

/**
 * Spent + held + next ≤ limit, else there is no room. A request whose price nobody knows holds nothing, and is let
 * through only while something is left: what it costs cannot be guarded, only that the limit is not passed knowingly.
 */
export class Budget {
  private readonly limit: number | null;
  private spent: number;
  private held = 0;

  constructor({ limitNanoUsd, spentNanoUsd }: BudgetSettings) {
    this.limit = limitNanoUsd;
    this.spent = spentNanoUsd;
  }

  get spentNanoUsd(): number {
    return this.spent;
  }

  get heldNanoUsd(): number {
    return this.held;
  }

  /** False when there is no room; then nothing is held. */
  hold(upToNanoUsd: number | null): boolean {
    const taken = this.spent + this.held;
    const fits =
      this.limit === null || (upToNanoUsd === null ? taken < this.limit : taken + upToNanoUsd <= this.limit);
    if (fits) this.held += upToNanoUsd ?? 0;
    return fits;
  }

  free(upToNanoUsd: number | null): void {
    this.held -= upToNanoUsd ?? 0;
  }

  /** Negative when something turned out to be cheaper than it was booked. */
  spend(nanoUsd: number): void {
    this.spent += nanoUsd;
  }
}

/** What an attempt takes from a budget: an unknown cost counts at its most. */
export function budgetedNanoUsd(attempt: {
  readonly costNanoUsd: number | null;
  readonly upToNanoUsd: number | null;
}): number {
  return attempt.costNanoUsd ?? attempt.upToNanoUsd ?? 0;
}

/** A ledger for one part of the work (an attempt at authoring): it has a limit of its own under that of `whole`. */
export function withinBudget(whole: Ledger, limitNanoUsd: number | null): Ledger {
  const budget = new Budget({ limitNanoUsd, spentNanoUsd: 0 });
  return {
    reserve(begun) {
      const { upToNanoUsd } = begun;
      if (!budget.hold(upToNanoUsd)) return null;
      const reservation = whole.reserve(begun);
      if (reservation === null) {
        budget.free(upToNanoUsd);
        return null;
      }
      return {
        book(attempt) {
          budget.free(upToNanoUsd);
          budget.spend(budgetedNanoUsd(attempt));
          reservation.book(attempt);
        },
      };
    },
  };
}
