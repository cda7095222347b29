import { stringify } from "csv-stringify/sync";
import { outcomeOf, type TrialOnDisk } from "../outcome.ts";
import { notCalled } from "./not-called.ts";
import { oneLine } from "./one-line.ts";

/** Null is an empty field: unavailable, and never 0. */
type Field = string | number | null;

const columns = [
  ...["skill", "benchmark", "model", "arm", "n", "block"],
  ...["verdict", "cause", "reason", "stop", "voids"],
  ...["input_tokens", "uncached_input_tokens", "cached_input_tokens", "output_tokens", "cost_usd"],
  ...["model_calls", "tool_calls"],
];

/** Rows that are written at once; all at once would hold every field of a hundred thousand trials. */
const atOnce = 500;

/**
 * trials.csv in pieces: a header, then a row per planned trial in the plan's order. A text that a spreadsheet would take
 * for a formula gets an apostrophe in front.
 */
export function* csvPieces(
  entries: readonly TrialOnDisk[],
  counted: ReadonlySet<TrialOnDisk> = new Set(entries),
): Generator<string> {
  yield stringify([columns]);
  for (let from = 0; from < entries.length; from += atOnce) {
    const rows = entries.slice(from, from + atOnce).map((entry) => rowOf(entry, counted.has(entry)));
    yield stringify(rows, { escape_formulas: true });
  }
}

function rowOf(entry: TrialOnDisk, isCounted: boolean): Field[] {
  const { skill, benchmark, model, arm, n, block } = entry.planned;
  const verdict = isCounted ? verdictOf(entry) : ["not_counted", null, notCalled, null, entry.voids];
  const fields = [skill, benchmark, model, arm, n, block, ...verdict, ...usageOf(entry)];
  return fields.map((field) => (typeof field === "string" ? oneLine(field) : field));
}

function verdictOf(entry: TrialOnDisk): readonly Field[] {
  const outcome = outcomeOf(entry);
  const ended = entry.trial?.outcome;
  const stop = ended?.kind === "ended" ? ended.stop : null;
  if (outcome.kind === "ungraded") return ["ungraded", outcome.cause, outcome.reason, stop, entry.voids];
  const verdict = outcome.passed ? "passed" : "failed";
  return [verdict, null, entry.verdict?.reason ?? null, stop, entry.voids];
}

function usageOf({ trial }: TrialOnDisk): readonly Field[] {
  if (trial === null) return [null, null, null, null, null, null, null];
  const { usage } = trial;
  const { bash, read_file: read, write_file: write, invalid } = usage.toolCalls;
  return [
    usage.inputTokens,
    usage.uncachedInputTokens,
    usage.cachedInputTokens,
    usage.outputTokens,
    usage.costUsd === null ? null : usdWords(usage.costUsd),
    usage.modelCalls,
    bash + read + write + invalid,
  ];
}

/** To a billionth of a dollar and never with an exponent: what is behind it is no money. */
function usdWords(usd: number): string {
  return usd.toFixed(9).replace(/\.?0+$/, "");
}
