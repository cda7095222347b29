import { type Fraction, fraction } from "../statistics/fraction.ts";
import type { WeightedCell } from "../statistics/weighted-interval.ts";
import { groupBy } from "./group-by.ts";
import type { Pair } from "./pairs.ts";

/**
 * What a mean gives one vote each. `cells`: benchmark × model (big skills weigh more) · `tasks`: models averaged inside
 * the task · `skills`: tasks averaged inside the skill as well.
 */
export type Averaging = "cells" | "tasks" | "skills";

/** One task, or one skill, and its mean uplift. */
export type Unit = {
  readonly skill: string;
  readonly benchmark: string | null;
  readonly value: number;
  /** The same on the lattice of all units; null when that is too fine to count on. */
  readonly exact: Fraction | null;
};

/** Finer lattices take too long to convolve; then sign vectors are drawn. */
const finest = 1_000_000;
/** A mean of fractions this small is what rounding left of 0. */
const rounding = 1e-12;

/** Share of every pair in the mean, in the order given; they add up to 1. */
function weightsOf(pairs: readonly Pair[], averaging: Averaging): readonly number[] {
  if (averaging === "cells") return pairs.map(() => 1 / pairs.length);
  const models = countOf(pairs.map(taskOf));
  if (averaging === "tasks") return pairs.map((pair) => 1 / (models.size * (models.get(taskOf(pair)) ?? 0)));
  const tasks = countOf(groupBy(pairs, taskOf).map(([first]) => first.skill));
  return pairs.map((pair) => {
    const inSkill = (tasks.get(pair.skill) ?? 0) * (models.get(taskOf(pair)) ?? 0);
    return 1 / (tasks.size * inSkill);
  });
}

export function weightedCells(pairs: readonly Pair[], averaging: Averaging): readonly WeightedCell[] {
  const weights = weightsOf(pairs, averaging);
  return pairs.map(({ treated, control }, at) => ({
    treated: { k: treated.passed, n: treated.graded },
    control: { k: control.passed, n: control.graded },
    weight: weights[at] ?? 0,
  }));
}

/** Units of usable pairs. Also of `cells` the unit is the task: its models met the same task. */
export function unitsOf(pairs: readonly Pair[], averaging: Averaging): readonly Unit[] {
  const tasks = groupBy(pairs, taskOf);
  const skills = groupBy(tasks, ([{ skill }]) => skill);
  const perSkill = averaging === "skills" ? skills.map((group) => group.length) : [];
  const trials = lcmOf(pairs.flatMap(({ treated, control }) => [treated.graded, control.graded]));
  const inTask = lcmOf(tasks.map((group) => group.length));
  const inSkill = lcmOf(perSkill);
  const unit = trials === null || inTask === null || inSkill === null ? null : trials * inTask * inSkill;
  const fine = unit === null || unit > finest ? null : unit;
  if (averaging !== "skills")
    return tasks.map((group) =>
      unitOf([group], fine, { skill: group[0].skill, benchmark: group[0].benchmark }),
    );
  return skills.map((group) => unitOf(group, fine, { skill: group[0][0].skill, benchmark: null }));
}

/** Mean over tasks of the mean over their models. */
function unitOf(
  tasks: readonly (readonly Pair[])[],
  unit: number | null,
  name: Pick<Unit, "skill" | "benchmark">,
): Unit {
  if (unit === null) {
    const value = meanOver(tasks, (task) => meanOver(task, upliftOf));
    return { ...name, value: Math.abs(value) < rounding ? 0 : value, exact: null };
  }
  let total = 0;
  for (const task of tasks) {
    for (const { treated, control } of task) {
      const share = unit / (tasks.length * task.length);
      total += (treated.passed * share) / treated.graded - (control.passed * share) / control.graded;
    }
  }
  const exact = fraction(Math.round(total), unit);
  return { ...name, value: exact.numerator / unit, exact };
}

export function upliftOf({ treated, control }: Pair): number {
  return treated.passed / treated.graded - control.passed / control.graded;
}

function taskOf({ skill, benchmark }: Pair): string {
  return JSON.stringify([skill, benchmark]);
}

function countOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function meanOver<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0) / values.length;
}

/** Least common multiple; null once it is finer than can be counted on. */
function lcmOf(counts: readonly number[]): number | null {
  let all = 1;
  for (const count of new Set(counts)) {
    all = (all / gcd(all, count)) * count;
    if (all > finest) return null;
  }
  return all;
}

function gcd(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small !== 0) [large, small] = [small, large % small];
  return large;
}
