import type { Report } from "../../artefacts/report.ts";
import type { Tally } from "../../artefacts/tally.ts";
import { type Anchors, linked } from "./anchors.ts";
import { armsOf } from "./arms-of.ts";
import { html, type Markup } from "./markup.ts";
import { dataTable, type TableCell } from "./table.ts";

export type ArmFunnel = {
  readonly arm: string;
  readonly planned: number;
  readonly finished: number;
  readonly graded: number;
  readonly passed: number;
};

/** What became of the planned trials of each arm; each number is part of the one before it. */
export function funnelOf(report: Pick<Report, "cells" | "usage">): readonly ArmFunnel[] {
  return armsOf(report).map((arm) => {
    const tallies = report.cells.flatMap(({ arms }): Tally[] => {
      const tally = arms[arm];
      return tally === undefined ? [] : [tally];
    });
    const sum = (of: (tally: Tally) => number): number =>
      tallies.reduce((total, tally) => total + of(tally), 0);
    return {
      arm,
      planned: sum(({ planned }) => planned),
      // Means are over finished trials, whatever those told.
      finished: report.usage.reduce((total, row) => total + (row.arm === arm ? row.modelCalls.of : 0), 0),
      graded: sum(({ graded }) => graded),
      passed: sum(({ passed }) => passed),
    };
  });
}

export function funnelSection(report: Report, anchors: Anchors): Markup {
  const rows = funnelOf(report).map(({ arm, planned, finished, graded, passed }): TableCell[] => [
    linked(arm, anchors.all),
    stage(planned, planned, arm),
    stage(finished, planned, arm),
    stage(graded, planned, arm),
    stage(passed, planned, arm),
  ]);
  const stages = ["planned", "finished", "graded", "passed"];
  const columns = [{ words: "arm" }, ...stages.map((words) => ({ words }))] as const;
  return html`
    <section aria-labelledby="funnel">
      <h2 id="funnel">From plan to verdict</h2>
      <p>
        What became of the planned trials of each arm. Arms that lose trials unevenly are not comparable;
        every trial without a verdict is named under <a href="#deviations">Deviations</a>.
      </p>
      ${
        rows.length === 0
          ? html`<p>No trial is planned.</p>`
          : dataTable({ label: "Trials planned, finished, graded and passed per arm", columns, rows })
      }
    </section>
  `;
}

function stage(count: number, planned: number, arm: string): TableCell {
  const share = planned === 0 ? 0 : (100 * count) / planned;
  const treated = arm === "without_skill" ? "bar wide" : "bar wide treated";
  return html`<span class="grid-cell"
    ><span class=${treated} aria-hidden="true"><i style=${`width:${share.toFixed(1)}%`}></i></span>
    <span>${`${count} of ${planned}`}</span></span
  >`;
}
