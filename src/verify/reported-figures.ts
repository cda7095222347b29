import type { Spending } from "../artefacts/ledger.ts";
import type { Report, Uplift } from "../artefacts/report.ts";
import type { Timings } from "../artefacts/timings.ts";
import type { Tally } from "../artefacts/tally.ts";
import { Figures } from "./figures.ts";
import { setSectionFigures } from "./recount-sections.ts";
import { honestyFigures } from "./recount-honesty.ts";

/** The figures of one cell, by the names that a recount gives them. */
export function addCell(
  { skill, benchmark, model, arms, uplift, complete }: Report["cells"][number],
  figures: Figures,
): void {
  const path = ["cells", skill, benchmark, model];
  for (const [arm, tally] of Object.entries(arms)) {
    if (tally !== undefined) addTally([...path, arm], tally, figures);
  }
  figures.set([...path, "uplift"], uplift);
  figures.set([...path, "complete"], complete ? 1 : 0);
}

/** The same of all that a report states beside its cells. */
export function figuresIn(report: Report): Figures {
  const figures = new Figures();
  const { trials, leaks } = report;
  for (const name of ["planned", "finished", "graded"] as const) figures.set(["trials", name], trials[name]);
  addUplift(["pooled"], report.pooled, figures);
  for (const row of report.perSkill) addUplift(["perSkill", row.skill], row, figures);
  for (const row of report.perModel) addUplift(["perModel", row.model], row, figures);
  for (const row of report.perSkillAndModel)
    addUplift(["perSkillAndModel", row.skill, row.model], row, figures);
  if (leaks.without !== null) addUplift(["leaks", "without"], leaks.without, figures);
  if (leaks.withoutTold !== null) addUplift(["leaks", "withoutTold"], leaks.withoutTold, figures);
  addMeans(report.usage, figures);
  addCircumstances(report, figures);
  setSectionFigures(report, figures);
  honestyFigures(report.honesty, figures);
  return figures;
}

/** The same of what this execution took. */
export function figuresOfTimings({ seconds, money }: Timings): Figures {
  const figures = new Figures();
  addMeans(seconds, figures);
  addSpending(["money", "all"], money.all, figures);
  for (const { role, spending } of money.roles) addSpending(["money", "role", role], spending, figures);
  for (const { arm, spending } of money.arms) addSpending(["money", "arm", arm], spending, figures);
  return figures;
}

function addUplift(path: readonly string[], uplift: Uplift, figures: Figures): void {
  figures.set([...path, "uplift"], uplift.uplift);
  figures.set([...path, "cells"], uplift.cells);
  figures.set([...path, "completeCells"], uplift.completeCells);
  addTally([...path, "with"], uplift.with, figures);
  addTally([...path, "without"], uplift.without, figures);
}

function addTally(path: readonly string[], { passed, graded, planned }: Tally, figures: Figures): void {
  figures.set([...path, "passed"], passed);
  figures.set([...path, "graded"], graded);
  figures.set([...path, "planned"], planned);
}

function addMeans(rows: Report["usage"] | Timings["seconds"], figures: Figures): void {
  for (const { skill, model, arm, ...means } of rows) {
    for (const [name, { mean, known, of }] of Object.entries(means)) {
      const path = ["usage", skill, model, arm, name];
      figures.set([...path, "mean"], mean);
      figures.set([...path, "known"], known);
      figures.set([...path, "of"], of);
    }
  }
}

/** Lists count by arm and cause, as a recount does. */
function addCircumstances(report: Report, figures: Figures): void {
  for (const { arm, stop, trials } of report.stops) figures.set(["stops", arm, stop], trials);
  for (const { arm, cause } of report.ungraded) figures.add(["ungraded", arm, cause], 1);
  for (const { arm, trials } of report.graderErrors) figures.set(["graderErrors", arm], trials);
  for (const { model, arm, lost, attempts } of report.voids) {
    figures.set(["voids", model, arm, "lost"], lost);
    figures.set(["voids", model, arm, "attempts"], attempts);
  }
  figures.set(["leftOut", "snapshots"], report.leftOut.snapshots);
  for (const { arm } of report.leftOut.trials) figures.add(["leftOut", arm], 1);
}

function addSpending(path: readonly string[], spending: Spending, figures: Figures): void {
  const { attempts, reportedNanoUsd, generationNanoUsd, estimatedNanoUsd, notCharged, unknown } = spending;
  const sums = {
    attempts,
    reported: reportedNanoUsd,
    generation: generationNanoUsd,
    estimated: estimatedNanoUsd,
    not_charged: notCharged,
    unknown: unknown.attempts,
    unknownUpTo: unknown.upToNanoUsd,
    unpriced: unknown.unpriced,
  };
  for (const [name, value] of Object.entries(sums)) figures.set([...path, name], value);
}
