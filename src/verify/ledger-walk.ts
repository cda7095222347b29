import type { AttemptLine, LedgerLine, SettledLine } from "../artefacts/ledger.ts";
import type { Plan } from "../artefacts/plan.ts";
import { AnswerWalk, PriceWalk } from "./check-money.ts";
import type { LedgerFound } from "./found.ts";
import { MoneyWalk } from "./recount-money.ts";
import type { TrialIndex } from "./trial-index.ts";

type WalkOptions = {
  readonly plan: Pick<Plan, "endpoints" | "trials">;
  readonly index: TrialIndex;
  /** Attempts that something was found out about later. Of no others anything is kept. */
  readonly settled: ReadonlySet<number>;
};

/** ledger.jsonl, line by line from its first. */
export class LedgerWalk {
  private readonly prices: PriceWalk;
  private readonly answers: AnswerWalk;
  private readonly money: MoneyWalk;
  private readonly settled: ReadonlySet<number>;
  private readonly attempts = new Map<number, AttemptLine>();
  private readonly findings: { readonly line: SettledLine; readonly at: number }[] = [];
  private lines = 0;

  constructor({ plan, index, settled }: WalkOptions) {
    this.prices = new PriceWalk(plan.endpoints, index);
    this.answers = new AnswerWalk(index, plan.trials.length);
    this.money = new MoneyWalk(plan.trials, index);
    this.settled = settled;
  }

  see(line: LedgerLine): void {
    const at = ++this.lines;
    this.answers.see(line);
    this.money.see(line);
    if (line.kind === "settled") {
      this.findings.push({ line, at });
      return;
    }
    if (line.kind === "attempt" && this.settled.has(line.id)) this.attempts.set(line.id, line);
    this.prices.see(line, at, line);
  }

  found(): LedgerFound {
    for (const { line, at } of this.findings) this.prices.see(line, at, this.attempts.get(line.id));
    return {
      prices: this.prices.look(this.money.attempts),
      money: this.money.figures(),
      answered: this.answers.answered,
    };
  }
}
