import type { Tally } from "../../artefacts/tally.ts";
import type { Report } from "../../artefacts/report.ts";
import { type Anchors, linked } from "./anchors.ts";
import { armsOf } from "./arms-of.ts";
import { ofGraded } from "./figures.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { longTable, type TableCell } from "./table.ts";

/** Benchmark × model × arm: how many of how many passed, as a bar and in figures, each with a link to its trials. */
export function passGrid(report: Report, anchors: Anchors): Markup {
  const arms = armsOf(report);
  const rows = report.cells.map((cell): TableCell[] => [
    linked(`${foreign(cell.skill)}/${foreign(cell.benchmark)}`, anchors.cell(cell)),
    foreign(cell.model),
    ...arms.map((arm) => gridCell(cell.arms[arm], arm, anchors.arm(cell, arm))),
  ]);
  const columns = [
    { words: "benchmark", kind: "name" },
    { words: "model", kind: "name" },
    ...arms.map((arm) => ({ words: arm })),
  ] as const;
  const words = `Passed of graded trials in ${report.cells.length} benchmark × model cells and ${arms.length} arm(s). Where trials have no verdict, the planned number stands in brackets. A figure leads to its trials.`;
  return html`
    <section aria-labelledby="grid">
      <h2 id="grid">Pass grid</h2>
      <p>${words}</p>
      ${
        rows.length === 0
          ? html`<p>The plan has no cell.</p>`
          : longTable({ label: "Passed trials per benchmark, model and arm", columns, rows })
      }
    </section>
  `;
}

function gridCell(tally: Tally | undefined, arm: string, id: string | null): TableCell {
  if (tally === undefined) return html`<span class="muted">not planned</span>`;
  const treated = arm === "without_skill" ? "bar" : "bar treated";
  const share = tally.graded === 0 ? 0 : (100 * tally.passed) / tally.graded;
  const inside = html`<span class=${treated} aria-hidden="true"
      ><i style=${`width:${share.toFixed(1)}%`}></i
    ></span>
    <span class="of">${ofGraded(tally)}</span>`;
  return id === null
    ? html`<span class="grid-cell">${inside}</span>`
    : html`<a class="grid-cell" href=${`#${id}`}>${inside}</a>`;
}
