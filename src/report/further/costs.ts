import type { Comparison } from "../../artefacts/analysis.ts";
import { type Cost, type CostRatio, fewestPasses, fewestTasks } from "../../artefacts/further.ts";
import type { Arm } from "../../artefacts/trial.ts";
import { percentileInterval, resampled } from "../../statistics/bootstrap.ts";
import { costPerCorrect, type TaskCost } from "../../statistics/cost-per-correct.ts";
import { groupBy } from "../group-by.ts";
import { sum } from "../uplift.ts";
import { armsOf, type CellTrials, ofArm, pairsOf, type Scope } from "./cell-trials.ts";

/** Draws of tasks with return; the same for every row over so many tasks. */
export type Draws = {
  readonly over: (tasks: number) => readonly Uint32Array[];
  readonly confidence: number;
};

/** Draws × tasks beyond which there are fewer draws: of a thousand tasks each draw is steadier. */
const mostDrawn = 500_000;
const fewestResamples = 1000;
const rounding = 1e-9;
const drawless: Draws = { over: () => [], confidence: 0.95 };

export function drawsFrom(
  { resamples, seed }: { readonly resamples: number; readonly seed: number },
  confidence: number,
): Draws {
  const drawn = new Map<number, readonly Uint32Array[]>();
  const over = (tasks: number): readonly Uint32Array[] => {
    const affordable = Math.max(fewestResamples, Math.floor(mostDrawn / Math.max(1, tasks)));
    const number = Math.min(resamples, affordable);
    const draws =
      drawn.get(tasks) ?? Array.from(resampled(tasks, number, seed), (one) => Uint32Array.from(one));
    drawn.set(tasks, draws);
    return draws;
  };
  return { over, confidence };
}

export function costsOf({ skill, model, cells }: Scope, draws: Draws): readonly Cost[] {
  return armsOf(cells).map((arm) => ({ skill, model, arm, ...costOf(cells, arm, draws) }));
}

function costOf(cells: readonly CellTrials[], arm: Arm, draws: Draws): Omit<Cost, "skill" | "model" | "arm"> {
  const trials = ofArm(cells, arm);
  const tally = sum(trials.map((one) => one.tally));
  const known = trials.reduce((total, { costUsd }) => total + costUsd.known, 0);
  const of = trials.reduce((total, { finished }) => total + finished, 0);
  const counts = { tally, known, of };
  const none = { perCorrectUsd: null, interval: null, resamples: 0 };
  // Part of a bill over all passes would be too good a price.
  if (known === 0 || known < of) return { kind: "unavailable", ...counts, totalUsd: null, ...none };
  const tasks = taskCosts(cells, arm);
  const kind = kindOf(tally.passed);
  const told = kind === "told";
  const resamples = told ? draws.over(tasks.length) : [];
  const cost = costPerCorrect(tasks, resamples, draws.confidence);
  return {
    ...{ kind, ...counts, resamples: resamples.length },
    totalUsd: cost.totalCost,
    perCorrectUsd: told ? cost.costPerCorrect : null,
    interval: told && resamples.length > 0 ? informative(cost.ci, tasks.length) : null,
  };
}

type Ends = readonly [low: number | null, high: number | null];

/** None from tasks that are too few, or all alike: a point would look like certainty. */
function informative([low, high]: Ends, tasks: number): Ends | null {
  const point = low !== null && high !== null && high - low <= rounding * high;
  return tasks < fewestTasks || point ? null : [low, high];
}

function kindOf(passes: number): "unbounded" | "counts_only" | "told" {
  if (passes === 0) return "unbounded";
  return passes < fewestPasses ? "counts_only" : "told";
}

/** By benchmark, its models together. A trial that did not tell its cost counts nothing here. */
function taskCosts(cells: readonly CellTrials[], arm: Arm): readonly TaskCost[] {
  const planned = cells.filter(({ arms }) => arms.has(arm));
  return groupBy(planned, ({ benchmark }) => benchmark).map((task) => {
    const trials = ofArm(task, arm);
    return {
      costUsd: trials.reduce((total, { costUsd }) => total + costUsd.sum, 0),
      passes: trials.reduce((total, { tally }) => total + tally.passed, 0),
    };
  });
}

/**
 * Over cells that plan both arms; both arms of a task are drawn together. Null where the scope plans none. No ratio
 * without both prices, nor to a price of 0.
 */
export function costRatioOf(
  { skill, model, cells }: Scope,
  comparison: Comparison,
  draws: Draws,
): CostRatio | null {
  const pairs = pairsOf(cells, comparison);
  if (pairs.length === 0) return null;
  const row = { skill, model, comparison };
  const { arm, against } = comparison;
  const [treated, control] = [priceOf(pairs, arm), priceOf(pairs, against)];
  if (treated === null || control === null || control === 0)
    return { ...row, ratio: null, interval: null, resamples: 0 };
  const [withIt, without] = [taskCosts(pairs, arm), taskCosts(pairs, against)];
  const resamples = draws.over(withIt.length);
  const ratios = resamples.map((tasks) => ratioIn(tasks, withIt, without));
  const known = ratios.every((ratio) => !Number.isNaN(ratio));
  const interval = known ? percentileInterval(ratios, draws.confidence) : null;
  return {
    ...row,
    ratio: treated / control,
    interval:
      interval === null ? null : informative([bounded(interval[0]), bounded(interval[1])], withIt.length),
    resamples: resamples.length,
  };
}

function priceOf(cells: readonly CellTrials[], arm: Arm): number | null {
  return costOf(cells, arm, drawless).perCorrectUsd;
}

/** Infinity where only the arm is without a pass, 0 where only the control is, NaN where both are. */
function ratioIn(tasks: Uint32Array, treated: readonly TaskCost[], control: readonly TaskCost[]): number {
  let [cost, passes, costBefore, passesBefore] = [0, 0, 0, 0];
  for (const at of tasks) {
    cost += treated[at]?.costUsd ?? 0;
    passes += treated[at]?.passes ?? 0;
    costBefore += control[at]?.costUsd ?? 0;
    passesBefore += control[at]?.passes ?? 0;
  }
  return (cost * passesBefore) / (costBefore * passes);
}

function bounded(end: number): number | null {
  return Number.isFinite(end) ? end : null;
}
