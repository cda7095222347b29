import type { Interval } from "./rate-intervals.ts";

/** Trials of one arm of a cell. `planned` ≥ `graded` ≥ `passed`. */
export type PlannedRate = { readonly passed: number; readonly graded: number; readonly planned: number };

/**
 * The mean uplift over cells when every trial without a verdict is imputed against the skill, and for it. Equal ends
 * when nothing is missing; null without a cell that plans both arms. Shows what missing trials could change at most.
 */
export function ungradedBounds(
  cells: readonly { readonly treated: PlannedRate; readonly control: PlannedRate }[],
): Interval | null {
  const planned = cells.filter(({ treated, control }) => treated.planned > 0 && control.planned > 0);
  if (planned.length === 0) return null;
  const mean = (uplift: (cell: (typeof planned)[number]) => number): number =>
    planned.reduce((sum, cell) => sum + uplift(cell), 0) / planned.length;
  return [
    mean(({ treated, control }) => least(treated) - most(control)),
    mean(({ treated, control }) => most(treated) - least(control)),
  ];
}

function least({ passed, planned }: PlannedRate): number {
  return passed / planned;
}

function most({ passed, graded, planned }: PlannedRate): number {
  return (passed + planned - graded) / planned;
}
