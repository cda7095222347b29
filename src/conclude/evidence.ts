import type {
  AnalysisSettings,
  Evidence,
  SetEvidence,
  Tested,
  TasksEvidence,
} from "../artefacts/analysis.ts";
import { mean, percentileInterval } from "../statistics/bootstrap.ts";
import { resampledMeans } from "../statistics/resampled-means.ts";
import { normalQuantile } from "../statistics/distributions.ts";
import type { Interval } from "../statistics/rate-intervals.ts";
import { requiredTasks } from "../statistics/required-tasks.ts";
import { type SignFlip, signFlip, signFlipReal } from "../statistics/sign-flip.ts";
import { type StratifiedPermutation, stratifiedPermutation } from "../statistics/stratified-permutation.ts";
import { equivalence, tInterval } from "../statistics/t-interval.ts";
import { normalInterval, weightedUplift } from "../statistics/weighted-interval.ts";
import type { Pair } from "./pairs.ts";
import { type Averaging, type Unit, unitsOf, weightedCells } from "./units.ts";

/** Rounding of sums, in passes. */
const rounding = 1e-9;
/** Totals of a convolution, per task, beyond which drawing sign vectors is quicker. */
const widest = 100_000;

/** Both questions about usable pairs; null without one. `resamples` 0 leaves the bootstrap out. */
export function evidenceOf(
  pairs: readonly Pair[],
  averaging: Averaging,
  { settings, resamples }: { readonly settings: AnalysisSettings; readonly resamples: number },
): Evidence | null {
  if (pairs.length === 0) return null;
  const weighted = weightedUplift(weightedCells(pairs, averaging));
  if (weighted === null) throw new RangeError("pairs: an arm without a verdict has no uplift");
  const { uplift, standardError } = weighted;
  return {
    uplift,
    set: setEvidence(pairs, { uplift, standardError, settings }),
    tasks: tasksEvidence(unitsOf(pairs, averaging), { averaging, settings, resamples }),
  };
}

function setEvidence(
  pairs: readonly Pair[],
  { uplift, standardError, settings }: Pick<SetEvidence, "standardError"> & WithSettings & { uplift: number },
): SetEvidence {
  const test = permuted(pairs);
  // The observed total counts in both tails.
  const midPGreater = (1 + test.pGreater - test.pLess) / 2;
  return {
    ...tested({ ...test, midPGreater }, settings),
    toward: signOf(test.withPassTotal - test.expectedUnderNull, rounding),
    ...margins(normalInterval(uplift, standardError, 1 - 2 * marginAlphaOf(settings)), settings.delta),
    interval: clipped(normalInterval(uplift, standardError, 1 - settings.alpha)),
    standardError,
    needed: trialsNeeded(pairs, { uplift, standardError, settings }),
  };
}

/** Micro and macro means of the same pairs share this test, which takes seconds over ten thousand cells. */
const known = new WeakMap<readonly Pair[], StratifiedPermutation>();

function permuted(pairs: readonly Pair[]): StratifiedPermutation {
  const test =
    known.get(pairs) ??
    stratifiedPermutation(
      pairs.map(({ treated, control }) => ({
        withPass: treated.passed,
        withN: treated.graded,
        withoutPass: control.passed,
        withoutN: control.graded,
      })),
    );
  known.set(pairs, test);
  return test;
}

type WithSettings = { readonly settings: AnalysisSettings };

/** The set's variance falls with the number of trials, so the wanted one tells that number. */
function trialsNeeded(
  pairs: readonly Pair[],
  { uplift, standardError, settings }: Pick<SetEvidence, "standardError"> & WithSettings & { uplift: number },
): SetEvidence["needed"] {
  const target = Math.max(Math.abs(uplift), settings.delta);
  const z = normalQuantile(1 - settings.alpha / settings.sides) + normalQuantile(settings.power);
  const trials = mean(pairs.map(({ treated, control }) => (treated.graded + control.graded) / 2));
  return { target, trialsPerArm: Math.ceil(trials * ((z * standardError) / target) ** 2) };
}

