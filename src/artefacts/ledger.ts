import { z } from "zod";

export const requestRoleSchema = z.enum(["agent", "judge", "author", "embedding", "probe"]);
/** What a request was paid for. */
export type RequestRole = z.infer<typeof requestRoleSchema>;

/** Money in whole billionths of a US dollar, so that sums are exact. */
const nanoUsd = z.number().int().nonnegative();

const count = z.number().int().nonnegative();

/** Where a cost comes from, best first. `unknown` is never counted as 0: `upToNanoUsd` says what it may be at most. */
export const costSourceSchema = z.enum([
  "reported", // the answer's own usage.cost
  "generation", // asked for afterwards
  "estimated", // price × tokens
  "not_charged", // refused before anything was generated
  "unknown",
]);
export type CostSource = z.infer<typeof costSourceSchema>;

/** What is known of an attempt before it is sent. */
const begunShape = {
  /** 1-based, in the order in which attempts were begun. */
  id: count,
  /** ISO 8601, UTC. */
  at: z.string(),
  role: requestRoleSchema,
  /** What it was for: a trial's path, a bundle's id; null when for no one of them. */
  subject: z.string().nullable(),
  model: z.string(),
  tag: z.string().nullable(),
  /** 1-based within its conversation, and the attempt at it. */
  turn: count,
  attempt: count,
  /** At most, where the cost is unknown; null when there is no price to tell it by. */
  upToNanoUsd: nanoUsd.nullable(),
};

/** One request attempt that is about to be sent. Where no `attempt` line follows, the process was killed meanwhile. */
export const begunLineSchema = z.object({ kind: z.literal("begun"), ...begunShape });
export type BegunLine = z.infer<typeof begunLineSchema>;

/** One request attempt that is over, whatever became of it. */
export const attemptLineSchema = z.object({
  kind: z.literal("attempt"),
  ...begunShape,
  generation: z.string().nullable(),
  provider: z.string().nullable(),
  /** `turn`, or what went wrong in a few words. */
  outcome: z.string(),
  inputTokens: count.nullable(),
  cachedInputTokens: count.nullable(),
  cacheWriteTokens: count.nullable(),
  outputTokens: count.nullable(),
  reasoningTokens: count.nullable(),
  costNanoUsd: nanoUsd.nullable(),
  source: costSourceSchema,
});
export type AttemptLine = z.infer<typeof attemptLineSchema>;

/** What was found out later about attempt `id`: lines are only ever added. */
export const settledLineSchema = z.object({
  kind: z.literal("settled"),
  id: count,
  at: z.string(),
  costNanoUsd: nanoUsd,
  source: z.enum(["generation", "estimated"]),
});
export type SettledLine = z.infer<typeof settledLineSchema>;

export const ledgerLineSchema = z.discriminatedUnion("kind", [
  begunLineSchema,
  attemptLineSchema,
  settledLineSchema,
]);
export type LedgerLine = z.infer<typeof ledgerLineSchema>;

/** What a set of attempts cost, by where the figures come from. The first three sums are what is known to be spent. */
export const spendingSchema = z.object({
  attempts: count,
  reportedNanoUsd: nanoUsd,
  generationNanoUsd: nanoUsd,
  estimatedNanoUsd: nanoUsd,
  /** Attempts refused before any work. */
  notCharged: count,
  unknown: z.object({
    attempts: count,
    /** All of those together cost at most this much more, those without a price (`unpriced`) not counted. */
    upToNanoUsd: nanoUsd,
    unpriced: count,
  }),
});
export type Spending = z.infer<typeof spendingSchema>;

export type LedgerTotal = {
  readonly all: Spending;
  /** Only roles that made a request. */
  readonly roles: ReadonlyMap<RequestRole, Spending>;
};

/**
 * The attempts of a ledger with what was found out later about each put in; of two findings the later one holds. One
 * whose end was never written may have been billed: it is unknown, up to what was held for it.
 */
export function settledAttempts(lines: readonly LedgerLine[]): readonly AttemptLine[] {
  const found = new Map(lines.flatMap((line) => (line.kind === "settled" ? [[line.id, line] as const] : [])));
  const ended = new Set(lines.flatMap((line) => (line.kind === "attempt" ? [line.id] : [])));
  return lines.flatMap((line): AttemptLine[] => {
    if (line.kind === "settled") return [];
    if (line.kind === "begun") return ended.has(line.id) ? [] : [withoutEnd(line)];
    const later = found.get(line.id);
    if (later === undefined) return [line];
    return [{ ...line, costNanoUsd: later.costNanoUsd, source: later.source, upToNanoUsd: null }];
  });
}

