import type { Difference } from "../artefacts/verification.ts";

/** Numbers by name, each name a path of parts; null where a figure is unavailable. */
export class Figures {
  private readonly known = new Map<string, number | null>();

  set(path: readonly (string | number)[], value: number | null): void {
    this.known.set(JSON.stringify(path), value);
  }

  /** Adds to what is there, or to 0. */
  add(path: readonly (string | number)[], value: number): void {
    const name = JSON.stringify(path);
    this.known.set(name, (this.known.get(name) ?? 0) + value);
  }

  /** All that another one knows, behind what is known here. */
  take(others: Figures): void {
    for (const [name, value] of others.known) this.known.set(name, value);
  }

  get size(): number {
    return this.known.size;
  }

  /** Where `reported` says something else than this, or is silent, or says more. */
  differencesIn(reported: Figures, place: string): readonly Difference[] {
    return [...this.unlike(reported, place), ...reported.beyond([this], place)];
  }

  /** Where `reported` says something else than this, or is silent. */
  unlike(reported: Figures, place: string): readonly Difference[] {
    const differences: Difference[] = [];
    for (const [name, expected] of this.known) {
      const came = reported.known.get(name);
      if (!same(expected, came)) differences.push(differenceOf(name, place, { expected, came }));
    }
    return differences;
  }

  /** What this says and none of `counted`. */
  beyond(counted: readonly Figures[], place: string): readonly Difference[] {
    const differences: Difference[] = [];
    for (const [name, came] of this.known) {
      if (counted.some(({ known }) => known.has(name))) continue;
      differences.push(differenceOf(name, place, { expected: undefined, came }));
    }
    return differences;
  }
}

type Two = { readonly expected: number | null | undefined; readonly came: number | null | undefined };

function differenceOf(name: string, place: string, { expected, came }: Two): Difference {
  const words = { expected: said(expected, "no such figure"), came: said(came, "none") };
  return { place: `${place}: ${wordsOf(name)}`, ...words };
}

/** Sums in another order differ in their last digits. */
function same(a: number | null | undefined, b: number | null | undefined): boolean {
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

function said(value: number | null | undefined, absent: string): string {
  if (value === undefined) return absent;
  return value === null ? "null (unavailable)" : String(value);
}

function wordsOf(name: string): string {
  return name.slice(1, -1).replaceAll('"', "").replaceAll(",", " · ");
}