function tasksEvidence(
  units: readonly Unit[],
  { averaging, settings, resamples }: WithSettings & { averaging: Averaging; resamples: number },
): TasksEvidence {
  const { alpha, sides, delta, minTasks, power, bootstrap } = settings;
  const values = units.map(({ value }) => value);
  const test = flipped(units, bootstrap.seed);
  const spread = tInterval(values, 1 - alpha);
  const uninformative = spread === null || spread.sd < rounding;
  // Fewer than minTasks have no interval that covers what it says, and equal values none at all.
  const general = values.length >= minTasks && !uninformative;
  const target = Math.max(Math.abs(mean(values)), delta);
  const needed = uninformative ? null : requiredTasks(values, { delta: target, alpha, power, sides });
  const margin = general ? (equivalence(values, delta, marginAlphaOf(settings))?.ci ?? null) : null;
  return {
    ...tested(test, settings),
    toward: signOf(
      values.reduce((sum, value) => sum + value, 0),
      rounding,
    ),
    ...margins(margin, delta),
    interval: general ? clipped(spread.ci) : null,
    unit: averaging === "skills" ? "skill" : "task",
    count: values.length,
    better: values.filter((value) => value > 0).length,
    worse: values.filter((value) => value < 0).length,
    same: values.filter((value) => value === 0).length,
    mean: mean(values),
    sd: spread?.sd ?? null,
    smallestP: Math.min(1, sides * 2 ** -values.length),
    exact: test.exact,
    bootstrap: general && resamples > 0 ? bootstrapped(values, { ...bootstrap, resamples, alpha }) : null,
    uninformative,
    needed: needed === null ? null : { target, tasks: needed.tasks },
  };
}

function flipped(units: readonly Unit[], seed: number): SignFlip {
  const exact = units.flatMap((unit) => unit.exact ?? []);
  const reach = exact.reduce((sum, { numerator }) => sum + Math.abs(numerator), 0);
  if (exact.length === units.length && reach <= widest) return signFlip(exact);
  return signFlipReal(
    units.map(({ value }) => value),
    seed,
  );
}

function bootstrapped(
  values: readonly number[],
  { resamples, seed, alpha }: { resamples: number; seed: number; alpha: number },
): Interval | null {
  return percentileInterval(resampledMeans(values, resamples, seed), 1 - alpha);
}

type Shares = Pick<Tested, "pTwoSided" | "pGreater" | "midPTwoSided" | "midPGreater">;

function tested(
  shares: Shares,
  { sides, midP }: AnalysisSettings,
): Shares & Pick<Tested, "p" | "pJoint" | "pAdjusted" | "pHelps"> {
  const within = (share: number): number => Math.min(1, Math.max(0, share));
  const pTwoSided = within(shares.pTwoSided);
  const pGreater = within(shares.pGreater);
  const midPTwoSided = within(shares.midPTwoSided);
  const midPGreater = within(shares.midPGreater);
  const [ofTwo, ofOne] = midP ? [midPTwoSided, midPGreater] : [pTwoSided, pGreater];
  const p = sides === 2 ? ofTwo : ofOne;
  return { pTwoSided, pGreater, midPTwoSided, midPGreater, p, pJoint: p, pAdjusted: null, pHelps: null };
}

/** Two one-sided tests against ±`delta`, read off the interval at 1 − 2α. */
function margins(
  interval: Interval | null,
  delta: number,
): Pick<Tested, "marginInterval" | "equivalent" | "notWorse"> {
  if (interval === null) return { marginInterval: null, equivalent: false, notWorse: false };
  const [low, high] = interval;
  return {
    marginInterval: clipped(interval),
    equivalent: low > -delta && high < delta,
    notWorse: low > -delta,
  };
}

function marginAlphaOf({ alpha, marginAlpha }: AnalysisSettings): number {
  return marginAlpha ?? alpha;
}

/** No difference of rates lies beyond ±1, whatever a formula for any kind of value gives over few tasks. */
function clipped([low, high]: Interval): Interval {
  return [Math.max(-1, low), Math.min(1, high)];
}

function signOf(value: number, nought: number): -1 | 0 | 1 {
  if (Math.abs(value) <= nought) return 0;
  return value > 0 ? 1 : -1;
}
