import { costSourceSchema, type LedgerLine, requestRoleSchema } from "../artefacts/ledger.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { Figures } from "./figures.ts";
import { PaidRows } from "./paid-rows.ts";
import type { TrialIndex } from "./trial-index.ts";

const roles = requestRoleSchema.options;
const sources = costSourceSchema.options;

/** What a ledger comes to, for everything, by role and by arm: each attempt once, in the last state that is written. */
export class MoneyWalk {
  private readonly planned: readonly PlannedTrial[];
  private readonly index: TrialIndex;
  /** Of a trial, by the place of its arm here. */
  private readonly arms: string[] = [];
  private readonly rows = new PaidRows();
  /** What was found out later about an attempt: the last of it holds, wherever the attempt stands. */
  private readonly later = new Map<number, { readonly source: number; readonly cost: number }>();

  constructor(planned: readonly PlannedTrial[], index: TrialIndex) {
    this.planned = planned;
    this.index = index;
  }

  /** Different attempts that came to an end. */
  get attempts(): number {
    return this.rows.ended;
  }

  see(line: LedgerLine): void {
    if (line.kind === "settled") {
      this.later.set(line.id, { source: sources.indexOf(line.source), cost: line.costNanoUsd });
      return;
    }
    const { id, role, subject, upToNanoUsd: upTo } = line;
    const about = { role: roles.indexOf(role), arm: this.armOf(role, subject), upTo: upTo ?? NaN };
    if (line.kind === "attempt") {
      const cost = line.costNanoUsd ?? NaN;
      this.rows.set(id, { ...about, source: sources.indexOf(line.source), cost, ended: true });
    } else if (!this.rows.has(id)) {
      // One that was begun and never ended may have been billed.
      const isFree = upTo === 0;
      const source = sources.indexOf(isFree ? "estimated" : "unknown");
      this.rows.set(id, { ...about, source, cost: isFree ? 0 : NaN, ended: false });
    }
  }

  figures(): Figures {
    const figures = new Figures();
    const begun = new Set<string>();
    const begin = (path: readonly string[]): void => {
      const name = path.join(" ");
      if (!begun.has(name)) setSpending(path, figures);
      begun.add(name);
    };
    begin(["money", "all"]);
    for (const { id, role, arm, source, cost, upTo } of this.rows.all()) {
      const paid = { source, cost, upTo, ...this.later.get(id) };
      const armName = this.arms[arm];
      const paths = [
        ["money", "all"],
        ["money", "role", roles[role] ?? ""],
        ...(armName === undefined ? [] : [["money", "arm", armName]]),
      ];
      for (const path of paths) {
        begin(path);
        addPaid(path, paid, figures);
      }
    }
    return figures;
  }

  /** -1 for what was no request of a planned trial's agent. */
  private armOf(role: string, subject: string | null): number {
    if (role !== "agent" || subject === null) return -1;
    const arm = this.planned[this.index.get(subject) ?? -1]?.arm;
    if (arm === undefined) return -1;
    const known = this.arms.indexOf(arm);
    return known === -1 ? this.arms.push(arm) - 1 : known;
  }
}

const sums = [
  "attempts",
  "reported",
  "generation",
  "estimated",
  "not_charged",
  "unknown",
  "unknownUpTo",
  "unpriced",
];

function setSpending(path: readonly string[], figures: Figures): void {
  for (const name of sums) figures.add([...path, name], 0);
}

type Paid = { readonly source: number; readonly cost: number; readonly upTo: number };

function addPaid(path: readonly string[], { source, cost, upTo }: Paid, figures: Figures): void {
  figures.add([...path, "attempts"], 1);
  const name = sources[source] ?? "unknown";
  if (name === "not_charged") figures.add([...path, name], 1);
  else if (name === "unknown") {
    figures.add([...path, name], 1);
    figures.add([...path, "unknownUpTo"], Number.isNaN(upTo) ? 0 : upTo);
    figures.add([...path, "unpriced"], Number.isNaN(upTo) ? 1 : 0);
  } else figures.add([...path, name], Number.isNaN(cost) ? 0 : cost);
}
