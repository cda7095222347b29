import type { AnalysisRow, AnalysisSettings, Comparison } from "../artefacts/analysis.ts";
import type { Tally } from "../artefacts/tally.ts";
import type { DrawnMeans } from "./recount-intervals-draws.ts";
import { type Evidence, evidenceAgain } from "./recount-intervals-evidence.ts";
import { type ArmPair, grouped, tasksOf, type Votes } from "./recount-intervals-units.ts";

/** Trials of every arm on one benchmark × model. */
export type ArmCell = Pick<ArmPair, "skill" | "benchmark" | "model"> & {
  readonly arms: ReadonlyMap<string, Tally>;
};

/** A row of an analysis, made again; all members that a report's has. */
export type RowAgain = Pick<
  AnalysisRow,
  "level" | "skill" | "model" | "taskClass" | "comparison" | "role" | "tasksPlanned" | "noiseFloor"
> & {
  readonly evidence: Evidence | null;
  readonly imputed: { readonly against: Evidence | null; readonly inFavour: Evidence | null } | null;
  readonly placeboRan: boolean;
  readonly counts: Readonly<Record<string, unknown>>;
};

export type Compared = Comparison & { readonly role: AnalysisRow["role"] };

/** What the plan's settings compare, where the cells have both arms: no pair of arms twice, the first role counts. */
export function comparedIn(cells: readonly ArmCell[], settings: AnalysisSettings): readonly Compared[] {
  const { comparisons, placebo } = settings;
  const arms = [...new Set(cells.flatMap((cell) => [...cell.arms.keys()]))];
  const wanted: readonly Compared[] = [
    ...comparisons.map(({ arm, against }): Compared => ({ arm, against, role: "primary" })),
    ...(placebo === null
      ? []
      : [
          ...comparisons.map(({ arm }): Compared => ({ arm, against: placebo, role: "placebo" })),
          ...comparisons.map(({ against }): Compared => ({ arm: placebo, against, role: "nothing" })),
        ]),
    // An arm with an @ repeats the one before it.
    ...arms.map((arm): Compared => ({ arm, against: arm.replace(/@.*$/s, ""), role: "again" })),
  ];
  return wanted.filter(
    ({ arm, against }, at) =>
      arm !== against &&
      arms.includes(arm) &&
      arms.includes(against) &&
      wanted.findIndex((one) => one.arm === arm && one.against === against) === at,
  );
}

/** Cells that plan both arms. */
export function pairsOf(cells: readonly ArmCell[], { arm, against }: Comparison): readonly ArmPair[] {
  return cells.flatMap(({ skill, benchmark, model, arms }) => {
    const [treated, control] = [arms.get(arm), arms.get(against)];
    return treated === undefined || control === undefined
      ? []
      : [{ skill, benchmark, model, treated, control }];
  });
}

export function isGraded({ treated, control }: Pick<ArmPair, "treated" | "control">): boolean {
  return treated.graded > 0 && control.graded > 0;
}

type Scope = Pick<AnalysisRow, "level" | "skill" | "model"> & { readonly pairs: readonly ArmPair[] };

const votesAt: Readonly<Record<AnalysisRow["level"], Votes>> = {
  "skill-model": "tasks",
  class: "tasks",
  skill: "tasks",
  model: "cells",
  micro: "cells",
  macro: "skills",
};

/** Rows of one comparison, without what others give them. */
export function rowsAgain(
  cells: readonly ArmCell[],
  { role, ...comparison }: Compared,
  { settings, means }: { readonly settings: AnalysisSettings; readonly means: DrawnMeans },
): readonly RowAgain[] {
  return scopesOf(pairsOf(cells, comparison)).map(({ pairs, ...scope }) => {
    const graded = pairs.filter(isGraded);
    const ask = (some: readonly ArmPair[], drawn: DrawnMeans | null): Evidence | null =>
      evidenceAgain(some, votesAt[scope.level], { settings, means: drawn });
    const isWhole = pairs.every(({ treated, control }) =>
      [treated, control].every((tally) => tally.graded === tally.planned),
    );
    const tasksPlanned = tasksOf(pairs).length;
    return {
      ...{ ...scope, taskClass: null, comparison, role, tasksPlanned, placeboRan: false, noiseFloor: null },
      evidence: ask(graded, means),
      imputed: isWhole
        ? null
        : { against: ask(pairs.map(worst), null), inFavour: ask(pairs.map(best), null) },
      counts: {
        ...{ cellsPlanned: pairs.length, cells: graded.length, tasksPlanned, tasks: tasksOf(graded).length },
        uniformCells: graded.filter(isUniform).length,
        ...{ treated: summed(pairs, "treated"), control: summed(pairs, "control") },
      },
    };
  });
}

function scopesOf(pairs: readonly ArmPair[]): readonly Scope[] {
  if (pairs.length === 0) return [];
  const rows = (
    level: AnalysisRow["level"],
    nameOf: (pair: ArmPair) => Pick<Scope, "skill" | "model">,
  ): readonly Scope[] =>
    grouped(pairs, (pair) => JSON.stringify(nameOf(pair))).flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : [{ level, ...nameOf(first), pairs: group }];
    });
  const none = { skill: null, model: null };
  return [
    ...rows("skill-model", ({ skill, model }) => ({ skill, model })),
    ...rows("skill", ({ skill }) => ({ skill, model: null })),
    ...rows("model", ({ model }) => ({ skill: null, model })),
    ...rows("micro", () => none),
    ...rows("macro", () => none),
  ];
}

/** Every trial without a verdict counted against the arm, and for its control. */
function worst(pair: ArmPair): ArmPair {
  return { ...pair, treated: settled(pair.treated, false), control: settled(pair.control, true) };
}

function best(pair: ArmPair): ArmPair {
  return { ...pair, treated: settled(pair.treated, true), control: settled(pair.control, false) };
}

function settled({ passed, graded, planned }: Tally, asPassed: boolean): Tally {
  return { passed: asPassed ? planned - (graded - passed) : passed, graded: planned, planned };
}

function isUniform({ treated, control }: ArmPair): boolean {
  const failed = treated.graded - treated.passed + control.graded - control.passed;
  return failed === 0 || treated.passed + control.passed === 0;
}

function summed(pairs: readonly ArmPair[], side: "treated" | "control"): Tally {
  const sum = { passed: 0, graded: 0, planned: 0 };
  for (const { [side]: tally } of pairs) {
    sum.passed += tally.passed;
    sum.graded += tally.graded;
    sum.planned += tally.planned;
  }
  return sum;
}
