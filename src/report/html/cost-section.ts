import * as Plot from "@observablehq/plot";
import type { ArmUsage, Report } from "../../artefacts/report.ts";
import type { Tally } from "../../artefacts/tally.ts";
import { type Anchors, linked } from "./anchors.ts";
import { armsOf } from "./arms-of.ts";
import { grouped, meanWords, ofGraded, percent, usd } from "./figures.ts";
import { foreign, shortened } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { drawing } from "./svg.ts";
import { longTable, type TableCell } from "./table.ts";

/** One skill × model × arm: what a trial costs, and how many pass. */
export type Priced = {
  readonly usage: ArmUsage;
  readonly tally: Tally;
  /** Mean US dollars of a trial, mean tokens of a trial; null where nobody told. */
  readonly dollars: number | null;
  readonly tokens: number | null;
};

const mostPoints = 120;

export function pricedOf({ usage, cells }: Pick<Report, "usage" | "cells">): readonly Priced[] {
  const tallies = new Map<string, Tally>();
  for (const { skill, model, arms } of cells) {
    for (const [arm, tally] of Object.entries(arms)) {
      if (tally === undefined) continue;
      const key = JSON.stringify([skill, model, arm]);
      const { passed, graded, planned } = tallies.get(key) ?? { passed: 0, graded: 0, planned: 0 };
      const sum = {
        passed: passed + tally.passed,
        graded: graded + tally.graded,
        planned: planned + tally.planned,
      };
      tallies.set(key, sum);
    }
  }
  return usage.map((row) => {
    const tally = tallies.get(JSON.stringify([row.skill, row.model, row.arm])) ?? {
      passed: 0,
      graded: 0,
      planned: 0,
    };
    const { inputTokens, outputTokens, costUsd } = row;
    const tokens =
      inputTokens.mean === null || outputTokens.mean === null ? null : inputTokens.mean + outputTokens.mean;
    return { usage: row, tally, dollars: costUsd.mean, tokens };
  });
}

/** Cost against pass rate; where nobody told a cost, tokens stand for it and the words say so. */
export function costSection(report: Report, anchors: Anchors): Markup {
  const priced = pricedOf(report);
  // Stand-ins cost nothing: a chart of zeros says nothing.
  const byCost = priced.some(({ dollars }) => dollars !== null && dollars > 0);
  const drawn = priced.filter((row) => row.tally.graded > 0 && (byCost ? row.dollars : row.tokens) !== null);
  const what = byCost ? "Mean cost of a trial in US dollars" : "Mean tokens of a trial";
  const absent = byCost ? "" : "No trial told a cost above 0, so tokens stand in its place. ";
  const shown = drawn.slice(0, mostPoints);
  const few =
    shown.length < drawn.length
      ? ` ${shown.length} of ${drawn.length} points shown; all are in the table.`
      : "";
  const words = `${absent}One mark per skill, model and arm (${drawn.length} of ${priced.length} have both figures); up and to the left is better. A mark says its skill, model and figures when it is pointed at; the table below says them too.${few}`;
  return html`
    <section aria-labelledby="cost">
      <h2 id="cost">Cost against pass rate</h2>
      ${
        shown.length === 0
          ? html`<p>Unavailable: no arm has both a graded trial and a trial that told its cost or tokens.</p>`
          : html`<figure class="figure" id="scatter">
              <figcaption>
                <strong>${`${what}, against the share of graded trials that passed`}</strong>${words}
              </figcaption>
              ${legend(armsOf(report))}
              <div class="scroll" role="region" aria-label="Scatter plot of cost and pass rate" tabindex="0">
                ${scatter(shown, armsOf(report), byCost, what)}
              </div>
            </figure>`
      }
      ${priced.length === 0 ? null : pricedTable(priced, anchors)}
    </section>
  `;
}

const symbols = ["circle", "diamond", "triangle", "square", "star", "wye", "cross"] as const;
const tones = 7;

/** Shape and colour of an arm; a seventh arm begins anew, and titles name each mark's arm in any case. */
function lookOf(arms: readonly string[], arm: string): { symbol: (typeof symbols)[number]; colour: string } {
  const at = Math.max(0, arms.indexOf(arm));
  return { symbol: symbols[at % symbols.length] ?? "circle", colour: `var(--s${at % tones})` };
}

/** Outlines of the same shapes as the marks have. */
const outlines: Readonly<Record<(typeof symbols)[number], string>> = {
  circle: "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0",
  diamond: "M0,-6.5L3.8,0L0,6.5L-3.8,0Z",
  triangle: "M0,-6L5.4,3.6L-5.4,3.6Z",
  square: "M-4.5,-4.5H4.5V4.5H-4.5Z",
  star: "M0,-7L1.6,-2.2L6.6,-2.2L2.6,0.8L4.1,5.6L0,2.7L-4.1,5.6L-2.6,0.8L-6.6,-2.2L-1.6,-2.2Z",
  wye: "M1.7,1V4.7H-1.7V1L-5,-1L-3.3,-4L0,-2L3.3,-4L5,-1Z",
  cross: "M-6,-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z",
};

