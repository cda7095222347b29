import type { Tally } from "../artefacts/tally.ts";

/** Two arms of one benchmark × model. */
export type ArmPair = {
  readonly skill: string;
  readonly benchmark: string;
  readonly model: string;
  readonly treated: Tally;
  readonly control: Tally;
};

/** What gives one vote each to a mean: cells, tasks, or skills. */
export type Votes = "cells" | "tasks" | "skills";

/** One task, or one skill. `steps`: its value in whole multiples of what all share; null where that is too fine. */
export type Vote = { readonly skill: string; readonly benchmark: string; readonly value: number };

/** What is below it is what rounding left of 0. */
const nothing = 1e-12;

export function upliftIn({ treated, control }: ArmPair): number {
  return treated.passed / treated.graded - control.passed / control.graded;
}

/** Groups in the order in which their first one came. */
export function grouped<T>(values: readonly T[], nameOf: (value: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = nameOf(value);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return [...groups.values()];
}

export function tasksOf(pairs: readonly ArmPair[]): readonly (readonly ArmPair[])[] {
  return grouped(pairs, ({ skill, benchmark }) => JSON.stringify([skill, benchmark]));
}

/** Each task with the mean over its models; each skill with the mean over its tasks, where skills vote. */
export function votesOf(pairs: readonly ArmPair[], votes: Votes): readonly Vote[] {
  const tasks = tasksOf(pairs).flatMap((task) => {
    const [first] = task;
    if (first === undefined) return [];
    return [{ skill: first.skill, benchmark: first.benchmark, value: average(task.map(upliftIn)) }];
  });
  const units = votes === "skills" ? grouped(tasks, ({ skill }) => skill).map(skillOf) : tasks;
  return units.map((unit) => (Math.abs(unit.value) < nothing ? { ...unit, value: 0 } : unit));
}

function skillOf(tasks: readonly Vote[]): Vote {
  return { skill: tasks[0]?.skill ?? "", benchmark: "", value: average(tasks.map(({ value }) => value)) };
}

export function average(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Finer than this is not counted in steps, and no more steps in all than that. */
const finest = 1_000_000;
const widest = 100_000;

/**
 * Values of votes in whole steps: one step is 1 over the product of the common multiples of trials, of models in a task
 * and of tasks in a skill. Null where that is beyond what the definition counts in steps.
 */
export function stepsOf(
  pairs: readonly ArmPair[],
  units: readonly Vote[],
  votes: Votes,
): readonly number[] | null {
  const tasks = tasksOf(pairs);
  const skills = grouped(tasks, (task) => task[0]?.skill ?? "");
  const step =
    multipleOf(pairs.flatMap(({ treated, control }) => [treated.graded, control.graded])) *
    multipleOf(tasks.map((task) => task.length)) *
    (votes === "skills" ? multipleOf(skills.map((skill) => skill.length)) : 1);
  if (!(step <= finest)) return null;
  const steps = units.map(({ value }) => Math.round(value * step));
  return steps.reduce((sum, one) => sum + Math.abs(one), 0) > widest ? null : steps;
}

/** Least common multiple; infinite once it is too fine. */
function multipleOf(counts: readonly number[]): number {
  let all = 1;
  for (const count of new Set(counts)) {
    let more = all;
    while (more % count !== 0 && more <= finest) more += all;
    if (more > finest) return Infinity;
    all = more;
  }
  return all;
}

/** Share of each pair in the mean: equal, or one over the number of groups around it, level by level. */
export function sharesOf(pairs: readonly ArmPair[], votes: Votes): readonly number[] {
  if (votes === "cells") return pairs.map(() => 1 / pairs.length);
  const tasks = tasksOf(pairs);
  const inSkill = new Map<string, number>();
  for (const [first] of tasks) {
    if (first !== undefined) inSkill.set(first.skill, (inSkill.get(first.skill) ?? 0) + 1);
  }
  const shares = new Map<ArmPair, number>();
  for (const task of tasks) {
    for (const pair of task) {
      const ofTask = votes === "tasks" ? tasks.length : inSkill.size * (inSkill.get(pair.skill) ?? NaN);
      shares.set(pair, 1 / ofTask / task.length);
    }
  }
  return pairs.map((pair) => shares.get(pair) ?? NaN);
}
