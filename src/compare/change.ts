import type { Change } from "../artefacts/comparison.ts";
import type { Tally } from "../artefacts/tally.ts";
import { normalQuantile } from "../statistics/distributions.ts";
import { fraction } from "../statistics/fraction.ts";
import { type SignFlip, signFlip, signFlipReal } from "../statistics/sign-flip.ts";
import { stratifiedPermutation } from "../statistics/stratified-permutation.ts";
import { tInterval } from "../statistics/t-interval.ts";
import { normalInterval, type WeightedCell, weightedUplift } from "../statistics/weighted-interval.ts";
import type { FittingCell } from "./fitting.ts";

export type ChangeSettings = { readonly alpha: number; readonly minTasks: number; readonly seed: number };

/** A cell whose control has verdicts on both sides. */
export type CellWithControl = FittingCell & { readonly control: NonNullable<FittingCell["control"]> };

/** Every task has one vote, and inside it every model. At least one cell, all with verdicts. */
function weightsOf(cells: readonly FittingCell[]): readonly number[] {
  const models = countOf(cells.map(taskOf));
  return cells.map((cell) => 1 / (models.size * (models.get(taskOf(cell)) ?? 1)));
}

/** Mean pass rate of one arm on one side. */
export function meanRate(cells: readonly FittingCell[], tallyOf: (cell: FittingCell) => Tally): number {
  const weights = weightsOf(cells);
  return cells.reduce((sum, cell, at) => sum + (weights[at] ?? 0) * rateOf(tallyOf(cell)), 0);
}

/** So many cells can give p-values that no level asks for: 2 / 2 to their number, at one trial on each side. */
const enough = 40;

/** B − A of the compared arm's pass rate. The exact test shuffles the labels A and B inside every cell. */
export function rateChange(cells: readonly FittingCell[], settings: ChangeSettings): Change {
  const weights = weightsOf(cells);
  const pairs = cells.map(({ arm }, at) => weighted(arm.b, arm.a, weights[at] ?? 0));
  const { uplift: estimate, standardError } = known(weightedUplift(pairs));
  const tested = cells.map(({ arm: { a, b } }) => ({
    ...{ withPass: b.passed, withN: b.graded },
    ...{ withoutPass: a.passed, withoutN: a.graded },
  }));
  const extreme = tested.map((cell) => ({ ...cell, withPass: 0, withoutPass: cell.withoutN }));
  return {
    estimate,
    set: {
      standardError,
      interval: normalInterval(estimate, standardError, 1 - settings.alpha),
      marginInterval: normalInterval(estimate, standardError, 1 - 2 * settings.alpha),
      p: stratifiedPermutation(tested).pTwoSided,
      pAdjusted: null,
      smallestP: cells.length > enough ? null : stratifiedPermutation(extreme).pTwoSided,
    },
    tasks: tasksChange(cells, ({ arm }) => rateOf(arm.b) - rateOf(arm.a), settings),
  };
}

/**
 * B − A of the uplift. Its variance is that of the four independent rates of every cell: B's uplift with its weight and
 * A's with the same weight and the other sign are one sum over twice as many pairs.
 */
export function upliftChange(cells: readonly CellWithControl[], settings: ChangeSettings): Change {
  const weights = weightsOf(cells);
  const pairs = cells.flatMap(({ arm, control }, at) => {
    const weight = weights[at] ?? 0;
    return [weighted(arm.b, control.b, weight), weighted(arm.a, control.a, -weight)];
  });
  const { uplift: estimate, standardError } = known(weightedUplift(pairs));
  return {
    estimate,
    set: {
      standardError,
      interval: around(estimate, standardError, settings.alpha),
      marginInterval: around(estimate, standardError, 2 * settings.alpha),
      p: null,
      pAdjusted: null,
      smallestP: null,
    },
    tasks: tasksChange(
      cells,
      ({ arm, control }) => upliftOf(arm, control, "b") - upliftOf(arm, control, "a"),
      {
        ...settings,
      },
    ),
  };
}

