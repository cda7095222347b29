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

  get size(): number {
    return this.known.size;
  }

  /** Where `reported` says something else than this, or is silent, or says more. */
  differencesIn(reported: Figures, place: string): readonly Difference[] {
    const names = [...new Set([...this.known.keys(), ...reported.known.keys()])];
    return names.flatMap((name) => {
      const [expected, came] = [this.known.get(name), reported.known.get(name)];
      if (same(expected, came)) return [];
      const words = { expected: said(expected, "no such figure"), came: said(came, "none") };
      return [{ place: `${place}: ${wordsOf(name)}`, ...words }];
    });
  }
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
