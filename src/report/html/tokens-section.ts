import type { Comparison } from "../../artefacts/analysis.ts";
import type { FurtherCell, TokenRatioRow } from "../../artefacts/further.ts";
import type { Report } from "../../artefacts/report.ts";
import { type Anchors, linked } from "./anchors.ts";
import { type CellName, cellNames } from "./cell-name.ts";
import { chosenRows } from "./chosen-rows.ts";
import { grouped, meanWords, times, timesInterval } from "./figures.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { type ChartAxis, type ChartRow, mostRows, rowChart } from "./row-chart.ts";
import { longTable } from "./table.ts";

/** Dot plot of tokens per task relative to the control, on a logarithmic axis, one figure per comparison. */
export function tokensSection(report: Report, anchors: Anchors): Markup {
  const { comparisons } = report.further;
  return html`
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens, relative to the control</h2>
      ${
        comparisons.length === 0
          ? html`<p>Nothing to hold against: the plan has no two arms of a comparison.</p>`
          : comparisons.map((one, nth) => tokensFigure(report, one, nth, anchors))
      }
    </section>
  `;
}

function tokensFigure(report: Report, comparison: Comparison, nth: number, anchors: Anchors): Markup {
  const own = report.further.cells.filter((cell) => same(cell.comparison, comparison));
  const arms = `${comparison.arm} against ${comparison.against}`;
  const known = own.filter(({ tokens }) => tokens.ratio !== null && tokens.ratio > 0).length;
  if (known === 0) {
    return html`<p>
      ${`${arms}: unavailable. In none of ${own.length} benchmark × model cells did trials of both arms tell their tokens.`}
    </p>`;
  }
  const nameOf = cellNames(report);
  const rows = chosenRows(
    wholeRows(report.further.tokens, comparison),
    own.map((cell) => ({
      skill: cell.skill,
      weight: Math.abs(Math.log(cell.tokens.ratio ?? 1)),
      row: cellRow(cell, nameOf(cell)),
    })),
    mostRows,
  );
  const label = `Dot plot of tokens per task, ${arms}: ${rows.shown.length} rows. The same values are in the table below it.`;
  return html`
    <figure class="figure" id=${`tokens-${nth}`}>
      <figcaption>
        <strong>${`Mean tokens of a trial of ${comparison.arm} ÷ of ${comparison.against}`}</strong>
        ${`Input and output together, on a logarithmic axis. Dots are single benchmarks with one model (known in ${known} of ${own.length} cells); diamonds are the geometric mean over the tasks of a skill with a t interval on logarithms. ${rows.words}`}
      </figcaption>
      <div class="scroll" role="region" aria-label=${`Dot plot of tokens, ${arms}`} tabindex="0">
        ${rowChart({ label, columns: ["with", "without"], axis: axisOf(rows.shown), rows: rows.shown })}
      </div>
      ${tokensTable(own, arms, anchors)}
    </figure>
  `;
}

function same(one: Comparison, other: Comparison): boolean {
  return one.arm === other.arm && one.against === other.against;
}

/** Powers of two up to the furthest value, alike in both directions, at least 2. */
function axisOf(rows: readonly ChartRow[]): ChartAxis {
  const reached = rows.flatMap(({ value, interval }) => [value, ...(interval ?? [])]);
  const doublings = reached.flatMap((ratio) =>
    ratio === null || ratio <= 0 ? [] : [Math.abs(Math.log2(ratio))],
  );
  const bound = Math.min(8, Math.max(1, Math.ceil(Math.max(0, ...doublings) - 1e-9)));
  const step = bound > 3 ? 2 : 1;
  const powers = Array.from({ length: 2 * bound + 1 }, (_, at) => at - bound).filter(
    (power) => power % step === 0,
  );
  return {
    ...{
      type: "log",
      better: "below",
      nothing: 1,
      domain: [2 ** -bound, 2 ** bound],
      ticks: powers.map((power) => 2 ** power),
    },
    write: (value) => (value < 1 ? `1/${Math.round(1 / value)}×` : `${value}×`),
    sides: ["← fewer tokens", "more tokens →"],
    band: null,
  };
}

function wholeRows(
  ratios: readonly TokenRatioRow[],
  comparison: Comparison,
): readonly { skill: string; row: ChartRow }[] {
  return ratios
    .filter((row) => row.tokens === "total" && row.model === null && same(row.comparison, comparison))
    .map(({ skill, geometric, interval, tasks, of }) => {
      const told =
        geometric === null
          ? "unavailable"
          : `${times(geometric)}${interval === null ? "" : `  (${timesInterval(interval)})`}`;
      const name = foreign(skill);
      const title = `${name}: ${times(geometric)}, ${timesInterval(interval)}, over ${tasks} of ${of} tasks`;
      return {
        skill,
        row: {
          name,
          kind: "whole",
          counts: ["", `${tasks}/${of} tasks`],
          value: geometric,
          interval,
          told,
          title,
        },
      };
    });
}

function cellRow(cell: FurtherCell, { shown, whole }: CellName): ChartRow {
  const { treated, control, ratio } = cell.tokens;
  const counts = [treated, control].map(({ mean }) => (mean === null ? "unknown" : short(mean)));
  const title = `${whole}: ${times(ratio)}; ${meanWords(treated, grouped)} with, ${meanWords(control, grouped)} without`;
  return {
    name: shown,
    kind: "cell",
    counts,
    value: ratio === 0 ? null : ratio,
    interval: null,
    told: times(ratio),
    title,
  };
}

/** 12.3 k */
function short(tokens: number): string {
  if (tokens < 1000) return tokens.toFixed(0);
  return tokens < 1e6 ? `${(tokens / 1000).toFixed(1)} k` : `${(tokens / 1e6).toFixed(1)} M`;
}

function tokensTable(cells: readonly FurtherCell[], arms: string, anchors: Anchors): Markup {
  const rows = cells.map((cell) => [
    linked(`${foreign(cell.skill)}/${foreign(cell.benchmark)}`, anchors.cell(cell)),
    foreign(cell.model),
    times(cell.tokens.ratio),
    linked(meanWords(cell.tokens.treated, grouped), anchors.arm(cell, cell.comparison.arm)),
    linked(meanWords(cell.tokens.control, grouped), anchors.arm(cell, cell.comparison.against)),
  ]);
  const columns = [
    { words: "benchmark", kind: "name" },
    { words: "model", kind: "name" },
    { words: "ratio", kind: "num" },
    { words: "tokens with (trials)", kind: "num" },
    { words: "tokens without (trials)", kind: "num" },
  ] as const;
  return html`<details>
    <summary>${`The same as a table: ${cells.length} benchmark × model cells`}</summary>
    ${longTable({ label: `Tokens per benchmark and model, ${arms}`, columns, rows })}
  </details>`;
}