type Both = { readonly a: Tally; readonly b: Tally };

export function upliftOf(arm: Both, control: Both, side: "a" | "b"): number {
  return rateOf(arm[side]) - rateOf(control[side]);
}

/** Cut off at −2 and 2, which no difference of uplifts goes beyond. */
function around(estimate: number, standardError: number, alpha: number): readonly [number, number] {
  const half = normalQuantile(1 - alpha / 2) * standardError;
  return [Math.max(-2, estimate - half), Math.min(2, estimate + half)];
}

/** Finer lattices, and longer ones, take too long to count on; then sign vectors are drawn. */
const finest = 1_000_000;
const widest = 100_000;
/** A difference this small is what rounding left of 0. */
const rounding = 1e-12;

/** Null for a single cell: one task says nothing about others. */
function tasksChange<C extends FittingCell>(
  cells: readonly C[],
  differenceOf: (cell: C) => number,
  { alpha, minTasks, seed }: ChangeSettings,
): Change["tasks"] {
  if (cells.length === 1) return null;
  const tasks = new Map<string, number[]>();
  for (const cell of cells) tasks.set(taskOf(cell), [...(tasks.get(taskOf(cell)) ?? []), differenceOf(cell)]);
  const values = [...tasks.values()].map((of) => {
    const mean = of.reduce((sum, one) => sum + one, 0) / of.length;
    return Math.abs(mean) < rounding ? 0 : mean;
  });
  const unit = latticeOf(cells, tasks);
  const test = flipped(values, unit, seed);
  const spread = tInterval(values, 1 - alpha);
  const general = values.length >= minTasks && spread !== null && spread.sd > rounding;
  return {
    count: values.length,
    better: values.filter((value) => value > 0).length,
    worse: values.filter((value) => value < 0).length,
    same: values.filter((value) => value === 0).length,
    p: Math.min(1, test.pTwoSided),
    exact: test.exact,
    interval: general ? spread.ci : null,
  };
}

/** The whole number of which every task's difference is a multiple of 1/n; null when it is too large. */
function latticeOf(
  cells: readonly FittingCell[],
  tasks: ReadonlyMap<string, readonly number[]>,
): number | null {
  const trials = cells.flatMap(({ arm, control }) =>
    [arm.a, arm.b, ...(control === null ? [] : [control.a, control.b])].map(({ graded }) => graded),
  );
  const [inCells, inTasks] = [lcmOf(trials), lcmOf([...tasks.values()].map((of) => of.length))];
  const unit = inCells === null || inTasks === null ? null : inCells * inTasks;
  return unit === null || unit > finest ? null : unit;
}

function flipped(values: readonly number[], unit: number | null, seed: number): SignFlip {
  if (unit === null) return signFlipReal(values, seed);
  const totals = values.map((value) => Math.round(value * unit));
  const reach = totals.reduce((sum, total) => sum + Math.abs(total), 0);
  return reach <= widest
    ? signFlip(totals.map((total) => fraction(total, unit)))
    : signFlipReal(values, seed);
}

function weighted(treated: Tally, control: Tally, weight: number): WeightedCell {
  return {
    treated: { k: treated.passed, n: treated.graded },
    control: { k: control.passed, n: control.graded },
    weight,
  };
}

function known<T>(value: T | null): T {
  if (value === null) throw new RangeError("cells: none, or one without a verdict");
  return value;
}

export function rateOf({ passed, graded }: Tally): number {
  return passed / graded;
}

export function taskOf({ skill, benchmark }: Pick<FittingCell, "skill" | "benchmark">): string {
  return JSON.stringify([skill, benchmark]);
}

function countOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Least common multiple; null once it is beyond `finest`. */
function lcmOf(counts: readonly number[]): number | null {
  let all = 1;
  for (const count of new Set(counts)) {
    let [large, small] = [all, count];
    while (small !== 0) [large, small] = [small, large % small];
    all = (all / large) * count;
    if (all > finest) return null;
  }
  return all;
}
