import type { AnalysisSettings } from "../artefacts/analysis.ts";
import { ceilingOf } from "./check-figures-leaves.ts";
import { type Ends, normalEnds, type Spread, spreadOf, tEnds, within } from "./recount-intervals.ts";
import type { DrawnMeans } from "./recount-intervals-draws.ts";
import { flippedChances, mostTried, triedChances } from "./recount-intervals-flips.ts";
import { type Chances, shuffledChances, signOf } from "./recount-intervals-p.ts";
import { normalAt } from "./recount-intervals-quantiles.ts";
import {
  type ArmPair,
  average,
  sharesOf,
  stepsOf,
  upliftIn,
  type Vote,
  type Votes,
  votesOf,
} from "./recount-intervals-units.ts";

/** A question's figures, with the p that decides; those of its family are added later. */
export type Tested = Chances & {
  readonly p: number;
  readonly pJoint: number;
  readonly pAdjusted: number | null;
  readonly pHelps: number | null;
};

/** Both questions about the pairs of a row, named as the report names them. */
export type Evidence = {
  readonly uplift: number;
  readonly set: Tested & Readonly<Record<string, unknown>>;
  readonly tasks: Tested & Readonly<Record<string, unknown>>;
};

/** `means` of null leaves the bootstrap out. */
type Asked = { readonly settings: AnalysisSettings; readonly means: DrawnMeans | null };

/** Null without a pair. Every pair has a graded trial in both arms. */
export function evidenceAgain(pairs: readonly ArmPair[], votes: Votes, asked: Asked): Evidence | null {
  if (pairs.length === 0) return null;
  const shares = sharesOf(pairs, votes);
  const uplift = pairs.reduce((sum, pair, at) => sum + (shares[at] ?? NaN) * upliftIn(pair), 0);
  return {
    uplift,
    set: setAgain(pairs, { shares, uplift, ...asked }),
    tasks: tasksAgain(pairs, votes, asked),
  };
}

function setAgain(
  pairs: readonly ArmPair[],
  { shares, uplift, settings }: Asked & { readonly shares: readonly number[]; readonly uplift: number },
): Evidence["set"] {
  const standardError = errorOf(pairs, shares);
  const { alpha, delta, sides, power } = settings;
  const target = Math.max(Math.abs(uplift), delta);
  const z = normalAt(1 - alpha / sides) + normalAt(power);
  const trials = average(pairs.map(({ treated, control }) => (treated.graded + control.graded) / 2));
  return {
    ...tested(shuffledChances(pairs), settings),
    ...marginOf(within(normalEnds(uplift, standardError, 1 - 2 * marginLevel(settings))), delta),
    interval: within(normalEnds(uplift, standardError, 1 - alpha)),
    standardError,
    needed: { target, trialsPerArm: ceilingOf(trials * ((z * standardError) / target) ** 2) },
  };
}

/**
 * √(Σ w²·(1/n + 1/n′)·σ²), σ² the mean over arms with at least two trials of the variance that those show, and of two
 * arms more of ¼. A sum of squared differences of passes and failures gives it: k·(n − k)/(n·(n − 1)).
 */
export function errorOf(pairs: readonly ArmPair[], shares: readonly number[]): number {
  let [variances, arms] = [0.5, 2];
  let squares = 0;
  for (const [at, { treated, control }] of pairs.entries()) {
    squares += (shares[at] ?? NaN) ** 2 * (1 / treated.graded + 1 / control.graded);
    for (const { passed, graded } of [treated, control]) {
      if (graded < 2) continue;
      const rate = passed / graded;
      variances += (passed * (1 - rate) ** 2 + (graded - passed) * rate ** 2) / (graded - 1);
      arms += 1;
    }
  }
  return Math.sqrt((variances / arms) * squares);
}

function tasksAgain(pairs: readonly ArmPair[], votes: Votes, { settings, means }: Asked): Evidence["tasks"] {
  const { alpha, sides, delta, minTasks, bootstrap } = settings;
  const units = votesOf(pairs, votes);
  const values = units.map(({ value }) => value);
  const spread = spreadOf(values);
  const isAlike = spread === null || spread.sd < 1e-9;
  const informative = isAlike || values.length < minTasks ? null : spread;
  const { chances, exact } = signsOf(pairs, { units, votes, seed: bootstrap.seed });
  const mean = average(values);
  return {
    ...tested(chances, settings),
    toward: signOf(mean * values.length),
    ...marginOf(informative === null ? null : tEnds(informative, 1 - 2 * marginLevel(settings)), delta),
    interval: informative === null ? null : within(tEnds(informative, 1 - alpha)),
    unit: votes === "skills" ? "skill" : "task",
    count: values.length,
    better: values.filter((value) => value > 0).length,
    worse: values.filter((value) => value < 0).length,
    same: values.filter((value) => value === 0).length,
    ...{ mean, sd: spread?.sd ?? null },
    smallestP: Math.min(1, sides / 2 ** values.length),
    exact,
    bootstrap: informative === null ? null : (means?.ends(values) ?? null),
    uninformative: isAlike,
    needed: isAlike ? null : tasksNeeded(spread, mean, settings),
  };
}

function tasksNeeded(
  { sd }: Spread,
  mean: number,
  { alpha, sides, delta, power }: AnalysisSettings,
): unknown {
  const target = Math.max(Math.abs(mean), delta);
  const z = normalAt(1 - alpha / sides) + normalAt(power);
  return { target, tasks: ceilingOf(((z * sd) / target) ** 2) };
}

/** In steps where they can be counted so; else every choice of signs, or drawn ones. */
function signsOf(
  pairs: readonly ArmPair[],
  { units, votes, seed }: { readonly units: readonly Vote[]; readonly votes: Votes; readonly seed: number },
): { readonly chances: Chances; readonly exact: boolean } {
  const steps = stepsOf(pairs, units, votes);
  if (steps !== null) return { chances: flippedChances(steps), exact: true };
  const values = units.map(({ value }) => value);
  const exact = values.filter((value) => value !== 0).length <= mostTried;
  return { chances: triedChances(values, seed), exact };
}

function tested(chances: Chances, { sides, midP }: AnalysisSettings): Tested {
  const ofTwo = midP ? chances.midPTwoSided : chances.pTwoSided;
  const ofOne = midP ? chances.midPGreater : chances.pGreater;
  const p = sides === 2 ? ofTwo : ofOne;
  return { ...chances, p, pJoint: p, pAdjusted: null, pHelps: null };
}

/** Equal within ±δ when the interval lies inside, not worse when its lower end does. */
function marginOf(ends: Ends | null, delta: number): Readonly<Record<string, unknown>> {
  if (ends === null) return { marginInterval: null, equivalent: false, notWorse: false };
  const notWorse = ends[0] > -delta;
  return { marginInterval: within(ends), equivalent: notWorse && ends[1] < delta, notWorse };
}

function marginLevel({ alpha, marginAlpha }: AnalysisSettings): number {
  return marginAlpha ?? alpha;
}
