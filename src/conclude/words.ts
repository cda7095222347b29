import type { Comparison } from "../artefacts/analysis.ts";
import type { Tally } from "../artefacts/tally.ts";

/** A difference of rates in points, with its sign: `+9.4 points`. */
export function points(fraction: number): string {
  return `${signed(fraction)} points`;
}

/** Both ends in points: `−3.1 to +21.9`. */
export function range([low, high]: readonly [number, number]): string {
  return `${signed(low)} to ${signed(high)}`;
}

/** A margin or size, without a sign. */
export function size(fraction: number): string {
  return `${(100 * Math.abs(fraction)).toFixed(1)} points`;
}

function signed(fraction: number): string {
  const text = (100 * Math.abs(fraction)).toFixed(1);
  if (Number(text) === 0) return "0.0";
  return `${fraction < 0 ? "−" : "+"}${text}`;
}

export function pValue(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p.toPrecision(2)}`;
}

export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

export function rate({ passed, graded }: Tally): string {
  return `${passed} of ${graded}`;
}

/** The control as conclusions call it. */
export function controlName({ against }: Comparison): string {
  return against === "without_skill" ? "none" : against;
}
