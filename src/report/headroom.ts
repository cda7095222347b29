import type { HeadroomMark } from "../artefacts/headroom.ts";
import type { Cell } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import type { Arm } from "../artefacts/trial.ts";
import { sum } from "./uplift.ts";

/** Trials of one arm on one benchmark, all models together. */
export function tallyIn(
  cells: readonly Cell[],
  benchmark: { readonly skill: string; readonly id: string },
  arm: Arm,
): Tally {
  const its = cells.filter((cell) => cell.skill === benchmark.skill && cell.benchmark === benchmark.id);
  return sum(its.flatMap((cell) => cell.arms[arm] ?? []));
}

/**
 * The rule of a probe (`probeRule`). `treated` is null where trials with the skill were not made: then a benchmark
 * that no baseline trial passes is not decided yet.
 */
export function markOf(baseline: Tally, treated: Tally | null): HeadroomMark {
  if (baseline.passed > 0) {
    if (baseline.passed < baseline.graded) return "open";
    return isComplete(baseline) ? "ceiling" : "unknown";
  }
  if (treated !== null && treated.passed > 0) return "open";
  return isComplete(baseline) && treated !== null && isComplete(treated) ? "floor" : "unknown";
}

/** No baseline trial passed: only trials with the skill can tell a floor from room for it. */
export function needsTreated(baseline: Tally): boolean {
  return baseline.passed === 0 && baseline.graded > 0;
}

function isComplete({ graded, planned }: Tally): boolean {
  return planned > 0 && graded === planned;
}