function withoutEnd(line: BegunLine): AttemptLine {
  return {
    ...line,
    kind: "attempt",
    generation: null,
    provider: null,
    outcome: "killed in mid-request",
    inputTokens: null,
    cachedInputTokens: null,
    cacheWriteTokens: null,
    outputTokens: null,
    reasoningTokens: null,
    ...unknownCost(line.upToNanoUsd),
  };
}

/** At most nothing is nothing: a server whose prices are 0 by configuration has no unknown costs. */
export function unknownCost(
  upToNanoUsd: number | null,
): Pick<AttemptLine, "costNanoUsd" | "source" | "upToNanoUsd"> {
  return upToNanoUsd === 0
    ? { costNanoUsd: 0, source: "estimated", upToNanoUsd: null }
    : { costNanoUsd: null, source: "unknown", upToNanoUsd };
}

/** Adds up a ledger, for everything and by role. */
export function sumLedger(lines: readonly LedgerLine[]): LedgerTotal {
  const tally = new LedgerTally();
  for (const attempt of settledAttempts(lines)) tally.add(attempt);
  return tally.total();
}

/** Adds up attempts that are settled as far as they will be, one by one, keeping none. */
export class LedgerTally {
  private readonly all = new SpendingTally();
  private readonly roles = new Map<RequestRole, SpendingTally>();

  add(attempt: SpentAttempt): void {
    this.all.add(attempt);
    this.ofRole(attempt.role).add(attempt);
  }

  /** Puts what was found out later in the place of what was added. */
  replace(before: SpentAttempt, after: SpentAttempt): void {
    for (const tally of [this.all, this.ofRole(before.role)]) {
      tally.remove(before);
      tally.add(after);
    }
  }

  total(): LedgerTotal {
    const roles = requestRoleSchema.options.flatMap((role) => {
      const own = this.roles.get(role);
      return own === undefined ? [] : [[role, own.spending()] as const];
    });
    return { all: this.all.spending(), roles: new Map(roles) };
  }

  private ofRole(role: RequestRole): SpendingTally {
    const tally = this.roles.get(role) ?? new SpendingTally();
    this.roles.set(role, tally);
    return tally;
  }
}

/** What of an attempt is added up. */
export type SpentAttempt = Pick<AttemptLine, "role" | "source" | "costNanoUsd" | "upToNanoUsd">;

export class SpendingTally {
  private attempts = 0;
  private unpriced = 0;
  private upToNanoUsd = 0;
  private readonly counts = new Map<CostSource, number>();
  private readonly costs = new Map<CostSource, number>();

  add(attempt: SpentAttempt): void {
    this.count(attempt, 1);
  }

  remove(attempt: SpentAttempt): void {
    this.count(attempt, -1);
  }

  spending(): Spending {
    const cost = (source: CostSource): number => this.costs.get(source) ?? 0;
    return {
      attempts: this.attempts,
      reportedNanoUsd: cost("reported"),
      generationNanoUsd: cost("generation"),
      estimatedNanoUsd: cost("estimated"),
      notCharged: this.counts.get("not_charged") ?? 0,
      unknown: {
        attempts: this.counts.get("unknown") ?? 0,
        upToNanoUsd: this.upToNanoUsd,
        unpriced: this.unpriced,
      },
    };
  }

  private count({ source, costNanoUsd, upToNanoUsd }: SpentAttempt, times: 1 | -1): void {
    this.attempts += times;
    this.counts.set(source, (this.counts.get(source) ?? 0) + times);
    this.costs.set(source, (this.costs.get(source) ?? 0) + times * (costNanoUsd ?? 0));
    if (source !== "unknown") return;
    this.upToNanoUsd += times * (upToNanoUsd ?? 0);
    if (upToNanoUsd === null) this.unpriced += times;
  }
}

/** What is known to be spent. What is unknown comes on top. */
export function knownNanoUsd(spending: Spending): number {
  return spending.reportedNanoUsd + spending.generationNanoUsd + spending.estimatedNanoUsd;
}
