import type { Comparison } from "../../artefacts/analysis.ts";
import type { FurtherCell } from "../../artefacts/further.ts";
import type { Report } from "../../artefacts/report.ts";
import { type Anchors, linked, linkedTally } from "./anchors.ts";
import { pointsInterval, signedPoints } from "./figures.ts";
import { type CellName, cellNames } from "./cell-name.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { type ChartAxis, type ChartRow, mostRows, rowChart } from "./row-chart.ts";
import { chosenRows } from "./chosen-rows.ts";
import { longTable } from "./table.ts";

/** Forest plot of the uplift per benchmark and skill, one figure per comparison, each with its table. */
export function upliftSection(report: Report, anchors: Anchors): Markup {
  const { comparisons } = report.further;
  const nothing = html`<p>
    No uplift can be shown: the plan has no two arms that are held against each other, so there is no
    difference. The pass rates of each arm stand under Pass grid.
  </p>`;
  return html`
    <section aria-labelledby="uplift">
      <h2 id="uplift">Uplift, benchmark by benchmark</h2>
      ${comparisons.length === 0 ? nothing : comparisons.map((one, nth) => comparisonFigure(report, one, nth, anchors))}
    </section>
  `;
}

function comparisonFigure(report: Report, comparison: Comparison, nth: number, anchors: Anchors): Markup {
  const cells = report.further.cells.filter(({ comparison: own }) => same(own, comparison));
  const nameOf = cellNames(report);
  const rows = chosenRows(
    wholeRows(report, comparison),
    cells.map((cell) => ({
      skill: cell.skill,
      weight: Math.abs(cell.difference ?? 0),
      row: cellRow(cell, nameOf(cell)),
    })),
    mostRows,
  );
  const arms = `${comparison.arm} against ${comparison.against}`;
  const label =
    `Forest plot of uplift, ${arms}: ${rows.shown.length} rows, each with its interval. ` +
    "The same values are in the table below it.";
  const delta = report.conclusions?.settings.delta ?? null;
  const axis = axisOf(rows.shown, delta);
  return html`
    <figure class="figure" id=${`forest-${nth}`}>
      <figcaption>
        <strong
          >${`Pass rate of ${comparison.arm} minus pass rate of ${comparison.against}, in points`}</strong
        >
        ${`${nth === 0 ? howToRead(report.further.confidence, delta) : ""}${rows.words}`}
      </figcaption>
      <div class="scroll" role="region" aria-label=${`Forest plot, ${arms}`} tabindex="0">
        ${rowChart({ label, columns: ["with", "without"], axis, rows: rows.shown })}
      </div>
      ${upliftTable(cells, arms, anchors)}
    </figure>
  `;
}

/** Said once, under the first figure. */
function howToRead(confidence: number, delta: number | null): string {
  const band =
    delta === null
      ? ""
      : `The grey band is the margin of no meaningful difference, ±${(delta * 100).toFixed(0)} points. `;
  return (
    `Dots are single benchmarks with one model (Newcombe intervals, ${(100 * confidence).toFixed(0)} %); diamonds sum up a skill. ` +
    `A coloured diamond has an interval that does not touch zero; dots are never coloured, for of a single benchmark no conclusion is drawn. ${band}`
  );
}

function same(one: Comparison, other: Comparison): boolean {
  return one.arm === other.arm && one.against === other.against;
}

/** Bounds are multiples of a quarter, so that campaigns can be compared by eye. */
function axisOf(rows: readonly ChartRow[], delta: number | null): ChartAxis {
  const reached = rows.flatMap(({ value, interval }) => [value ?? 0, ...(interval ?? [])]).map(Math.abs);
  const bound = Math.min(1, Math.max(0.25, Math.ceil(Math.max(0, ...reached) * 4 - 1e-9) / 4));
  const ticks = [-1, -0.5, 0, 0.5, 1].map((part) => part * bound);
  return {
    ...{ type: "linear", better: "above", nothing: 0, domain: [-bound, bound], ticks, write: tickWords },
    sides: ["← worse", "better →"],
    band: delta === null ? null : [-delta, delta],
  };
}

function tickWords(value: number): string {
  return signedPoints(value).replace(".0", "");
}

/** Skills as the analysis sums them up, by the question that heads the conclusion; without a hypothesis the mean alone. */
function wholeRows(report: Report, comparison: Comparison): readonly { skill: string; row: ChartRow }[] {
  const { conclusions } = report;
  const analysed = (conclusions?.analysis.rows ?? []).filter(
    (row) => row.role === "primary" && row.level === "skill" && same(row.comparison, comparison),
  );
  return analysed.flatMap(({ skill, evidence, treated, control }) => {
    if (skill === null) return [];
    const concluded = conclusions?.rows.find(
      (row) => row.level === "skill" && row.skill === skill && same(row.comparison, comparison),
    );
    const question = concluded?.tasks == null ? "set" : "tasks";
    const name = foreign(skill);
    const row = rowOf({ shown: name, whole: name }, "whole", {
      ...{ treated, control, difference: evidence?.uplift ?? null },
      interval: evidence?.[question].interval ?? null,
    });
    return [{ skill, row }];
  });
}

function cellRow(cell: FurtherCell, name: CellName): ChartRow {
  return rowOf(name, "cell", cell);
}

type Figures = Pick<FurtherCell, "difference" | "interval"> & {
  readonly treated: { readonly passed: number; readonly graded: number };
  readonly control: { readonly passed: number; readonly graded: number };
};

function rowOf({ shown, whole }: CellName, kind: ChartRow["kind"], figures: Figures): ChartRow {
  const { treated, control, difference, interval } = figures;
  const counts = [treated, control].map(({ passed, graded }) => `${passed}/${graded}`);
  const told =
    difference === null
      ? "no verdict in an arm"
      : `${signedPoints(difference)}${interval === null ? "" : `  (${pointsInterval(interval)})`}`;
  const title = `${whole}: ${difference === null ? told : `${signedPoints(difference)} points, ${pointsInterval(interval)}`}; ${counts[0]} passed with, ${counts[1]} without`;
  return { name: shown, kind, counts, value: difference, interval, told, title };
}

function upliftTable(cells: readonly FurtherCell[], arms: string, anchors: Anchors): Markup {
  const rows = cells.map((cell) => [
    linked(`${foreign(cell.skill)}/${foreign(cell.benchmark)}`, anchors.cell(cell)),
    foreign(cell.model),
    signedPoints(cell.difference),
    pointsInterval(cell.interval),
    linkedTally(cell.treated, anchors.arm(cell, cell.comparison.arm)),
    linkedTally(cell.control, anchors.arm(cell, cell.comparison.against)),
  ]);
  const columns = [
    { words: "benchmark", kind: "name" },
    { words: "model", kind: "name" },
    { words: "uplift, points", kind: "num" },
    { words: "interval", kind: "num" },
    { words: "passed with", kind: "num" },
    { words: "passed without", kind: "num" },
  ] as const;
  return html`<details>
    <summary>
      ${`The same as a table: ${cells.length} benchmark × model cells, of none of which a conclusion is drawn`}
    </summary>
    ${longTable({ label: `Uplift per benchmark and model, ${arms}`, columns, rows })}
  </details>`;
}
