import type { LedgerLine } from "../artefacts/ledger.ts";
import { type PlannedTrial, trialName } from "../artefacts/trial.ts";
import type { Figures } from "./figures.ts";

type Paid = {
  readonly role: string;
  readonly subject: string | null;
  source: string;
  /** Null: unknown, then `upTo` at most. */
  cost: number | null;
  upTo: number | null;
};

/** What a ledger comes to, for everything, by role and by arm: each attempt once, in the last state that is written. */
export function recountMoney(
  lines: readonly LedgerLine[],
  planned: readonly PlannedTrial[],
  figures: Figures,
): void {
  const armOf = new Map<string, string>(planned.map((trial) => [trialName(trial), trial.arm]));
  const begun = new Set<string>();
  const begin = (path: readonly string[]): void => {
    const name = path.join(" ");
    if (!begun.has(name)) setSpending(path, figures);
    begun.add(name);
  };
  begin(["money", "all"]);
  for (const paid of attemptsOf(lines).values()) {
    const arm = paid.role === "agent" && paid.subject !== null ? armOf.get(paid.subject) : undefined;
    const paths = [
      ["money", "all"],
      ["money", "role", paid.role],
      ...(arm === undefined ? [] : [["money", "arm", arm]]),
    ];
    for (const path of paths) {
      begin(path);
      addPaid(path, paid, figures);
    }
  }
}

/** By id. One that was begun and never ended may have been billed. */
function attemptsOf(lines: readonly LedgerLine[]): ReadonlyMap<number, Paid> {
  const attempts = new Map<number, Paid>();
  for (const line of lines) {
    if (line.kind === "settled") continue;
    const { role, subject, upToNanoUsd: upTo } = line;
    if (line.kind === "attempt") {
      attempts.set(line.id, { role, subject, source: line.source, cost: line.costNanoUsd, upTo });
    } else if (!attempts.has(line.id)) {
      const isFree = upTo === 0;
      attempts.set(line.id, {
        role,
        subject,
        source: isFree ? "estimated" : "unknown",
        cost: isFree ? 0 : null,
        upTo,
      });
    }
  }
  for (const line of lines) {
    const paid = line.kind === "settled" ? attempts.get(line.id) : undefined;
    if (paid === undefined || line.kind !== "settled") continue;
    paid.source = line.source;
    paid.cost = line.costNanoUsd;
  }
  return attempts;
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

function addPaid(path: readonly string[], { source, cost, upTo }: Paid, figures: Figures): void {
  figures.add([...path, "attempts"], 1);
  switch (source) {
    case "not_charged":
      figures.add([...path, source], 1);
      return;
    case "unknown":
      figures.add([...path, source], 1);
      figures.add([...path, "unknownUpTo"], upTo ?? 0);
      figures.add([...path, "unpriced"], upTo === null ? 1 : 0);
      return;
    default:
      figures.add([...path, source], cost ?? 0);
  }
}