function legend(arms: readonly string[]): Markup {
  return html`<ul class="legend">
    ${arms.map((arm) => {
      const { symbol, colour } = lookOf(arms, arm);
      return html`<li>
        <svg viewBox="-7 -7 14 14" aria-hidden="true"><path d=${outlines[symbol]} fill=${colour} /></svg
        >${arm}
      </li>`;
    })}
  </ul>`;
}

function scatter(rows: readonly Priced[], arms: readonly string[], byCost: boolean, what: string): Markup {
  const valueOf = ({ dollars, tokens }: Priced): number => (byCost ? dollars : tokens) ?? 0;
  const most = Math.max(...rows.map(valueOf));
  const write = byCost ? usd : grouped;
  const titleOf = (row: Priced): string =>
    `${nameOf(row.usage)}, ${row.usage.arm}: ${write(valueOf(row))} per trial, ${ofGraded(row.tally)} passed`;
  const place = { x: valueOf, y: ({ tally }: Priced) => tally.passed / tally.graded };
  return drawing({
    label: `Scatter plot, ${what.toLowerCase()} against pass rate: ${rows.length} marks. The same values are in the table below it.`,
    width: 720,
    options: {
      ...{
        height: 380,
        marginLeft: 56,
        marginBottom: 44,
        marginRight: 30,
        marginTop: 30,
        style: { fontSize: "13px" },
      },
      x: {
        domain: [0, most === 0 ? 1 : most * 1.12],
        label: `${what} →`,
        ticks: 6,
        tickFormat: (value: number) => write(value),
      },
      y: {
        domain: [0, 1],
        label: "↑ Passed",
        ticks: 5,
        tickFormat: (value: number) => `${(value * 100).toFixed(0)} %`,
      },
      symbol: { type: "identity" },
      marks: [
        Plot.gridY({ ticks: 5, stroke: "var(--hair)", strokeOpacity: 1 }),
        Plot.ruleY([0], { stroke: "var(--rule)" }),
        Plot.dot(rows, {
          ...place,
          ...{ r: 6, stroke: "var(--paper)", strokeWidth: 1, className: "value" },
          symbol: ({ usage }: Priced) => lookOf(arms, usage.arm).symbol,
          fill: ({ usage }: Priced) => lookOf(arms, usage.arm).colour,
          title: titleOf,
        }),
        Plot.text(apart(rows, valueOf, most), {
          ...place,
          ...{ dx: 10, textAnchor: "start", fontSize: 11.5, fill: "var(--muted)" },
          text: ({ usage }: Priced) => shortened(usage.model, 22),
        }),
      ],
    },
  });
}

/** Marks with room for their model's name beside them; all others say it when they are pointed at. */
function apart(rows: readonly Priced[], valueOf: (row: Priced) => number, most: number): readonly Priced[] {
  // Shares of the axes that a name takes.
  const [wide, high] = [0.24, 0.05];
  const named: Priced[] = [];
  const placed = rows.map((row) => ({
    row,
    x: valueOf(row) / (most || 1),
    y: row.tally.passed / row.tally.graded,
  }));
  for (const { row, x, y } of placed) {
    const near = placed.some(
      (other) =>
        other.row !== row && Math.abs(other.y - y) < high && other.x - x > -wide / 4 && other.x - x < wide,
    );
    if (!near) named.push(row);
  }
  return named;
}

function nameOf({ skill, model }: ArmUsage): string {
  return `${foreign(skill)} with ${foreign(model)}`;
}

function pricedTable(priced: readonly Priced[], anchors: Anchors): Markup {
  const rows = priced.map(({ usage, tally }): TableCell[] => [
    linked(foreign(usage.skill), anchors.skill(usage.skill)),
    foreign(usage.model),
    usage.arm,
    tally.graded === 0 ? "unavailable" : percent(tally.passed / tally.graded),
    ofGraded(tally),
    meanWords(usage.costUsd, usd),
    meanWords(usage.inputTokens, grouped),
    meanWords(usage.cachedInputTokens, grouped),
    meanWords(usage.outputTokens, grouped),
    meanWords(usage.modelCalls, (value) => grouped(value, 1)),
    meanWords(usage.toolCalls, (value) => grouped(value, 1)),
    meanWords(usage.peakContextTokens, grouped),
  ]);
  const figures = [
    "pass rate",
    "passed",
    "cost",
    "input tokens",
    "of them cached",
    "output tokens",
    "model calls",
    "tool calls",
    "peak context",
  ];
  const columns = [
    { words: "skill", kind: "name" },
    { words: "model", kind: "name" },
    { words: "arm" },
    ...figures.map((words) => ({ words, kind: "num" }) as const),
  ] as const;
  return html`<details>
    <summary>
      ${`Means per trial as a table: ${rows.length} rows, with the trials that told each figure`}
    </summary>
    ${longTable({ label: "Means per trial of each skill, model and arm", columns, rows })}
  </details>`;
}
