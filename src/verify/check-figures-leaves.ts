import type { Difference } from "../artefacts/verification.ts";

/** Any number from `low` to `high`: what is bounded where it cannot be told to the last digit. */
export class Within {
  readonly low: number;
  readonly high: number;

  constructor(low: number, high: number) {
    this.low = low;
    this.high = high;
  }
}

/** A whole number that a ceiling gives, where the value may lie on the border between two. */
export function ceilingOf(value: number): Within {
  return new Within(Math.ceil(value - rounding * value), Math.ceil(value + rounding * value));
}

/** Relative to the larger of the two, and to 1. */
const rounding = 1e-9;

/** Members that tell the entries of a list apart. */
const labels = ["level", "role", "skill", "benchmark", "model", "arm", "tokens", "judge", "name", "probe"];

export type Compared = { readonly leaves: number; readonly differences: readonly Difference[] };

/**
 * Holds a part of a report against the same made again: every number, word and null in it. Members that `expected` does
 * not name are another check's. A list may also be made one by one, so that never all of it is there twice.
 */
export function compareLeaves(expected: unknown, came: unknown, place: string, slack = rounding): Compared {
  let leaves = 0;
  const differences: Difference[] = [];
  const walk = (wanted: unknown, told: unknown, at: string): void => {
    const isPart = typeof wanted === "object" && wanted !== null && !(wanted instanceof Within);
    if (isPart && (typeof told !== "object" || told === null)) {
      leaves += 1;
      differences.push({ place: at, expected: "figures", came: said(told, "nothing") });
      return;
    }
    if (isList(wanted)) {
      walkList(wanted, told, at);
      return;
    }
    if (isPart) {
      for (const [name, value] of Object.entries(wanted)) walk(value, memberOf(told, name), `${at}.${name}`);
      return;
    }
    leaves += 1;
    if (!isAlike(wanted, told, slack))
      differences.push({ place: at, expected: said(wanted, "nothing"), came: said(told, "nothing") });
  };
  const walkList = (wanted: Iterable<unknown>, told: unknown, at: string): void => {
    const list: readonly unknown[] = Array.isArray(told) ? told : [];
    let length = 0;
    for (const value of wanted) {
      walk(value, list[length], `${at}[${labelOf(value, length)}]`);
      length += 1;
    }
    leaves += 1;
    if (list.length !== length)
      differences.push({ place: at, expected: `${length} of them`, came: String(list.length) });
  };
  walk(expected, came, place);
  return { leaves, differences };
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  return member;
}

function labelOf(value: unknown, at: number): string {
  const names = labels.flatMap((name) => {
    const label = memberOf(value, name);
    return typeof label === "string" ? label : [];
  });
  const comparison = memberOf(value, "comparison");
  const [arm, against] = [memberOf(comparison, "arm"), memberOf(comparison, "against")];
  if (typeof arm === "string" && typeof against === "string") names.push(`${arm} against ${against}`);
  return names.length === 0 ? String(at) : names.join(" · ");
}

function isAlike(wanted: unknown, told: unknown, slack: number): boolean {
  if (wanted instanceof Within)
    return typeof told === "number" && told >= wanted.low - slack && told <= wanted.high + slack;
  if (typeof wanted !== "number" || typeof told !== "number") return wanted === told;
  return Math.abs(wanted - told) <= slack * Math.max(1, Math.abs(wanted), Math.abs(told));
}

function said(value: unknown, absent: string): string {
  if (value === undefined) return absent;
  if (value instanceof Within) return `from ${value.low} to ${value.high}`;
  if (value === null) return "null (unavailable)";
  if (typeof value === "object") return "figures";
  return typeof value === "string" ? value : JSON.stringify(value);
}
