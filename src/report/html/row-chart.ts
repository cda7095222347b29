import * as Plot from "@observablehq/plot";
import type { VNode } from "preact";
import { shortened } from "./foreign.ts";
import { drawing } from "./svg.ts";

/** A row of a chart: a name, counts beside it, and a value with its interval on the axis. */
export type ChartRow = {
  readonly name: string;
  /** `whole` sums up the cells below it and is drawn as a diamond. */
  readonly kind: "whole" | "cell";
  /** As many as there are `columns`. */
  readonly counts: readonly string[];
  /** Null: nothing can be drawn, and `told` says why. */
  readonly value: number | null;
  readonly interval: readonly [number, number] | null;
  /** The value and its interval in words, at the right. */
  readonly told: string;
  /** Read out where the mark is pointed at: the row in one sentence. */
  readonly title: string;
};

export type ChartAxis = {
  readonly type: "linear" | "log";
  /** The side on which a treatment is better than its control. */
  readonly better: "above" | "below";
  /** Where nothing differs. */
  readonly nothing: number;
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly write: (value: number) => string;
  /** Words over both sides, `[left, right]`. */
  readonly sides: readonly [string, string];
  /** A band around `nothing` that means no meaningful difference. */
  readonly band: readonly [number, number] | null;
};

export type RowChart = {
  readonly label: string;
  readonly columns: readonly string[];
  readonly axis: ChartAxis;
  readonly rows: readonly ChartRow[];
};

/** Characters that a row's name has room for. */
export const longestName = 36;

/** More rows than that cannot be read; the words beside a chart say which ones it shows. */
export const mostRows = 60;

const width = 928;
const rowHeight = 24;
const countWidth = 74;
const right = 196;
const top = 52;

/** Names and counts at the left, marks on the axis, words at the right: rows that can be read across. */
export function rowChart({ label, columns, axis, rows }: RowChart): VNode {
  const left = 276 + countWidth * columns.length;
  const placed = rows.map((row, at) => ({ ...row, at: String(at), tone: toneOf(row, axis) }));
  return drawing({
    label,
    width,
    options: {
      height: top + rowHeight * rows.length + 12,
      marginLeft: left,
      marginRight: right,
      marginTop: top,
      marginBottom: 12,
      style: { fontSize: "13px" },
      x: { type: axis.type, domain: axis.domain, axis: null, clamp: true },
      y: { type: "band", domain: placed.map(({ at }) => at), axis: null, padding: 0 },
      marks: [...backdrop(axis), ...texts(placed, columns, left), ...values(placed, axis)],
    },
  });
}

type Placed = ChartRow & { readonly at: string; readonly tone: string };

/**
 * A colour only where an interval leaves out that nothing differs, and only for what sums up: of single cells one in
 * twenty would be coloured by chance. Position and words say the same.
 */
function toneOf({ kind, interval }: ChartRow, { nothing, better }: ChartAxis): string {
  const [above, below] = better === "above" ? ["var(--up)", "var(--down)"] : ["var(--down)", "var(--up)"];
  if (kind === "cell" || interval === null) return "var(--flat)";
  if (interval[0] > nothing) return above;
  return interval[1] < nothing ? below : "var(--flat)";
}

function backdrop({ band, ticks, nothing, write, sides }: ChartAxis): Plot.Markish[] {
  const ends = { fill: "var(--muted)", frameAnchor: "top", dy: -40 } as const;
  return [
    band === null
      ? null
      : Plot.rect([band], { x1: band[0], x2: band[1], fill: "var(--wash-flat)", className: "band" }),
    Plot.ruleX(ticks, { stroke: "var(--hair)" }),
    Plot.ruleX([nothing], { stroke: "var(--muted)" }),
    Plot.text(ticks, {
      x: (tick: number) => tick,
      text: (tick: number) => write(tick),
      frameAnchor: "top",
      dy: -16,
      fill: "var(--muted)",
      className: "ticks",
    }),
    Plot.text([sides[0]], {
      ...ends,
      text: (words: string) => words,
      x: nothing,
      dx: -12,
      textAnchor: "end",
    }),
    Plot.text([sides[1]], {
      ...ends,
      text: (words: string) => words,
      x: nothing,
      dx: 12,
      textAnchor: "start",
    }),
  ];
}

function texts(rows: readonly Placed[], columns: readonly string[], left: number): Plot.Markish[] {
  const line = { y: "at", fill: "currentColor" } as const;
  const wholes = rows.filter(({ kind }) => kind === "whole");
  const cells = rows.filter(({ kind }) => kind === "cell");
  const name = ({ name: words }: ChartRow): string => shortened(words, longestName);
  return [
    Plot.text(wholes, {
      ...line,
      frameAnchor: "left",
      dx: -left,
      textAnchor: "start",
      text: name,
      fontWeight: 650,
    }),
    Plot.text(cells, { ...line, frameAnchor: "left", dx: 14 - left, textAnchor: "start", text: name }),
    ...columns.flatMap((column, nth) => {
      const dx = -30 - countWidth * (columns.length - 1 - nth);
      const place = { frameAnchor: "left", dx, textAnchor: "end" } as const;
      return [
        Plot.text(rows, { ...line, ...place, text: ({ counts }: Placed) => counts[nth] ?? "" }),
        Plot.text([column], {
          ...{ text: (words: string) => words, fill: "var(--muted)", textAnchor: "end", dx, dy: -16 },
          frameAnchor: "top-left",
        }),
      ];
    }),
    Plot.text(rows, {
      ...line,
      frameAnchor: "right",
      dx: right,
      textAnchor: "end",
      text: ({ told }: Placed) => told,
    }),
  ];
}

/** Values beyond the axis stand at its end, with an arrow in their words. */
function values(rows: readonly Placed[], axis: ChartAxis): Plot.Markish[] {
  const known = rows.filter(({ value }) => value !== null);
  const spans = known.filter(({ interval }) => interval !== null);
  const inside = (value: number): number => Math.min(axis.domain[1], Math.max(axis.domain[0], value));
  const stroke = ({ tone }: Placed): string => tone;
  const dots = (kind: ChartRow["kind"], symbol: "circle" | "diamond", r: number): Plot.Markish =>
    Plot.dot(
      known.filter((row) => row.kind === kind),
      {
        ...{ x: ({ value }: Placed) => inside(value ?? axis.nothing), y: "at", symbol, r },
        ...{ fill: stroke, stroke: "var(--paper)", strokeWidth: 1 },
        ...{ title: ({ title }: Placed) => title, className: `value ${kind}` },
      },
    );
  return [
    Plot.link(spans, {
      ...{
        x1: ({ interval }: Placed) => inside(interval?.[0] ?? 0),
        x2: ({ interval }: Placed) => inside(interval?.[1] ?? 0),
      },
      ...{ y1: "at", y2: "at", stroke, strokeWidth: ({ kind }: Placed) => (kind === "whole" ? 2.6 : 1.5) },
      ...{ title: ({ title }: Placed) => title, className: "span" },
    }),
    dots("cell", "circle", 4.2),
    dots("whole", "diamond", 6.5),
  ];
}
