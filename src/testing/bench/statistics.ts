import { randomFrom, shuffled } from "../../seed.ts";

/** The same orders every time. */
const orderSeed = 7;

/** Value below which a share `q` of the sample lies; linear interpolation between order statistics (type 7). */
export function quantile(sample: readonly number[], q: number): number {
  const sorted = [...sample].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)] ?? NaN;
  const above = sorted[Math.ceil(position)] ?? NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export function median(sample: readonly number[]): number {
  return quantile(sample, 0.5);
}

/** Milliseconds that `act` takes. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/**
 * Times several ways of doing the same thing in turns, so that a busy minute hits all of them alike, and each round in
 * another order: what one leaves running behind its end (an engine cleaning up) must not always fall on the same one.
 * With `atOnce` a way has so many goes before the next one's turn, each of them timed. The first round only warms up
 * and is not counted. Returns milliseconds per way.
 */
export async function interleaved<Way extends string>(
  ways: Readonly<Record<Way, () => Promise<unknown>>>,
  rounds: number,
  atOnce = 1,
): Promise<Record<Way, number[]>> {
  const names = Object.keys(ways) as Way[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Way, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of shuffled(names, randomFrom(orderSeed, round))) {
      for (let go = 0; go < atOnce; go++) {
        const milliseconds = await timed(ways[name]);
        if (round > 0) times[name].push(milliseconds);
      }
    }
  }
  return times;
}
