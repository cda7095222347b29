import { randomFrom } from "../seed.ts";
import { middle } from "./recount-intervals.ts";

export type Drawing = { readonly resamples: number; readonly seed: number; readonly confidence: number };

type Asked = { readonly ordered: Float64Array; ends: readonly number[] | null };

/**
 * Percentile intervals of means of values drawn with return, drawn again from the recorded seed: places in the ordered
 * values, as the definition has them. The draws over as many values are the same ones, so they are made when the first
 * of these intervals is read, for all that were asked for until then.
 */
export class DrawnMeans {
  private readonly drawing: Drawing;
  private readonly byCount = new Map<number, Asked[]>();

  constructor(drawing: Drawing) {
    this.drawing = drawing;
  }

  /** Both ends, once they are read; null where nothing is drawn. */
  ends(values: readonly number[]): Iterable<number> | null {
    if (values.length === 0 || this.drawing.resamples === 0) return null;
    const asked: Asked = { ordered: Float64Array.from(values).sort(), ends: null };
    const together = this.byCount.get(values.length) ?? [];
    this.byCount.set(values.length, together);
    together.push(asked);
    return { [Symbol.iterator]: () => this.read(asked)[Symbol.iterator]() };
  }

  private read(asked: Asked): readonly number[] {
    if (asked.ends === null) this.draw(asked.ordered.length);
    return asked.ends ?? [];
  }

  private draw(count: number): void {
    const { resamples, seed, confidence } = this.drawing;
    const open = (this.byCount.get(count) ?? []).filter(({ ends }) => ends === null);
    const means = open.map(() => new Float64Array(resamples));
    let draw = 0;
    for (const places of drawing(count, resamples, seed)) {
      for (const [row, { ordered }] of open.entries()) {
        let sum = 0;
        // Plain indices: of thousands of tasks this draws a hundred million times.
        for (let at = 0; at < count; at++) sum += ordered[places[at] ?? 0] ?? NaN;
        (means[row] ?? [])[draw] = sum / count;
      }
      draw += 1;
    }
    for (const [row, asked] of open.entries())
      asked.ends = middle((means[row] ?? new Float64Array()).sort(), confidence);
  }
}

/** Places that are kept for the next row, since many ask for the same. */
const mostKept = 1_000_000;

let kept: { readonly name: string; readonly draws: readonly Uint32Array[] } | null = null;

/** Which of `count` values each draw takes. */
export function drawsOf(count: number, resamples: number, seed: number): Iterable<Uint32Array> {
  if (count * resamples > mostKept) return drawing(count, resamples, seed);
  const name = JSON.stringify([count, resamples, seed]);
  if (kept?.name !== name)
    kept = { name, draws: Array.from(drawing(count, resamples, seed), (places) => places.slice()) };
  return kept.draws;
}

/** The array of one draw serves the next. */
function* drawing(count: number, resamples: number, seed: number): Generator<Uint32Array> {
  const random = randomFrom(seed, "bootstrap", count);
  const places = new Uint32Array(count);
  for (let draw = 0; draw < resamples; draw++) {
    for (let at = 0; at < count; at++) places[at] = Math.floor(random() * count);
    yield places;
  }
}
