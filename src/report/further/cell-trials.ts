import type { Comparison } from "../../artefacts/analysis.ts";
import type { TokenKind } from "../../artefacts/further.ts";
import type { Tally } from "../../artefacts/tally.ts";
import type { Arm, TrialUsage } from "../../artefacts/trial.ts";
import { groupBy } from "../group-by.ts";
import { outcomeOf, type TrialOnDisk } from "../outcome.ts";

type Usage = Pick<
  TrialUsage,
  "inputTokens" | "uncachedInputTokens" | "cachedInputTokens" | "outputTokens" | "costUsd"
>;

/** What those finished trials that told a figure add up to. */
export type Told = { readonly sum: number; readonly known: number };

/** The trials of one arm on one benchmark × model. */
export type ArmTrials = {
  readonly tally: Tally;
  readonly finished: number;
  readonly tokens: Readonly<Record<TokenKind, Told>>;
  readonly costUsd: Told;
  /** Repetitions (`n`) of those that passed, and of those that failed. A trial without a verdict is in neither. */
  readonly passed: readonly number[];
  readonly failed: readonly number[];
};

/** One benchmark × model with its arms, in the order of the plan. */
export type CellTrials = {
  readonly skill: string;
  readonly benchmark: string;
  readonly model: string;
  readonly arms: ReadonlyMap<Arm, ArmTrials>;
};

/** Both arms of a comparison, where a cell plans both. */
export type Pair = CellTrials & { readonly treated: ArmTrials; readonly control: ArmTrials };

export function cellTrialsOf(entries: readonly TrialOnDisk[]): readonly CellTrials[] {
  return groupBy(entries, ({ planned: { skill, benchmark, model } }) =>
    JSON.stringify([skill, benchmark, model]),
  ).map((group) => {
    const { skill, benchmark, model } = group[0].planned;
    const arms = groupBy(group, ({ planned }) => planned.arm).map(
      (of) => [of[0].planned.arm, armTrialsOf(of)] as const,
    );
    return { skill, benchmark, model, arms: new Map(arms) };
  });
}

function armTrialsOf(entries: readonly TrialOnDisk[]): ArmTrials {
  const [passed, failed]: [number[], number[]] = [[], []];
  const usages = entries.flatMap(({ trial }) => trial?.usage ?? []);
  for (const entry of entries) {
    const outcome = outcomeOf(entry);
    if (outcome.kind === "graded") (outcome.passed ? passed : failed).push(entry.planned.n);
  }
  return {
    tally: {
      passed: passed.length,
      graded: passed.length + failed.length,
      planned: entries.length,
    },
    finished: usages.length,
    tokens: {
      total: toldIn(usages, totalTokens),
      uncachedInput: toldIn(usages, (usage) => usage.uncachedInputTokens),
      cachedInput: toldIn(usages, (usage) => usage.cachedInputTokens),
      output: toldIn(usages, (usage) => usage.outputTokens),
    },
    costUsd: toldIn(usages, (usage) => usage.costUsd),
    passed,
    failed,
  };
}

function toldIn(usages: readonly Usage[], figure: (usage: Usage) => number | null): Told {
  let [sum, known] = [0, 0];
  for (const usage of usages) {
    const value = figure(usage);
    if (value === null) continue;
    sum += value;
    known += 1;
  }
  return { sum, known };
}

/** Null where the provider did not say both: half of a total is no total. */
function totalTokens({ inputTokens, outputTokens }: Usage): number | null {
  return inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
}

/** Null of none. */
export function meanOf({ sum, known }: Told): number | null {
  return known === 0 ? null : sum / known;
}

export function pairsOf(cells: readonly CellTrials[], { arm, against }: Comparison): readonly Pair[] {
  return cells.flatMap((cell) => {
    const [treated, control] = [cell.arms.get(arm), cell.arms.get(against)];
    return treated === undefined || control === undefined ? [] : [{ ...cell, treated, control }];
  });
}

/** What a row is about: a skill with one model, or with all of them (null). */
export type Scope = {
  readonly skill: string;
  readonly model: string | null;
  readonly cells: readonly [CellTrials, ...CellTrials[]];
};

/** For each skill its models, then all of them together. */
export function scopesOf(cells: readonly CellTrials[]): readonly Scope[] {
  return groupBy(cells, ({ skill }) => skill).flatMap((ofSkill) => [
    ...groupBy(ofSkill, ({ model }) => model).map((group) => ({
      skill: group[0].skill,
      model: group[0].model,
      cells: group,
    })),
    { skill: ofSkill[0].skill, model: null, cells: ofSkill },
  ]);
}

/** Arms in the order in which they first appear. */
export function armsOf(cells: readonly CellTrials[]): readonly Arm[] {
  return [...new Set(cells.flatMap(({ arms }) => [...arms.keys()]))];
}

/** The trials of one arm in those cells that plan it. */
export function ofArm(cells: readonly CellTrials[], arm: Arm): readonly ArmTrials[] {
  return cells.flatMap(({ arms }) => arms.get(arm) ?? []);
}
