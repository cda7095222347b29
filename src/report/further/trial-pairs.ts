import type { Comparison } from "../../artefacts/analysis.ts";
import type { TrialPairs } from "../../artefacts/further.ts";
import { mcnemar } from "../../statistics/mcnemar.ts";
import { pairsOf, type Scope } from "./cell-trials.ts";

/**
 * Pairs the trials of a block: the same skill, benchmark, model and n in both arms. Null where the scope plans no pair.
 */
export function trialPairsOf({ skill, model, cells }: Scope, comparison: Comparison): TrialPairs | null {
  const pairs = pairsOf(cells, comparison);
  if (pairs.length === 0) return null;
  const counts = { bothPassed: 0, onlyTreatedPassed: 0, onlyControlPassed: 0, bothFailed: 0 };
  for (const { treated, control } of pairs) {
    const [passed, failed] = [new Set(control.passed), new Set(control.failed)];
    for (const n of treated.passed) {
      if (passed.has(n)) counts.bothPassed += 1;
      else if (failed.has(n)) counts.onlyTreatedPassed += 1;
    }
    for (const n of treated.failed) {
      if (passed.has(n)) counts.onlyControlPassed += 1;
      else if (failed.has(n)) counts.bothFailed += 1;
    }
  }
  const { onlyTreatedPassed, onlyControlPassed } = counts;
  const graded = Object.values(counts).reduce((total, one) => total + one, 0);
  const test = graded === 0 ? null : mcnemar(onlyTreatedPassed, onlyControlPassed);
  return {
    ...{ skill, model, comparison },
    pairs: graded,
    of: pairs.reduce(
      (total, pair) => total + Math.min(pair.treated.tally.planned, pair.control.tally.planned),
      0,
    ),
    ...counts,
    pExact: within(test?.pExact),
    pMid: within(test?.pMid),
  };
}

/** Rounding may leave a share by 1e−16. */
function within(p: number | undefined): number | null {
  return p === undefined ? null : Math.min(1, Math.max(0, p));
}
