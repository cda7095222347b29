import { randomFrom } from "../seed.ts";

/** Draws that are kept for the next values of which there are as many: 20 MB of them. */
const mostKept = 10_000_000;

type Drawn = {
  readonly n: number;
  readonly resamples: number;
  readonly seed: number;
  readonly places: Uint16Array;
};

/**
 * The rows of an analysis mostly have as many values as the row before, and so draw the same places. Held weakly: they
 * are of no use to what comes after an analysis.
 */
let kept: WeakRef<Drawn> | null = null;

/**
 * Means of `resamples` draws with return, as many values each; seeded. The order in which values come has no influence
 * on what is drawn.
 */
export function resampledMeans(values: readonly number[], resamples: number, seed: number): number[] {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  const places = n * resamples > mostKept || n > 2 ** 16 ? null : placesFor(n, resamples, seed);
  const random = randomFrom(seed, "bootstrap", n);
  const means: number[] = [];
  // Plain indices: of thousands of tasks this draws a hundred million times.
  for (let draw = 0; draw < resamples; draw++) {
    let sum = 0;
    if (places === null) for (let at = 0; at < n; at++) sum += sorted[Math.floor(random() * n)] ?? 0;
    else for (let at = draw * n; at < (draw + 1) * n; at++) sum += sorted[places[at] ?? 0] ?? 0;
    means.push(sum / n);
  }
  return means;
}

function placesFor(n: number, resamples: number, seed: number): Uint16Array {
  const before = kept?.deref();
  if (before?.n === n && before.resamples === resamples && before.seed === seed) return before.places;
  const random = randomFrom(seed, "bootstrap", n);
  const places = new Uint16Array(n * resamples);
  for (let at = 0; at < places.length; at++) places[at] = Math.floor(random() * n);
  kept = new WeakRef({ n, resamples, seed, places });
  return places;
}
