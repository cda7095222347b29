import type { AnalysisSettings } from "./artefacts/analysis.ts";
import type { Cell } from "./artefacts/report.ts";
import type { Tally } from "./artefacts/tally.ts";
import { normalCdf } from "./statistics/distributions.ts";

/** What is assumed of the world before it is looked at. Fractions. */
export type Assumptions = {
  /** Pass rates of the control, one drawn per benchmark × model. */
  readonly baseline: readonly number[];
  /** Standard deviation of the true uplift between benchmarks, before pass rates are cut off at 0 and 1. */
  readonly spread: number;
  /** Where they come from, for people. */
  readonly words: string;
};

/** Half of what a pilot could say at the least, so that a rate of 0 of 3 is not taken for certain. */
const pseudo = 0.5;

/** Tasks differ: half of them in the middle, the others near either end. */
export const usualAssumptions: Assumptions = {
  baseline: [0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95],
  spread: 0.18,
  words:
    "no pilot: control pass rates from 5 to 95 %, true uplifts that differ by 18 points between benchmarks",
};

/** From the cells of an earlier campaign. Null when none of them has trials of both arms. */
export function assumptionsFrom(cells: readonly Cell[], settings: AnalysisSettings): Assumptions | null {
  const [comparison] = settings.comparisons;
  const pairs = cells.flatMap(({ arms }) => {
    const tallies = new Map<string, Tally | undefined>(Object.entries(arms));
    const treated = tallies.get(comparison?.arm ?? "");
    const control = tallies.get(comparison?.against ?? "");
    if (treated === undefined || control === undefined || treated.graded === 0 || control.graded === 0)
      return [];
    return [{ treated, control }];
  });
  if (pairs.length === 0) return null;
  const rate = ({ passed, graded }: Tally): number => passed / graded;
  const uplifts = pairs.map(({ treated, control }) => rate(treated) - rate(control));
  const mean = uplifts.reduce((sum, one) => sum + one, 0) / uplifts.length;
  const variance =
    uplifts.length < 2 ? 0 : uplifts.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (uplifts.length - 1);
  const noise =
    pairs.reduce((sum, { treated, control }) => sum + noiseOf(treated) + noiseOf(control), 0) / pairs.length;
  return {
    baseline: pairs.map(({ control }) => (control.passed + pseudo) / (control.graded + 2 * pseudo)),
    // The spread of what was seen, without what chance within a cell adds to it.
    spread: Math.sqrt(Math.max(0, variance - noise)),
    words: `${pairs.length} cells of the pilot`,
  };
}

/** Of a rate, estimated without bias where it can be. */
function noiseOf({ passed, graded }: Tally): number {
  if (graded < 2) return 0.25 / Math.max(1, graded);
  return (passed * (graded - passed)) / (graded * graded * (graded - 1));
}

/**
 * What has to be added to every benchmark's pass rate so that they rise by `uplift` on average: more than that, since
 * none goes beyond 0 and 1. Null for more than the control's failures leave room for.
 */
export function shiftFor(uplift: number, { baseline, spread }: Assumptions): number | null {
  const rises = (shift: number): number =>
    baseline.reduce((sum, rate) => sum + cutMean(rate + shift, spread) - rate, 0) / baseline.length;
  let [low, high] = [0, 1 + 5 * spread];
  if (rises(high) < uplift) return null;
  // With rates that cannot fall below 0 a spread alone lifts them.
  if (rises(low) > uplift) low = -high;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (rises(middle) < uplift) low = middle;
    else high = middle;
  }
  return high;
}

/** Mean of a normal distribution of which what lies below 0 counts as 0, and above 1 as 1. */
function cutMean(mean: number, sd: number): number {
  if (sd === 0) return Math.min(1, Math.max(0, mean));
  const [a, b] = [-mean / sd, (1 - mean) / sd];
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  return mean * (normalCdf(b) - normalCdf(a)) + sd * (density(a) - density(b)) + 1 - normalCdf(b);
}
