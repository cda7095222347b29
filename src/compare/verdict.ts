import type { Change, ChangeKind, ComparedRow } from "../artefacts/comparison.ts";
import { counted, percent, points, pValue, range, size, tallyWords } from "./words.ts";

export type VerdictRule = { readonly alpha: number; readonly delta: number };

/** What a kind is read off: the arm's pass rate, its Holm-adjusted p, and the uplift where there is one. */
export type Ground = {
  readonly rate: Change;
  readonly pAdjusted: number;
  readonly uplift: Change | null;
};

/** p-values of whole counts land on the level itself. */
const rounding = 1e-12;

/**
 * Confirmed is a change of the pass rate whose whole interval lies on one side of 0 and whose exact p, adjusted, is at
 * most α. When the uplift did not move the same way, the control moved as far: that is drift, and not the skill.
 */
export function kindOf({ rate, pAdjusted, uplift }: Ground, { alpha, delta }: VerdictRule): ChangeKind {
  const [low, high] = rate.set.interval;
  const significant = pAdjusted <= alpha + rounding;
  if (significant && high < 0) return uplift !== null && uplift.estimate > -rounding ? "drift" : "regression";
  if (significant && low > 0) return uplift !== null && uplift.estimate < rounding ? "drift" : "improvement";
  const [least, most] = rate.set.marginInterval;
  return least > -delta && most < delta ? "no_meaningful_difference" : "cannot_tell";
}

/** The row's own kind, and what it would be with every trial without a verdict counted against B, and for it. */
export type Kinds = {
  readonly own: ChangeKind;
  readonly imputed: { readonly against: ChangeKind; readonly inFavour: ChangeKind } | null;
};

export function verdictOf(
  row: Pick<ComparedRow, "rate" | "uplift" | "arm" | "cells" | "upliftCells">,
  { own, imputed }: Kinds,
  rule: VerdictRule,
): NonNullable<ComparedRow["verdict"]> {
  const figures = figuresOf(row, rule);
  const swayed = imputed !== null && (imputed.against !== own || imputed.inFavour !== own);
  if (swayed && own !== "cannot_tell") {
    const missing = row.arm.a.planned + row.arm.b.planned - row.arm.a.graded - row.arm.b.graded;
    const reason =
      `${counted(missing, "trial")} of the arm without a verdict, or trials of the control, could change this: counted ` +
      `against B, ${kindWords[imputed.against]}; for B, ${kindWords[imputed.inFavour]}. Without that: ` +
      `${kindWords[own]}: ${figures}`;
    return { kind: "cannot_tell", reason };
  }
  return { kind: own, reason: `${figures}${moreOf(own, row, rule)}` };
}

export const kindWords: Readonly<Record<ChangeKind, string>> = {
  regression: "regression",
  improvement: "improvement",
  drift: "drift",
  no_meaningful_difference: "no meaningful difference",
  cannot_tell: "cannot tell",
};

function figuresOf(
  { rate, uplift, arm, cells, upliftCells }: Parameters<typeof verdictOf>[0],
  { alpha }: VerdictRule,
): string {
  const { estimate, set } = rate.change;
  const passes =
    `Pass rate ${points(estimate)} over ${counted(cells, "cell")} (A passed ${tallyWords(arm.a)} trials, ` +
    `B ${tallyWords(arm.b)}; ${percent(1 - alpha)} interval ${range(set.interval)}; ` +
    `exact ${pValue(set.pAdjusted ?? set.p ?? 1)} after Holm)`;
  if (uplift === null) return `${passes}; uplift unavailable, without a control on both sides.`;
  const { change } = uplift;
  return `${passes}; uplift ${points(change.estimate)} (${range(change.set.interval)}) over ${counted(upliftCells, "cell")}.`;
}

function moreOf(
  own: ChangeKind,
  { rate }: Parameters<typeof verdictOf>[0],
  { alpha, delta }: VerdictRule,
): string {
  const { smallestP } = rate.change.set;
  if (own === "drift")
    return " The control moved as far: look for what else changed (endpoint, model, sandbox) before the skill.";
  if (own === "no_meaningful_difference") return ` Within ±${size(delta)}.`;
  if (own === "cannot_tell" && smallestP !== null && smallestP > alpha + rounding)
    return ` So few trials cannot give a p below ${smallestP.toPrecision(2)}, whatever they show.`;
  return "";
}
