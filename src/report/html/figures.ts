import type { Mean } from "../../artefacts/report.ts";
import type { Tally } from "../../artefacts/tally.ts";

export const unavailable = "unavailable";
const minus = "−";

/** +33.3 for a difference of 1/3, with a sign that is as wide as a digit; null is unavailable. */
export function signedPoints(difference: number | null): string {
  if (difference === null) return unavailable;
  const value = Math.abs(difference * 100).toFixed(1);
  if (value === "0.0") return "0.0";
  return `${difference > 0 ? "+" : minus}${value}`;
}

export function pointsInterval(interval: readonly [number, number] | null): string {
  return interval === null ? "no interval" : `${signedPoints(interval[0])} to ${signedPoints(interval[1])}`;
}

/** `6 of 9`, and what is missing of the plan. */
export function ofGraded({ passed, graded, planned }: Tally): string {
  if (planned === 0) return "not planned";
  if (graded === 0) return `none of ${planned} graded`;
  return graded === planned ? `${passed} of ${graded}` : `${passed} of ${graded} (${planned} planned)`;
}

/** A ratio with two or three digits that count. */
export function times(ratio: number | null): string {
  if (ratio === null) return unavailable;
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)}×`;
}

export function timesInterval(interval: readonly [number, number] | null): string {
  return interval === null ? "no interval" : `${times(interval[0])} to ${times(interval[1])}`;
}

/** US dollars with enough digits for a cent's hundredth. */
export function usd(value: number | null): string {
  if (value === null) return unavailable;
  return `$${value !== 0 && Math.abs(value) < 0.1 ? value.toFixed(4) : value.toFixed(2)}`;
}

export function percent(share: number | null): string {
  return share === null ? unavailable : `${(100 * share).toFixed(0)} %`;
}

/** `p < 0.001`, `p = 0.012`; null is none. */
export function pWords(p: number | null): string {
  if (p === null) return "no p";
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/** By digits: making one takes longer than a thousand figures. */
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** 12,345 */
export function grouped(value: number, digits = 0): string {
  const known = formats.get(digits);
  const format = known ?? formatOf(digits);
  if (known === undefined) formats.set(digits, format);
  return format.format(value);
}

/** A mean with the trials that told it, of the finished ones. */
export function meanWords({ mean, known, of }: Mean, write: (value: number) => string): string {
  if (of === 0) return "no trial finished";
  return mean === null ? `${unavailable} (0 of ${of})` : `${write(mean)} (${known} of ${of})`;
}
