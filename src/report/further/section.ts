import type { Comparison } from "../../artefacts/analysis.ts";
import {
  type Cost,
  fewestPasses,
  fewestTasks,
  type Further,
  type FurtherCell,
  type Rate,
  type TokenKind,
} from "../../artefacts/further.ts";
import { points, rate } from "../headline.ts";

type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;
type Scoped = { readonly skill: string; readonly model: string | null };

const unavailable = "unavailable";
const tokenWords: Readonly<Record<TokenKind, string>> = {
  total: "input and output",
  uncachedInput: "input, uncached",
  cachedInput: "input, from a cache",
  output: "output",
};

/** Rates, reliability, pairs, tokens and prices; figures that nobody planned to test. */
export function furtherSection(further: Further, table: Table): string {
  const parts = [
    `## Further figures\n\nExploratory: no conclusion is drawn from any of these. Intervals are at ${percent(further.confidence)} and not adjusted for their number.`,
    titled("Each benchmark", cellTable(further, table)),
    titled("Each arm", rateTable(further, table)),
    titled("Pairs of trials", pairTable(further, table)),
    titled("Tokens, arm ÷ control", tokenTable(further, table)),
    titled("Cost per correct trial", costTable(further, table)),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function titled(title: string, text: string): string {
  return text === "" ? "" : `### ${title}\n\n${text}`;
}

function cellTable({ cells }: Further, table: Table): string {
  if (cells.length === 0) return "";
  const header = ["benchmark", "model", "arms", "arm passed", "control passed", "difference", "interval"];
  const rows = cells.map((cell) => [
    `${cell.skill}/${cell.benchmark}`,
    cell.model,
    arms(cell.comparison),
    withInterval(cell.treated),
    withInterval(cell.control),
    ...differenceOf(cell),
  ]);
  return `${table(header, rows)}\n\nWilson for a rate, Newcombe for a difference.`;
}

function differenceOf({ difference, interval }: FurtherCell): readonly string[] {
  return [
    difference === null ? unavailable : points(difference),
    interval === null ? unavailable : `${points(interval[0])} to ${points(interval[1])}`,
  ];
}

function rateTable({ rates, reliability }: Further, table: Table): string {
  const [first] = reliability;
  if (first === undefined) return "";
  const { k } = first;
  const rows = shown(rates).map((row) => {
    const reliable = reliability.find(
      ({ skill, model, arm }) => skill === row.skill && model === row.model && arm === row.arm,
    );
    const of = reliable === undefined ? "" : `${reliable.cells} of ${reliable.of}`;
    return [
      ...scopeColumns(row),
      row.arm,
      withInterval(row),
      share(reliable?.passAtK ?? null),
      share(reliable?.passHatK ?? null),
      of,
    ];
  });
  const header = ["skill", "model", "arm", "passed", `pass@${k}`, `pass^${k}`, "cells with as many verdicts"];
  return `${table(header, rows)}\n\npass@${k}: at least one of ${k} trials passes; pass^${k}: all of them do. Means over benchmark × model cells.`;
}

function pairTable({ pairs }: Further, table: Table): string {
  if (pairs.length === 0) return "";
  const header = ["skill", "model", "arms", "graded pairs", "only the arm passed", "only the control"];
  const rows = shown(pairs).map((row) => [
    ...scopeColumns(row),
    arms(row.comparison),
    `${row.pairs} of ${row.of}`,
    String(row.onlyTreatedPassed),
    String(row.onlyControlPassed),
    String(row.bothPassed),
    String(row.bothFailed),
    row.pExact === null ? unavailable : p(row.pExact),
    row.pMid === null ? unavailable : p(row.pMid),
  ]);
  const more = ["both", "neither", "McNemar exact p", "mid-p"];
  return table([...header, ...more], rows);
}

function tokenTable({ tokens }: Further, table: Table): string {
  if (tokens.length === 0) return "";
  const header = ["skill", "model", "arms", "tokens", "geometric mean", "interval", "arithmetic", "median"];
  const rows = shown(tokens).map((row) => [
    ...scopeColumns(row),
    arms(row.comparison),
    tokenWords[row.tokens],
    times(row.geometric),
    row.interval === null ? unavailable : `${times(row.interval[0])} to ${times(row.interval[1])}`,
    times(row.arithmetic),
    times(row.median),
    times(row.pooled),
    `${row.tasks} of ${row.of}`,
    `${row.treated.known} of ${row.treated.of}, ${row.control.known} of ${row.control.of}`,
  ]);
  const more = ["of the sums (the bill)", "tasks", "trials that told it (arm, control)"];
  return table([...header, ...more], rows);
}

function costTable({ costs, costRatios }: Further, table: Table): string {
  if (costs.length === 0) return "";
  const rows = shown(costs).map((row) => [
    ...scopeColumns(row),
    row.arm,
    row.totalUsd === null ? `${unavailable} (${row.known} of ${row.of} trials told it)` : usd(row.totalUsd),
    rate(row.tally),
    ...costColumns(row),
  ]);
  const prices = table(
    ["skill", "model", "arm", "cost of all trials", "passed", "per correct", "interval"],
    rows,
  );
  const ratios = shown(costRatios).flatMap(({ ratio, interval, comparison, ...row }) => {
    if (ratio === null) return [];
    const [low, high] = interval ?? [];
    const ends = interval === null ? unavailable : `${times(low, "0")} to ${times(high, "unbounded")}`;
    return [[...scopeColumns(row), arms(comparison), times(ratio), ends]];
  });
  const words = `Intervals are drawn over tasks, from ${fewestTasks} on that are not all alike.`;
  if (ratios.length === 0) return `${prices}\n\n${words}`;
  return `${prices}\n\n${table(["skill", "model", "arms", "arm ÷ control", "interval"], ratios)}\n\n${words}`;
}

function costColumns({ kind, perCorrectUsd, interval }: Cost): readonly string[] {
  switch (kind) {
    case "unavailable":
      return [unavailable, unavailable];
    case "unbounded":
      return ["unbounded: nothing passed", unavailable];
    case "counts_only":
      return [`not given below ${fewestPasses} passes`, unavailable];
    case "told": {
      const [low, high] = interval ?? [];
      const ends = interval === null ? unavailable : `${usd(low)} to ${usd(high)}`;
      return [usd(perCorrectUsd), ends];
    }
  }
}

/** Where a skill has one model, its row and that of all models are the same. */
function shown<Row extends Scoped>(rows: readonly Row[]): readonly Row[] {
  const models = new Map<string, Set<string>>();
  for (const { skill, model } of rows) {
    if (model === null) continue;
    models.set(skill, (models.get(skill) ?? new Set()).add(model));
  }
  return rows.filter(({ skill, model }) => model !== null || models.get(skill)?.size !== 1);
}

function scopeColumns({ skill, model }: Scoped): readonly string[] {
  return [skill, model ?? "all models"];
}

function arms({ arm, against }: Comparison): string {
  return `${arm} against ${against}`;
}

function withInterval(row: Rate): string {
  if (row.interval === null) return rate(row);
  const [low, high] = row.interval;
  return `${rate(row)} (${percent(low)} to ${percent(high)})`;
}

function percent(value: number): string {
  return `${Number((100 * value).toFixed(1))} %`;
}

function share(value: number | null): string {
  return value === null ? unavailable : percent(value);
}

function times(value: number | null | undefined, otherwise = unavailable): string {
  return value == null ? otherwise : `${value.toFixed(2)} ×`;
}

function usd(value: number | null | undefined): string {
  return value == null ? "unbounded" : `$${value.toFixed(4)}`;
}

function p(value: number): string {
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}
