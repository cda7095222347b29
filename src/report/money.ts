import { type LedgerLine, settledAttempts, sumAttempts, sumLedger } from "../artefacts/ledger.ts";
import type { Money } from "../artefacts/money.ts";
import { armSchema, type PlannedTrial, trialName } from "../artefacts/trial.ts";

/** Adds up a campaign's ledger. Agents' attempts are told by arm through the trial they were for. */
export function moneyOf(lines: readonly LedgerLine[], planned: readonly PlannedTrial[]): Money {
  const { all, roles } = sumLedger(lines);
  const armOf = new Map(planned.map((trial) => [trialName(trial), trial.arm]));
  const agents = settledAttempts(lines).filter(({ role }) => role === "agent");
  const arms = armSchema.options.flatMap((arm) => {
    const own = agents.filter(({ subject }) => subject !== null && armOf.get(subject) === arm);
    return own.length === 0 ? [] : [{ arm, spending: sumAttempts(own) }];
  });
  return { all, roles: [...roles].map(([role, spending]) => ({ role, spending })), arms };
}
