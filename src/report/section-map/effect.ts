import type { Comparison } from "../../artefacts/analysis.ts";
import type { Cell } from "../../artefacts/report.ts";
import type { SectionEffect } from "../../artefacts/section-map.ts";
import type { Tally } from "../../artefacts/tally.ts";
import { newcombe } from "../../statistics/rate-intervals.ts";
import { normalInterval, type WeightedCell, weightedUplift } from "../../statistics/weighted-interval.ts";
import { sum } from "../uplift.ts";

type Pair = { readonly benchmark: string; readonly treated: Tally; readonly control: Tally };

/**
 * Pass rate of one arm minus that of another over `cells`, every benchmark with one vote and its models averaged inside.
 * Of one cell the interval is Newcombe's, of several the weighed one that conclusions about this set have as well.
 */
export function sectionEffect(
  cells: readonly Cell[],
  { arm, against }: Comparison,
  confidence: number,
): SectionEffect {
  const pairs = cells.flatMap(({ benchmark, arms }): readonly Pair[] => {
    const [treated, control] = [arms[arm], arms[against]];
    if (treated === undefined || control === undefined) return [];
    return [{ benchmark, treated, control }];
  });
  const usable = pairs.filter(({ treated, control }) => treated.graded > 0 && control.graded > 0);
  return {
    ...estimated(weighed(usable), confidence),
    cells: usable.length,
    cellsPlanned: pairs.length,
    with: sum(pairs.map(({ treated }) => treated)),
    without: sum(pairs.map(({ control }) => control)),
    smallestP: smallestP(usable),
  };
}

function weighed(pairs: readonly Pair[]): readonly WeightedCell[] {
  const models = new Map<string, number>();
  for (const { benchmark } of pairs) models.set(benchmark, (models.get(benchmark) ?? 0) + 1);
  return pairs.map(({ benchmark, treated, control }) => ({
    treated: { k: treated.passed, n: treated.graded },
    control: { k: control.passed, n: control.graded },
    weight: 1 / (models.size * (models.get(benchmark) ?? 1)),
  }));
}

function estimated(
  cells: readonly WeightedCell[],
  confidence: number,
): Pick<SectionEffect, "difference" | "interval" | "method"> {
  const [first, ...more] = cells;
  const mean = weightedUplift(cells);
  if (first === undefined || mean === null) return { difference: null, interval: null, method: null };
  const interval =
    more.length === 0
      ? newcombe(first.treated, first.control, confidence)
      : normalInterval(mean.uplift, mean.standardError, confidence);
  return { difference: mean.uplift, interval, method: more.length === 0 ? "newcombe" : "stratified" };
}

/** Of the exact test that shuffles verdicts between the arms within each cell: 2 ÷ Π C(n + n′, n), at most 1. */
function smallestP(pairs: readonly Pair[]): number {
  if (pairs.length === 0) return 1;
  let logarithm = Math.log(2);
  for (const { treated, control } of pairs) {
    for (let i = 1; i <= control.graded; i++) logarithm -= Math.log((treated.graded + i) / i);
  }
  return Math.min(1, Math.exp(logarithm));
}
