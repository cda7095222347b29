import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { KeptSections, SectionEffect } from "../artefacts/section-map.ts";
import type { CellCount, Count } from "./cell-counts.ts";
import type { Figures } from "./figures.ts";

type Arms = ReadonlyMap<string, Count>;
/** By benchmark, then by model. */
type Counts = Map<string, Map<string, Arms>>;

const whole = "with_skill";

/** Passes behind every section's uplift and ablation, from the cells that were counted again, by what was kept of the sections. */
export function recountSections(
  cells: readonly CellCount[],
  kept: readonly KeptSections[],
  plan: Pick<Plan, "benchmarks" | "leaky" | "analysis">,
  figures: Figures,
): void {
  const against = plan.analysis?.comparisons.find(({ arm }) => arm === whole)?.against ?? "without_skill";
  for (const { skill, sections, ablations } of kept) {
    const counts = countsOf(cells, skill, plan);
    for (const { name, tokens, benchmarks, file, endLine } of sections) {
      const path = ["sections", skill, name];
      figures.set([...path, "tokens"], tokens);
      if (benchmarks.length > 0) setEffect([...path, "uplift"], pick(counts, benchmarks), against, figures);
      let least: { readonly arm: string; readonly cut: number } | null = null;
      for (const { arm, cuts } of ablations) {
        const isGone = (of: string, line: number): boolean =>
          cuts.some((cut) => cut.file === of && line >= cut.fromLine && line <= cut.toLine);
        const cut = sections.filter((other) => isGone(other.file, other.endLine)).length;
        if (isGone(file, endLine) && (least === null || cut < least.cut)) least = { arm, cut };
      }
      if (least === null) continue;
      setEffect([...path, "ablation", "all"], counts, least.arm, figures);
      if (benchmarks.length > 0)
        setEffect([...path, "ablation", "own"], pick(counts, benchmarks), least.arm, figures);
    }
  }
}

function countsOf(
  cells: readonly CellCount[],
  skill: string,
  { benchmarks, leaky }: Pick<Plan, "benchmarks" | "leaky">,
): Counts {
  const givesAway = (id: string): boolean =>
    benchmarks.some(
      (one) => one.skill === skill && one.benchmark === id && one.leaks.some((kind) => kind !== "told"),
    );
  const counts: Counts = new Map();
  for (const { skill: its, benchmark, model, arms } of cells) {
    if (its !== skill || (leaky === "exclude" && givesAway(benchmark))) continue;
    const models = counts.get(benchmark) ?? new Map<string, Arms>();
    counts.set(benchmark, models.set(model, arms));
  }
  return counts;
}

function pick(counts: Counts, benchmarks: readonly string[]): Counts {
  return new Map([...counts].filter(([benchmark]) => benchmarks.includes(benchmark)));
}

/** Mean over benchmarks of the mean over the models that have both arms graded. */
function setEffect(path: readonly string[], counts: Counts, against: string, figures: Figures): void {
  const sums = { with: { passed: 0, graded: 0, planned: 0 }, without: { passed: 0, graded: 0, planned: 0 } };
  const means: number[] = [];
  for (const models of counts.values()) {
    const differences: number[] = [];
    for (const arms of models.values()) {
      const [more, less] = [arms.get(whole), arms.get(against)];
      if (more === undefined || less === undefined) continue;
      add(sums.with, more);
      add(sums.without, less);
      if (more.graded > 0 && less.graded > 0)
        differences.push(more.passed / more.graded - less.passed / less.graded);
    }
    if (differences.length > 0) means.push(meanOf(differences));
  }
  setFigures(path, { difference: means.length === 0 ? null : meanOf(means), ...sums }, figures);
}

function add(sum: Count, { passed, graded, planned }: Count): void {
  sum.passed += passed;
  sum.graded += graded;
  sum.planned += planned;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The same figures as a report states them. */
export function setSectionFigures({ sections: maps }: Report, figures: Figures): void {
  for (const { skill, sections } of maps) {
    for (const { name, tokens, uplift, ablation } of sections) {
      const path = ["sections", skill, name];
      figures.set([...path, "tokens"], tokens);
      if (uplift !== null) setFigures([...path, "uplift"], uplift, figures);
      if (ablation === null) continue;
      setFigures([...path, "ablation", "all"], ablation.all, figures);
      if (ablation.own !== null) setFigures([...path, "ablation", "own"], ablation.own, figures);
    }
  }
}

function setFigures(
  path: readonly string[],
  effect: Pick<SectionEffect, "difference" | "with" | "without">,
  figures: Figures,
): void {
  figures.set([...path, "difference"], effect.difference);
  for (const side of ["with", "without"] as const) {
    for (const name of ["passed", "graded", "planned"] as const)
      figures.set([...path, side, name], effect[side][name]);
  }
}
