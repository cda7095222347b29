import type { Report, Uplift } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";

/**
 * The first sentence of a report: uplift, denominators and what they are worth. `instead` is what there is to say where
 * with_skill and without_skill are not both planned; null where they are.
 */
export function headline(
  pooled: Uplift,
  trials: Report["trials"],
  instead: readonly string[] | null = null,
): string {
  const graded = `${trials.graded} of ${trials.planned} planned trials graded`;
  if (instead !== null)
    return [`No uplift: with_skill and without_skill are not both planned (${graded}).`, ...instead].join(
      " ",
    );
  if (pooled.uplift === null) return `No uplift yet: ${graded}, and no cell has both arms.`;
  return (
    `Uplift ${points(pooled.uplift)} over ${pooled.cells} benchmark × model cell(s): ` +
    `${rate(pooled.with)} with the skill, ${rate(pooled.without)} without (${graded}).`
  );
}

/** Points with the sign that people read: +33.3 points for a difference of 1/3, −50.0 points for −1/2. */
export function points(difference: number): string {
  const value = Math.abs(difference * 100).toFixed(1);
  const sign = difference > 0 ? "+" : difference < 0 && value !== "0.0" ? "−" : "";
  return `${sign}${value} points`;
}

export function rate(tally: Tally): string {
  return tally.graded === 0 ? "no trial graded" : `${tally.passed} of ${tally.graded}`;
}
