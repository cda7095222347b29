import type { Cell, Uplift } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import type { Arm } from "../artefacts/trial.ts";
import { groupBy } from "./group-by.ts";
import { outcomeOf, type TrialOnDisk } from "./outcome.ts";

const control: Arm = "without_skill";
const treatment: Arm = "with_skill";
const none: Tally = { passed: 0, graded: 0, planned: 0 };

export function tallyOf(entries: readonly TrialOnDisk[]): Tally {
  const graded = entries.map(outcomeOf).filter((outcome) => outcome.kind === "graded");
  return {
    passed: graded.filter((outcome) => outcome.passed).length,
    graded: graded.length,
    planned: entries.length,
  };
}

/** passed / graded as a fraction; null without a graded trial. */
export function passRate(tally: Tally): number | null {
  return tally.graded === 0 ? null : tally.passed / tally.graded;
}

/** One cell per skill × benchmark × model, in the order of the plan. */
export function cellsOf(entries: readonly TrialOnDisk[]): Cell[] {
  return groupBy(entries, ({ planned }) =>
    JSON.stringify([planned.skill, planned.benchmark, planned.model]),
  ).map(cellOf);
}

function cellOf(entries: readonly [TrialOnDisk, ...TrialOnDisk[]]): Cell {
  const { skill, benchmark, model } = entries[0].planned;
  const arms: Partial<Record<Arm, Tally>> = {};
  for (const group of groupBy(entries, ({ planned }) => planned.arm))
    arms[group[0].planned.arm] = tallyOf(group);
  const withSkill = arms[treatment] ?? none;
  const without = arms[control] ?? none;
  return {
    skill,
    benchmark,
    model,
    arms,
    uplift: difference(withSkill, without),
    complete: [withSkill, without].every((tally) => tally.planned > 0 && tally.graded === tally.planned),
  };
}

/** Null where an arm has no graded trial. */
export function difference(withSkill: Tally, without: Tally): number | null {
  const [treated, controlled] = [passRate(withSkill), passRate(without)];
  return treated === null || controlled === null ? null : treated - controlled;
}

/** Mean of the cells' uplifts (micro average over benchmark × model cells); cells without one are left out. */
export function pool(cells: readonly Cell[]): Uplift {
  const known = cells.flatMap((cell) => (cell.uplift === null ? [] : [cell.uplift]));
  return {
    uplift: known.length === 0 ? null : known.reduce((sum, uplift) => sum + uplift, 0) / known.length,
    cells: known.length,
    completeCells: cells.filter((cell) => cell.complete).length,
    with: sum(cells.map((cell) => cell.arms[treatment] ?? none)),
    without: sum(cells.map((cell) => cell.arms[control] ?? none)),
  };
}

/** All of them as one. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, tally) => ({
      passed: total.passed + tally.passed,
      graded: total.graded + tally.graded,
      planned: total.planned + tally.planned,
    }),
    none,
  );
}
