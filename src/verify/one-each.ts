import type { Difference } from "../artefacts/verification.ts";
import { short } from "./look.ts";

/** Collects what must be one value for each name, and what is not. */
export class OneEach {
  readonly differences: Difference[] = [];
  private readonly what: string;
  private readonly known = new Map<string, { readonly value: string; readonly place: () => string }>();
  private forgotten = 0;

  constructor(what: string) {
    this.what = what;
  }

  /** How many names there were. */
  get size(): number {
    return this.known.size + this.forgotten;
  }

  /** `place` is asked for where something differs: most of a hundred thousand places are never named. */
  add(name: string, value: string, place: () => string): void {
    const first = this.known.get(name);
    if (first === undefined) this.known.set(name, { value, place });
    else if (first.value !== value) {
      const expected = `${this.what}: ${shown(first.value)} as in ${first.place()}`;
      this.differences.push({ place: place(), expected, came: shown(value) });
    }
  }

  /** Of a name that does not come again. */
  forget(name: string): void {
    if (this.known.delete(name)) this.forgotten++;
  }
}

/** Hashes short, anything else so far as it fits in a line. */
function shown(value: string): string {
  if (/^[0-9a-f]{64}$/.test(value)) return short(value);
  return value.length > 160 ? `${value.slice(0, 160)}…` : value;
}
