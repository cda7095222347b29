import type { Comparison } from "../../artefacts/analysis.ts";
import type { Further, FurtherCell } from "../../artefacts/further.ts";
import type { Plan } from "../../artefacts/plan.ts";
import type { Cell } from "../../artefacts/report.ts";
import { newcombe } from "../../statistics/rate-intervals.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { difference } from "../uplift.ts";
import { type CellTrials, cellTrialsOf, pairsOf, scopesOf } from "./cell-trials.ts";
import { costRatioOf, costsOf, drawsFrom } from "./costs.ts";
import { armRatesOf, rateOf, reliabilityOf } from "./rates.ts";
import { cellTokens, tokenRatiosOf } from "./tokens.ts";
import { trialPairsOf } from "./trial-pairs.ts";

/** Where the plan has no analysis of its own. */
const usual = { alpha: 0.05, bootstrap: { resamples: 10_000, seed: 7 } };
const usualComparison: Comparison = { arm: "with_skill", against: "without_skill" };

/**
 * Figures beside the conclusions, from every planned trial; a mean over benchmarks only from those in `counted`. None of
 * them is a hypothesis.
 */
export function furtherOf(
  { analysis }: Pick<Plan, "analysis">,
  entries: readonly TrialOnDisk[],
  counted: readonly Cell[],
): Further {
  const { alpha, bootstrap } = analysis ?? usual;
  const confidence = 1 - alpha;
  const all = cellTrialsOf(entries);
  const wanted = new Set(counted.map(keyOf));
  const scopes = scopesOf(all.filter((cell) => wanted.has(keyOf(cell))));
  const comparisons =
    analysis?.comparisons ?? (pairsOf(all, usualComparison).length > 0 ? [usualComparison] : []);
  const k = fewestOf(all);
  const draws = drawsFrom(bootstrap, confidence);
  const compared = comparisons.flatMap((comparison) => scopes.map((scope) => ({ scope, comparison })));
  return {
    confidence,
    comparisons: [...comparisons],
    cells: comparisons.flatMap((comparison) => cellsOf(all, comparison, confidence)),
    rates: scopes.flatMap((scope) => armRatesOf(scope, confidence)),
    reliability: scopes.flatMap((scope) => reliabilityOf(scope, k)),
    pairs: compared.flatMap(({ scope, comparison }) => trialPairsOf(scope, comparison) ?? []),
    tokens: compared.flatMap(({ scope, comparison }) => tokenRatiosOf(scope, comparison, confidence)),
    costs: scopes.flatMap((scope) => costsOf(scope, draws)),
    costRatios: compared.flatMap(({ scope, comparison }) => costRatioOf(scope, comparison, draws) ?? []),
  };
}

/** Trials that every cell has: of those that looks gave fewer than others, nothing can be told about more. */
function fewestOf(cells: readonly CellTrials[]): number {
  return cells
    .flatMap(({ arms }) => [...arms.values()])
    .reduce((fewest, { tally }) => Math.min(fewest, tally.planned), Infinity);
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
      ...{ skill, benchmark, model, comparison, interval },
      treated: rateOf(a, confidence),
      control: rateOf(b, confidence),
      difference: difference(a, b),
      tokens: cellTokens(pair),
    };
  });
}
