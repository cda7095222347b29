import type { Comparison } from "../artefacts/analysis.ts";
import type { TokenKind } from "../artefacts/further.ts";
import { type ArmCount, type Both, bothIn, meanOf, type Scope } from "./recount-further-cells.ts";
import { spreadOf, tEnds, valueAt } from "./recount-intervals.ts";
import { average, grouped } from "./recount-intervals-units.ts";

const kinds: readonly TokenKind[] = ["total", "uncachedInput", "cachedInput", "output"];

/** Input and output of one cell in both arms. */
export function cellTokens({ treated, control }: Both): unknown {
  const side = ({ tokens: { total }, finished }: ArmCount): { readonly mean: number | null } => {
    const told = { known: total.known, of: finished };
    return { mean: meanOf(total), ...told };
  };
  const [more, less] = [side(treated), side(control)];
  const isKnown = (more.mean ?? 0) > 0 && (less.mean ?? 0) > 0;
  return { treated: more, control: less, ratio: isKnown ? (more.mean ?? NaN) / (less.mean ?? NaN) : null };
}

/** Tokens of the arm ÷ of its control, task by task, as a row for each kind. */
export function tokenRows(
  { skill, model, cells }: Scope,
  comparison: Comparison,
  confidence: number,
): readonly unknown[] {
  const both = bothIn(cells, comparison);
  if (both.length === 0) return [];
  const tasks = grouped(both, ({ benchmark }) => benchmark);
  return kinds.map((tokens) => {
    const means = tasks.flatMap((task) => meansOf(task, tokens));
    return {
      ...{ skill, model, comparison, tokens, tasks: means.length, of: tasks.length },
      treated: toldBy(both, "treated", tokens),
      control: toldBy(both, "control", tokens),
      ...ratiosOf(means, confidence),
    };
  });
}

type Means = { readonly treated: number; readonly control: number };

/** Over the models that told it in both arms; none where that is no tokens in one of them. */
function meansOf(task: readonly Both[], kind: TokenKind): readonly Means[] {
  const sum = { treated: 0, control: 0 };
  let models = 0;
  for (const { treated, control } of task) {
    const [more, less] = [meanOf(treated.tokens[kind]), meanOf(control.tokens[kind])];
    if (more === null || less === null) continue;
    sum.treated += more;
    sum.control += less;
    models += 1;
  }
  if (models === 0 || sum.treated <= 0 || sum.control <= 0) return [];
  return [{ treated: sum.treated / models, control: sum.control / models }];
}

function toldBy(both: readonly Both[], side: "treated" | "control", kind: TokenKind): unknown {
  let [known, of] = [0, 0];
  for (const { [side]: count } of both) {
    known += count.tokens[kind].known;
    of += count.finished;
  }
  return { known, of };
}

function ratiosOf(means: readonly Means[], confidence: number): Readonly<Record<string, unknown>> {
  if (means.length === 0)
    return { geometric: null, interval: null, arithmetic: null, median: null, pooled: null };
  const ratios = means.map(({ treated, control }) => treated / control);
  const logs = means.map(({ treated, control }) => Math.log(treated) - Math.log(control));
  const spread = spreadOf(logs);
  const ends = spread === null ? null : tEnds(spread, confidence);
  // Tasks that are all alike have no spread.
  const isPoint = ends !== null && Math.exp(ends[1]) - Math.exp(ends[0]) <= 1e-9 * Math.exp(ends[1]);
  return {
    geometric: Math.exp(average(logs)),
    interval: ends === null || isPoint ? null : [Math.exp(ends[0]), Math.exp(ends[1])],
    arithmetic: average(ratios),
    median: valueAt(Float64Array.from(ratios).sort(), 0.5),
    pooled: average(means.map(({ treated }) => treated)) / average(means.map(({ control }) => control)),
  };
}
