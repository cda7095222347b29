import type { Report } from "../../artefacts/report.ts";
import type { Tally } from "../../artefacts/tally.ts";
import { ofGraded } from "./figures.ts";
import { html } from "./markup.ts";
import type { TableCell } from "./table.ts";
import type { TrialRow } from "./trial-row.ts";

type CellName = { readonly skill: string; readonly benchmark: string; readonly model: string };

/** Where on the page trials are listed; null where none of them is. Ids hold no name, since names are foreign text. */
export type Anchors = {
  /** The list of all of them. */
  readonly all: string | null;
  readonly skill: (skill: string) => string | null;
  readonly cell: (cell: CellName) => string | null;
  /** The first cell of a benchmark; those of other models follow it. */
  readonly benchmark: (skill: string, benchmark: string) => string | null;
  readonly arm: (cell: CellName, arm: string) => string | null;
};

export function anchorsOf({ cells }: Pick<Report, "cells">, trials: readonly TrialRow[]): Anchors {
  const listed = new Set(trials.map(({ planned }) => keyOf(planned)));
  const armsListed = new Set(trials.map(({ planned }) => JSON.stringify([keyOf(planned), planned.arm])));
  const skills = new Map<string, string>();
  const ids = new Map<string, string>();
  const benchmarks = new Map<string, string>();
  const arms = new Map<string, string>();
  for (const [at, cell] of cells.entries()) {
    const key = keyOf(cell);
    if (!listed.has(key)) continue;
    ids.set(key, `c${at}`);
    const benchmark = JSON.stringify([cell.skill, cell.benchmark]);
    if (!benchmarks.has(benchmark)) benchmarks.set(benchmark, `c${at}`);
    if (!skills.has(cell.skill)) skills.set(cell.skill, `s${skills.size}`);
    for (const [nth, arm] of Object.keys(cell.arms).entries()) {
      const both = JSON.stringify([key, arm]);
      if (armsListed.has(both)) arms.set(both, `c${at}-${nth}`);
    }
  }
  return {
    all: trials.length === 0 ? null : "trials",
    benchmark: (skill, benchmark) => benchmarks.get(JSON.stringify([skill, benchmark])) ?? null,
    skill: (skill) => skills.get(skill) ?? null,
    cell: (cell) => ids.get(keyOf(cell)) ?? null,
    arm: (cell, arm) => arms.get(JSON.stringify([keyOf(cell), arm])) ?? null,
  };
}

function keyOf({ skill, benchmark, model }: CellName): string {
  return JSON.stringify([skill, benchmark, model]);
}

/** Words that lead to `id` where that is on the page. */
export function linked(words: string, id: string | null): TableCell {
  return id === null ? words : html`<a href=${`#${id}`}>${words}</a>`;
}

/** `k of n` with a link to the trials that it counts. */
export function linkedTally(tally: Tally | undefined, id: string | null): TableCell {
  return tally === undefined ? "not planned" : linked(ofGraded(tally), id);
}
