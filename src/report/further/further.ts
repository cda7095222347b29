import type { Comparison } from "../../artefacts/analysis.ts";
import type { Further, FurtherCell } from "../../artefacts/further.ts";
import type { Plan } from "../../artefacts/plan.ts";
import type { Cell } from "../../artefacts/report.ts";
import { newcombe } from "../../statistics/rate-intervals.ts";
import { groupBy } from "../group-by.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { difference } from "../uplift.ts";
import { type CellTrials, cellTrialsOf, pairsOf, scopesOf } from "./cell-trials.ts";
import { costRatioOf, costsOf, type Draws, drawsFrom } from "./costs.ts";
import { armRatesOf, rateOf, reliabilityOf } from "./rates.ts";
import { cellTokens, tokenRatiosOf } from "./tokens.ts";
import { trialPairsOf } from "./trial-pairs.ts";

/** Where the plan has no analysis of its own. */
const usual = { alpha: 0.05, bootstrap: { resamples: 10_000, seed: 7 } };
const usualComparison: Comparison = { arm: "with_skill", against: "without_skill" };

/**
 * Figures beside the conclusions, from every planned trial; a mean over benchmarks only from those in `counted`. None of
 * them is a hypothesis. No row is about two skills, so that only one skill's trials are laid out at a time.
 */
export function furtherOf(
  { analysis }: Pick<Plan, "analysis">,
  entries: readonly TrialOnDisk[],
  counted: readonly Cell[],
): Further {
  const { alpha, bootstrap } = analysis ?? usual;
  const skills = groupBy(entries, ({ planned }) => planned.skill);
  const comparisons = analysis?.comparisons ?? usualIn(skills);
  const wanted = new Set(counted.map(keyOf));
  const frame = {
    ...{ comparisons, confidence: 1 - alpha, k: fewestOf(skills), draws: drawsFrom(bootstrap, 1 - alpha) },
    isCounted: (cell: CellTrials) => wanted.has(keyOf(cell)),
  };
  const parts = skills.map((trials) => ofSkill(cellTrialsOf(trials), frame));
  const compared = comparisons.flatMap((_, at) => parts.flatMap((part) => part.compared[at] ?? []));
  return {
    confidence: frame.confidence,
    comparisons: [...comparisons],
    cells: compared.flatMap(({ cells }) => cells),
    rates: parts.flatMap(({ rates }) => rates),
    reliability: parts.flatMap(({ reliability }) => reliability),
    pairs: compared.flatMap(({ pairs }) => pairs),
    tokens: compared.flatMap(({ tokens }) => tokens),
    costs: parts.flatMap(({ costs }) => costs),
    costRatios: compared.flatMap(({ costRatios }) => costRatios),
  };
}

type Frame = {
  readonly comparisons: readonly Comparison[];
  readonly confidence: number;
  readonly k: number;
  readonly draws: Draws;
  readonly isCounted: (cell: CellTrials) => boolean;
};

/** `compared`: a part per comparison, in their order. */
type OfSkill = Pick<Further, "rates" | "reliability" | "costs"> & {
  readonly compared: readonly Pick<Further, "cells" | "pairs" | "tokens" | "costRatios">[];
};

function ofSkill(
  all: readonly CellTrials[],
  { comparisons, confidence, k, draws, isCounted }: Frame,
): OfSkill {
  const scopes = scopesOf(all.filter(isCounted));
  return {
    rates: scopes.flatMap((scope) => armRatesOf(scope, confidence)),
    reliability: scopes.flatMap((scope) => reliabilityOf(scope, k)),
    costs: scopes.flatMap((scope) => costsOf(scope, draws)),
    compared: comparisons.map((comparison) => ({
      cells: [...cellsOf(all, comparison, confidence)],
      pairs: scopes.flatMap((scope) => trialPairsOf(scope, comparison) ?? []),
      tokens: scopes.flatMap((scope) => tokenRatiosOf(scope, comparison, confidence)),
      costRatios: scopes.flatMap((scope) => costRatioOf(scope, comparison, draws) ?? []),
    })),
  };
}

/** Where the plan names no comparison: the usual one, if any cell has both its arms. */
function usualIn(skills: readonly (readonly TrialOnDisk[])[]): readonly Comparison[] {
  const some = skills.some((trials) => pairsOf(cellTrialsOf(trials), usualComparison).length > 0);
  return some ? [usualComparison] : [];
}

/** Trials that every cell has: of those that looks gave fewer than others, nothing can be told about more. */
function fewestOf(skills: readonly (readonly TrialOnDisk[])[]): number {
  const counts = skills.flatMap((trials) =>
    groupBy(trials, ({ planned }) => JSON.stringify([planned.benchmark, planned.model, planned.arm])).map(
      (of) => of.length,
    ),
  );
  return counts.reduce((fewest, count) => Math.min(fewest, count), Infinity);
}

function keyOf({ skill, benchmark, model }: Pick<Cell, "skill" | "benchmark" | "model">): string {
  return JSON.stringify([skill, benchmark, model]);
}

function cellsOf(
  cells: readonly CellTrials[],
  comparison: Comparison,
  confidence: number,
): readonly FurtherCell[] {
  return pairsOf(cells, comparison).map((pair) => {
    const { skill, benchmark, model, treated, control } = pair;
    const [a, b] = [treated.tally, control.tally];
    const interval = newcombe({ k: a.passed, n: a.graded }, { k: b.passed, n: b.graded }, confidence);
    return {
      skill,
      benchmark,
      model,
      comparison,
      interval,
      treated: rateOf(a, confidence),
      control: rateOf(b, confidence),
      difference: difference(a, b),
      tokens: cellTokens(pair),
    };
  });
}
