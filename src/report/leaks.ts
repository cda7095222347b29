import type { LeakyHandling, PlannedBenchmark } from "../artefacts/plan.ts";
import type { Cell, Report } from "../artefacts/report.ts";
import { points, rate } from "./headline.ts";
import { pool } from "./uplift.ts";

/** What the figures are taken over, and what is said about the rest. */
export type Counted = {
  /** Cells that the pooled figures are the mean of. */
  readonly cells: readonly Cell[];
  readonly leaks: Report["leaks"];
};

/**
 * Names the benchmarks in which the gate found leaks, and takes those out of the figures that give their answer or the
 * skill's how away, if asked to. An answer that the skill itself tells (`told`) is marked and stays: there the skill does
 * its work, if a cheap one.
 */
export function countedCells(
  cells: readonly Cell[],
  benchmarks: readonly PlannedBenchmark[],
  handling: LeakyHandling,
): Counted {
  const marked = benchmarks.filter(({ leaks }) => leaks.length > 0);
  const leaky = marked.filter(isLeaky);
  const without = cellsWithout(cells, leaky);
  return {
    cells: handling === "exclude" ? without : cells,
    leaks: {
      handling,
      benchmarks: marked.map(({ skill, benchmark, leaks }) => ({
        skill,
        benchmark,
        kinds: leaks,
        leftOut: handling === "exclude" && isLeaky({ leaks }),
      })),
      without: leaky.length === 0 ? null : pool(without),
      withoutTold: marked.length === leaky.length ? null : pool(cellsWithout(cells, marked)),
    },
  };
}

/** Whether a benchmark gives the how or an answer away; what the skill itself tells is no such leak. */
export function isLeaky({ leaks }: Pick<PlannedBenchmark, "leaks">): boolean {
  return leaks.some((kind) => kind !== "told");
}

function cellsWithout(cells: readonly Cell[], benchmarks: readonly PlannedBenchmark[]): readonly Cell[] {
  return cells.filter(
    (cell) =>
      !benchmarks.some(({ skill, benchmark }) => skill === cell.skill && benchmark === cell.benchmark),
  );
}

/** For the headline; empty when nothing is left out. */
export function leftOutWords({ benchmarks }: Report["leaks"]): string {
  const names = benchmarks
    .filter(({ leftOut }) => leftOut)
    .map(({ skill, benchmark }) => `${skill}/${benchmark}`);
  return names.length === 0 ? "" : ` Left out as leaky: ${names.join(", ")}.`;
}

type Renderers = {
  readonly table: (header: readonly string[], rows: readonly (readonly string[])[]) => string;
};

/** Empty where the gate found none. */
export function leaksSection(
  { leaks, pooled }: Pick<Report, "leaks" | "pooled">,
  { table }: Renderers,
): string {
  if (leaks.benchmarks.length === 0) return "";
  const rows = leaks.benchmarks.map(({ skill, benchmark, kinds, leftOut }) => [
    `${skill}/${benchmark}`,
    kinds.map((kind) => meanings[kind]).join("; "),
    leftOut ? "left out" : "counted",
  ]);
  const figures: readonly (readonly [string, Report["pooled"] | null])[] = [
    ["counted in this report", pooled],
    ["without those that give the how or an answer away", leaks.without],
    ["without any in this list", leaks.withoutTold],
  ];
  const uplifts = figures.flatMap(([words, uplift]) =>
    uplift === null
      ? []
      : [
          [
            words,
            uplift.uplift === null ? "unavailable" : points(uplift.uplift),
            rate(uplift.with),
            rate(uplift.without),
            String(uplift.cells),
          ],
        ],
  );
  return [
    "## Leaks",
    "What the gate found in benchmarks that task, fixtures and skill should not have in common.",
    table(["benchmark", "leak", "figures"], rows),
    table(["benchmarks", "uplift", "with", "without", "cells"], uplifts),
  ].join("\n\n");
}

const meanings: Readonly<Record<PlannedBenchmark["leaks"][number], string>> = {
  how: "the task says the skill's how",
  answer: "an expected value stands in task or fixtures",
  reference: "a part of the reference stands in the fixtures",
  told: "the skill tells an answer word for word",
};
