import betaCdf from "@stdlib/stats-base-dists-beta-cdf";
import type { Comparison } from "../artefacts/analysis.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { Tally } from "../artefacts/tally.ts";
import {
  armsIn,
  type Both,
  bothIn,
  type FurtherCell,
  countsOf,
  type Scope,
  scopesIn,
  together,
} from "./recount-further-cells.ts";
import { costRatioRows, costRows } from "./recount-further-costs.ts";
import { cellTokens, tokenRows } from "./recount-further-tokens.ts";
import { differenceEnds, scoreEnds } from "./recount-intervals.ts";
import { logWays } from "./recount-intervals-p.ts";
import { average } from "./recount-intervals-units.ts";

/** Where the plan has no analysis. */
const usual = { alpha: 0.05, bootstrap: { resamples: 10_000, seed: 7 } };

/**
 * The figures beside the conclusions, made again from counts of trials. Lists come one by one: those of cells are as
 * long as the campaign. `isCounted`: whether a cell is of the means over benchmarks.
 */
export function furtherAgain(
  { analysis }: Pick<Plan, "analysis">,
  cells: readonly FurtherCell[],
  isCounted: (cell: FurtherCell) => boolean,
): Readonly<Record<string, unknown>> {
  const { alpha, bootstrap } = analysis ?? usual;
  const confidence = 1 - alpha;
  const comparisons = analysis?.comparisons ?? usualOf(cells);
  const scopes = scopesIn(cells.filter(isCounted));
  const k = cells.reduce((least, cell) => Math.min(least, fewestIn(cell)), Infinity);
  const drawing = { ...bootstrap, confidence };
  const perScope = (rows: (scope: Scope) => readonly unknown[]): Iterable<unknown> => each(scopes, rows);
  const perPair = (rows: (scope: Scope, comparison: Comparison) => readonly unknown[]): Iterable<unknown> =>
    each(comparisons, (comparison) => scopes.flatMap((scope) => rows(scope, comparison)));
  return {
    confidence,
    comparisons,
    cells: each(comparisons, (comparison) =>
      each(bothIn(cells, comparison), (both) => [cellRow(both, comparison, confidence)]),
    ),
    rates: perScope((scope) => rateRows(scope, confidence)),
    reliability: perScope((scope) => reliabilityRows(scope, k)),
    pairs: perPair(pairRows),
    tokens: perPair((scope, comparison) => tokenRows(scope, comparison, confidence)),
    costs: perScope((scope) => costRows(scope, drawing)),
    costRatios: perPair((scope, comparison) => costRatioRows(scope, comparison, drawing)),
  };
}

function* each<T>(values: Iterable<T>, rows: (value: T) => Iterable<unknown>): Generator {
  for (const value of values) yield* rows(value);
}

/** With the skill against without, where a cell has both. */
function usualOf(cells: readonly FurtherCell[]): readonly Comparison[] {
  const comparison = { arm: "with_skill", against: "without_skill" };
  return cells.some(({ arms }) => arms.has(comparison.arm) && arms.has(comparison.against))
    ? [comparison]
    : [];
}

function fewestIn({ arms }: FurtherCell): number {
  return Math.min(...[...arms.values()].map(({ tally }) => tally.planned));
}

function rateOf(tally: Tally, confidence: number): Readonly<Record<string, unknown>> {
  return { ...tally, interval: scoreEnds(tally, confidence) };
}

function cellRow(both: Both, comparison: Comparison, confidence: number): unknown {
  const { skill, benchmark, model } = both;
  const [a, b] = [both.treated.tally, both.control.tally];
  const isGraded = a.graded > 0 && b.graded > 0;
  return {
    ...{ skill, benchmark, model, comparison },
    treated: rateOf(a, confidence),
    control: rateOf(b, confidence),
    difference: isGraded ? a.passed / a.graded - b.passed / b.graded : null,
    interval: differenceEnds(a, b, confidence),
    tokens: cellTokens(both),
  };
}

function rateRows({ skill, model, cells }: Scope, confidence: number): readonly unknown[] {
  return armsIn(cells).map((arm) => {
    return { skill, model, arm, ...rateOf(together(countsOf(cells, arm)), confidence) };
  });
}

/** Of k trials taken from those of a cell: any passes, or all of them. By numbers of ways, in logarithms. */
function reliabilityRows({ skill, model, cells }: Scope, k: number): readonly unknown[] {
  return armsIn(cells).map((arm) => {
    const tallies = countsOf(cells, arm).map(({ tally }) => tally);
    const enough = tallies.filter(({ graded }) => graded >= k);
    const all = enough.map(({ passed, graded }) => shareOfWays(passed, graded, k));
    const none = enough.map(({ passed, graded }) => shareOfWays(graded - passed, graded, k));
    return {
      ...{ skill, model, arm, k, cells: enough.length, of: tallies.length },
      passAtK: enough.length === 0 ? null : 1 - average(none),
      passHatK: enough.length === 0 ? null : average(all),
    };
  });
}

function shareOfWays(some: number, all: number, k: number): number {
  return some < k ? 0 : Math.exp(logWays(some, k) - logWays(all, k));
}

/** Trials of one block in both arms; whether those that differ point one way, by McNemar's test. */
function pairRows({ skill, model, cells }: Scope, comparison: Comparison): readonly unknown[] {
  const both = bothIn(cells, comparison);
  if (both.length === 0) return [];
  const counts = { bothPassed: 0, onlyTreatedPassed: 0, onlyControlPassed: 0, bothFailed: 0 };
  let of = 0;
  for (const { treated, control } of both) {
    of += Math.min(treated.tally.planned, control.tally.planned);
    const blocks = Math.min(treated.verdicts.length, control.verdicts.length);
    for (let n = 0; n < blocks; n++) {
      const [more, less] = [treated.verdicts[n], control.verdicts[n]];
      if (typeof more !== "boolean" || typeof less !== "boolean") continue;
      counts.bothPassed += more && less ? 1 : 0;
      counts.onlyTreatedPassed += more && !less ? 1 : 0;
      counts.onlyControlPassed += !more && less ? 1 : 0;
      counts.bothFailed += !more && !less ? 1 : 0;
    }
  }
  const pairs = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ps =
    pairs === 0 ? { pExact: null, pMid: null } : mcNemar(counts.onlyTreatedPassed, counts.onlyControlPassed);
  return [{ skill, model, comparison, pairs, of, ...counts, ...ps }];
}

/** Tails of a fair coin, as values of the beta distribution. */
function mcNemar(a: number, b: number): { readonly pExact: number; readonly pMid: number } {
  const [few, many] = [Math.min(a, b), Math.max(a, b)];
  if (many === 0) return { pExact: 1, pMid: 1 };
  const point = Math.exp(logWays(a + b, few) - (a + b) * Math.LN2);
  if (few === many) return { pExact: 1, pMid: 1 - point / 2 };
  const both = 2 * betaCdf(0.5, many, few + 1);
  return { pExact: Math.min(1, both), pMid: Math.max(0, Math.min(1, both - point)) };
}
