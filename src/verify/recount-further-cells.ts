import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { Comparison } from "../artefacts/analysis.ts";
import type { TokenKind } from "../artefacts/further.ts";
import type { Tally } from "../artefacts/tally.ts";
import type { TrialUsage } from "../artefacts/trial.ts";
import type { Counted } from "./counted.ts";
import { grouped } from "./recount-intervals-units.ts";

/** A sum over those trials that told a figure. */
export type Told = { sum: number; known: number };

/** Trials of one arm on one benchmark × model, counted. */
export type ArmCount = {
  readonly tally: { passed: number; graded: number; planned: number };
  finished: number;
  readonly tokens: Readonly<Record<TokenKind, Told>>;
  readonly costUsd: Told;
  /** By n, whether it passed; null for one that is over and gets no verdict, nothing for one that is not over. */
  readonly verdicts: (boolean | null)[];
};

export type FurtherCell = {
  readonly skill: string;
  readonly benchmark: string;
  readonly model: string;
  readonly arms: Map<string, ArmCount>;
};

type Told1 = (usage: TrialUsage) => number | null;

const figures: Readonly<Record<TokenKind, Told1>> = {
  total: ({ inputTokens: input, outputTokens: output }) =>
    input === null || output === null ? null : input + output,
  uncachedInput: (usage) => usage.uncachedInputTokens,
  cachedInput: (usage) => usage.cachedInputTokens,
  output: (usage) => usage.outputTokens,
};
const kinds = ["total", "uncachedInput", "cachedInput", "output"] as const;

/** Counts trials as they come, and keeps none of them. */
export class FurtherCells {
  private readonly byName = new Map<string, FurtherCell>();

  see({ planned, trial, verdict }: Counted): void {
    const { skill, benchmark, model, arm, n } = planned;
    const name = JSON.stringify([skill, benchmark, model]);
    const cell = this.byName.get(name) ?? { skill, benchmark, model, arms: new Map<string, ArmCount>() };
    this.byName.set(name, cell);
    const count = cell.arms.get(arm) ?? nothing();
    cell.arms.set(arm, count);
    count.tally.planned += 1;
    if (trial === null) return;
    count.finished += 1;
    for (const kind of kinds) add(count.tokens[kind], figures[kind](trial.usage));
    add(count.costUsd, trial.usage.costUsd);
    const ending = endingOf(trial, verdict);
    if (ending === undefined) return;
    count.verdicts[n] = ending;
    if (ending === null) return;
    count.tally.graded += 1;
    count.tally.passed += ending ? 1 : 0;
  }

  /** In the order in which they came. */
  cells(): readonly FurtherCell[] {
    return [...this.byName.values()];
  }
}

/** Null for a trial that gets no verdict; undefined where the same command would work on it again. */
function endingOf(
  { outcome }: NonNullable<Counted["trial"]>,
  verdict: Counted["verdict"],
): boolean | null | undefined {
  if (outcome.kind === "blocked") return null;
  if (verdict === null) return undefined;
  if (verdict.verdict !== "ungraded") return verdict.verdict === "passed";
  const isOpen = verdict.answers.some(
    ({ answer, ballots }) => answer === null && ballots.some((ballot) => ballotKind(ballot) === "unreached"),
  );
  return isOpen ? undefined : null;
}

function nothing(): ArmCount {
  const told = (): Told => ({ sum: 0, known: 0 });
  return {
    tally: { passed: 0, graded: 0, planned: 0 },
    finished: 0,
    tokens: { total: told(), uncachedInput: told(), cachedInput: told(), output: told() },
    costUsd: told(),
    verdicts: [],
  };
}

function add(told: Told, value: number | null): void {
  if (value === null) return;
  told.sum += value;
  told.known += 1;
}

export function meanOf({ sum, known }: Told): number | null {
  return known === 0 ? null : sum / known;
}

/** A skill with one model, or with all of them. */
export type Scope = {
  readonly skill: string;
  readonly model: string | null;
  readonly cells: readonly FurtherCell[];
};

/** Of each skill its models one by one, then all together. */
export function scopesIn(cells: readonly FurtherCell[]): readonly Scope[] {
  return grouped(cells, ({ skill }) => skill).flatMap((all): readonly Scope[] => {
    const skill = all[0]?.skill ?? "";
    const models = grouped(all, ({ model }) => model).map((some) => ({
      skill,
      model: some[0]?.model ?? null,
      cells: some,
    }));
    return [...models, { skill, model: null, cells: all }];
  });
}

export function armsIn(cells: readonly FurtherCell[]): readonly string[] {
  return [...new Set(cells.flatMap(({ arms }) => [...arms.keys()]))];
}

export function countsOf(cells: readonly FurtherCell[], arm: string): readonly ArmCount[] {
  return cells.flatMap(({ arms }) => arms.get(arm) ?? []);
}

export type Both = FurtherCell & { readonly treated: ArmCount; readonly control: ArmCount };

export function bothIn(cells: readonly FurtherCell[], { arm, against }: Comparison): readonly Both[] {
  return cells.flatMap((cell) => {
    const [treated, control] = [cell.arms.get(arm), cell.arms.get(against)];
    return treated === undefined || control === undefined ? [] : [{ ...cell, treated, control }];
  });
}

export function together(counts: readonly ArmCount[]): Tally {
  const sum = { passed: 0, graded: 0, planned: 0 };
  for (const { tally } of counts) {
    sum.passed += tally.passed;
    sum.graded += tally.graded;
    sum.planned += tally.planned;
  }
  return sum;
}
