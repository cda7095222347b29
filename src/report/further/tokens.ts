import type { Comparison } from "../../artefacts/analysis.ts";
import {
  type FurtherCell,
  type TokenKind,
  tokenKindSchema,
  type TokenRatioRow,
} from "../../artefacts/further.ts";
import type { Interval } from "../../statistics/rate-intervals.ts";
import { type TaskTokens, tokenRatio } from "../../statistics/token-ratio.ts";
import { groupBy } from "../group-by.ts";
import { type ArmTrials, meanOf, type Pair, pairsOf, type Scope } from "./cell-trials.ts";

const rounding = 1e-9;

/** Tokens of one cell in both arms. */
export function cellTokens({ treated, control }: Pair): FurtherCell["tokens"] {
  const of = ({ tokens: { total }, finished }: ArmTrials): FurtherCell["tokens"]["treated"] => ({
    mean: meanOf(total),
    known: total.known,
    of: finished,
  });
  const [withIt, without] = [of(treated), of(control)];
  const [above, below] = [withIt.mean ?? 0, without.mean ?? 0];
  return { treated: withIt, control: without, ratio: above > 0 && below > 0 ? above / below : null };
}

/** One row per kind of token; none where the scope plans no pair. */
export function tokenRatiosOf(
  { skill, model, cells }: Scope,
  comparison: Comparison,
  confidence: number,
): readonly TokenRatioRow[] {
  const tasks = groupBy(pairsOf(cells, comparison), ({ benchmark }) => benchmark);
  if (tasks.length === 0) return [];
  const pairs = tasks.flat();
  return tokenKindSchema.options.map((tokens) => {
    // The bootstrap is left out: the t interval on logarithms is the one that decides the primary figure.
    const ratio = tokenRatio(
      tasks.map((task) => taskTokens(task, tokens)),
      [],
      confidence,
    );
    const known = (side: "treated" | "control"): TokenRatioRow["treated"] => ({
      known: pairs.reduce((total, pair) => total + pair[side].tokens[tokens].known, 0),
      of: pairs.reduce((total, pair) => total + pair[side].finished, 0),
    });
    return {
      ...{ skill, model, comparison, tokens },
      tasks: ratio.perTaskRatio.length,
      of: tasks.length,
      treated: known("treated"),
      control: known("control"),
      geometric: ratio.geometricMean,
      interval: informative(ratio.geometricTCI),
      arithmetic: ratio.arithmeticMean,
      median: ratio.median,
      pooled: ratio.pooledRatio,
    };
  });
}

/** Tasks that are all alike have no spread, and a point would look like certainty. */
function informative(interval: Interval | null): Interval | null {
  if (interval === null) return null;
  const [low, high] = interval;
  return high - low <= rounding * high ? null : interval;
}

/** A model's mean per arm. One that is known in one arm only is left out of both, or a task would mix models. */
function taskTokens(task: readonly Pair[], kind: TokenKind): TaskTokens {
  const means = task.flatMap(({ treated, control }) => {
    const [withIt, without] = [meanOf(treated.tokens[kind]), meanOf(control.tokens[kind])];
    return withIt === null || without === null ? [] : [{ treated: withIt, control: without }];
  });
  return { treated: means.map(({ treated }) => treated), control: means.map(({ control }) => control) };
}
