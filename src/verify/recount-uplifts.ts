import type { Plan } from "../artefacts/plan.ts";
import type { CellCount, Count } from "./cell-counts.ts";
import type { Figures } from "./figures.ts";

const treatment = "with_skill";
const control = "without_skill";

export function setCell({ skill, benchmark, model, arms }: CellCount, figures: Figures): void {
  const path = ["cells", skill, benchmark, model];
  for (const [arm, count] of arms) setCount([...path, arm], count, figures);
  figures.set([...path, "uplift"], upliftOf(arms));
  figures.set([...path, "complete"], isComplete(arms) ? 1 : 0);
}

function setCount(path: readonly string[], { passed, graded, planned }: Count, figures: Figures): void {
  figures.set([...path, "passed"], passed);
  figures.set([...path, "graded"], graded);
  figures.set([...path, "planned"], planned);
}

function upliftOf(arms: CellCount["arms"]): number | null {
  const [treated, controlled] = [arms.get(treatment), arms.get(control)];
  if (treated === undefined || controlled === undefined) return null;
  if (treated.graded === 0 || controlled.graded === 0) return null;
  return treated.passed / treated.graded - controlled.passed / controlled.graded;
}

function isComplete(arms: CellCount["arms"]): boolean {
  return [treatment, control].every((arm) => {
    const count = arms.get(arm);
    return count !== undefined && count.planned > 0 && count.planned === count.graded;
  });
}

/** Over all cells, and by skill, model and both; leaky benchmarks as the plan has it. */
export function setUplifts(
  cells: readonly CellCount[],
  { benchmarks, leaky }: Pick<Plan, "benchmarks" | "leaky">,
  figures: Figures,
): void {
  const kindsOf = new Map(benchmarks.map(({ skill, benchmark, leaks }) => [`${skill}/${benchmark}`, leaks]));
  const leaksOf = ({ skill, benchmark }: CellCount) => kindsOf.get(`${skill}/${benchmark}`) ?? [];
  const givesAway = (cell: CellCount): boolean => leaksOf(cell).some((kind) => kind !== "told");
  const isCounted = (cell: CellCount): boolean => leaky === "include" || !givesAway(cell);
  const groups = new Map<string, { readonly path: readonly string[]; readonly counted: CellCount[] }>();
  for (const cell of cells) {
    const { skill, model } = cell;
    for (const path of [
      ["pooled"],
      ["perSkill", skill],
      ["perModel", model],
      ["perSkillAndModel", skill, model],
    ]) {
      const group = groups.get(JSON.stringify(path)) ?? { path, counted: [] };
      groups.set(JSON.stringify(path), group);
      // A skill or model all of whose cells are left out keeps its place.
      if (isCounted(cell)) group.counted.push(cell);
    }
  }
  for (const { path, counted } of groups.values()) setUplift(path, counted, figures);
  const marked = benchmarks.filter(({ leaks }) => leaks.length > 0);
  const told = marked.filter(({ leaks }) => leaks.every((kind) => kind === "told"));
  const plain = cells.filter((cell) => leaksOf(cell).length === 0);
  if (marked.length > told.length) {
    setUplift(
      ["leaks", "without"],
      cells.filter((cell) => !givesAway(cell)),
      figures,
    );
  }
  if (told.length > 0) setUplift(["leaks", "withoutTold"], plain, figures);
}

function setUplift(path: readonly string[], cells: readonly CellCount[], figures: Figures): void {
  const known = cells.map(({ arms }) => upliftOf(arms)).filter((uplift) => uplift !== null);
  let total = 0;
  for (const uplift of known) total += uplift;
  figures.set([...path, "uplift"], known.length === 0 ? null : total / known.length);
  figures.set([...path, "cells"], known.length);
  figures.set([...path, "completeCells"], cells.filter(({ arms }) => isComplete(arms)).length);
  for (const [name, arm] of [
    ["with", treatment],
    ["without", control],
  ] as const) {
    const sum: Count = { passed: 0, graded: 0, planned: 0 };
    for (const { arms } of cells) {
      const count = arms.get(arm);
      sum.passed += count?.passed ?? 0;
      sum.graded += count?.graded ?? 0;
      sum.planned += count?.planned ?? 0;
    }
    setCount([...path, name], sum, figures);
  }
}
