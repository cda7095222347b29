import type { Comparison } from "../artefacts/analysis.ts";
import { fewestPasses, fewestTasks } from "../artefacts/further.ts";
import { armsIn, bothIn, type FurtherCell, countsOf, type Scope, together } from "./recount-further-cells.ts";
import { middle } from "./recount-intervals.ts";
import { type Drawing, drawsOf } from "./recount-intervals-draws.ts";
import { grouped } from "./recount-intervals-units.ts";

/** Draws × tasks that are enough of them, and draws that there are at least. */
const enough = 500_000;
const fewest = 1000;

type Bill = { readonly costUsd: number; readonly passes: number };
type Ends = readonly [number | null, number | null];

/** What each arm's finished trials cost, and a correct one of them. */
export function costRows({ skill, model, cells }: Scope, drawing: Drawing): readonly unknown[] {
  return armsIn(cells).map((arm) => ({ skill, model, arm, ...costOf(cells, arm, drawing) }));
}

function costOf(
  cells: readonly FurtherCell[],
  arm: string,
  drawing: Drawing,
): Readonly<Record<string, unknown>> {
  const counts = countsOf(cells, arm);
  const tally = together(counts);
  let [known, of, total] = [0, 0, 0];
  for (const { costUsd, finished } of counts) {
    known += costUsd.known;
    of += finished;
    total += costUsd.sum;
  }
  const row = { tally, known, of, totalUsd: null, perCorrectUsd: null, interval: null, resamples: 0 };
  if (known === 0 || known < of) return { ...row, kind: "unavailable" };
  const kind = tally.passed === 0 ? "unbounded" : tally.passed < fewestPasses ? "counts_only" : "told";
  if (kind !== "told") return { ...row, kind, totalUsd: total };
  const bills = billsOf(cells, arm);
  const draws = drawsFor(bills.length, drawing);
  const prices = drawnPrices(bills, draws, drawing);
  const interval = endsOf(prices, bills.length, drawing.confidence);
  return { ...row, kind, totalUsd: total, perCorrectUsd: total / tally.passed, interval, resamples: draws };
}

/** By benchmark, its models together. */
function billsOf(cells: readonly FurtherCell[], arm: string): readonly Bill[] {
  return grouped(
    cells.filter(({ arms }) => arms.has(arm)),
    ({ benchmark }) => benchmark,
  ).map((task) => {
    const counts = countsOf(task, arm);
    return {
      costUsd: counts.reduce((sum, { costUsd }) => sum + costUsd.sum, 0),
      passes: together(counts).passed,
    };
  });
}

function drawsFor(tasks: number, { resamples }: Drawing): number {
  return Math.min(resamples, Math.max(fewest, Math.floor(enough / Math.max(1, tasks))));
}

function drawnPrices(bills: readonly Bill[], draws: number, { seed }: Drawing): Float64Array {
  const prices = new Float64Array(draws);
  let draw = 0;
  for (const places of drawsOf(bills.length, draws, seed)) {
    const { costUsd, passes } = drawnBill(bills, places);
    prices[draw++] = passes === 0 ? Infinity : costUsd / passes;
  }
  return prices;
}

function drawnBill(bills: readonly Bill[], places: Iterable<number>): Bill {
  let [costUsd, passes] = [0, 0];
  for (const place of places) {
    costUsd += bills[place]?.costUsd ?? NaN;
    passes += bills[place]?.passes ?? NaN;
  }
  return { costUsd, passes };
}

/** None of too few tasks, or where all draws are alike. */
function endsOf(values: Float64Array, tasks: number, confidence: number): Ends | null {
  if (values.length === 0 || tasks < fewestTasks) return null;
  const [low, high] = middle(values.sort(), confidence);
  if (Number.isFinite(low) && Number.isFinite(high) && high - low <= 1e-9 * high) return null;
  return [Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null];
}

/** Dollars per correct of the arm ÷ of its control, over the cells that plan both; nothing where none does. */
export function costRatioRows(
  { skill, model, cells }: Scope,
  comparison: Comparison,
  drawing: Drawing,
): readonly unknown[] {
  const both = bothIn(cells, comparison);
  if (both.length === 0) return [];
  const row = { skill, model, comparison };
  const { arm, against } = comparison;
  const [price, before] = [priceOf(both, arm), priceOf(both, against)];
  if (price === null || before === null || before === 0)
    return [{ ...row, ratio: null, interval: null, resamples: 0 }];
  const [bills, earlier] = [billsOf(both, arm), billsOf(both, against)];
  const draws = drawsFor(bills.length, drawing);
  const ratios = new Float64Array(draws);
  let draw = 0;
  for (const places of drawsOf(bills.length, draws, drawing.seed)) {
    const [now, then] = [drawnBill(bills, places), drawnBill(earlier, places)];
    ratios[draw++] = (now.costUsd * then.passes) / (then.costUsd * now.passes);
  }
  const isKnown = ratios.every((ratio) => !Number.isNaN(ratio));
  const interval = isKnown ? endsOf(ratios, bills.length, drawing.confidence) : null;
  return [{ ...row, ratio: price / before, interval, resamples: draws }];
}

/** Dollars per correct; null unless enough passed and all of them told what they cost. */
function priceOf(cells: readonly FurtherCell[], arm: string): number | null {
  const counts = countsOf(cells, arm);
  const { passed } = together(counts);
  const isTold = counts.every(({ costUsd, finished }) => costUsd.known === finished);
  const total = counts.reduce((sum, { costUsd }) => sum + costUsd.sum, 0);
  return isTold && passed >= fewestPasses ? total / passed : null;
}
