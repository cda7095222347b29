import type { Tally } from "../artefacts/tally.ts";

/** A difference in points, with its sign: `+9.4 points`. */
export function points(fraction: number): string {
  return `${signed(fraction)} points`;
}

/** Both ends: `−3.1 to +21.9`. */
export function range([low, high]: readonly [number, number]): string {
  return `${signed(low)} to ${signed(high)}`;
}

export function size(fraction: number): string {
  return `${(100 * Math.abs(fraction)).toFixed(1)} points`;
}

export function signed(fraction: number): string {
  const text = (100 * Math.abs(fraction)).toFixed(1);
  if (Number(text) === 0) return "0.0";
  return `${fraction < 0 ? "−" : "+"}${text}`;
}

export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

export function pValue(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p.toPrecision(2)}`;
}

/** Passes of graded trials, and of planned ones where some have no verdict. */
export function tallyWords({ passed, graded, planned }: Tally): string {
  return `${passed} of ${graded}${graded === planned ? "" : ` (${planned} planned)`}`;
}

export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
