import { createHash } from "node:crypto";

/** A stream of numbers in [0, 1), fixed by its seed. */
export type Random = () => number;

/**
 * A seeded stream named by its purpose, e.g. `randomFrom(7, "k-means", 4)`: the same parts give the same
 * numbers on every machine, and no two purposes share a stream. Source: sfc32 (C. Doty-Humphrey, PractRand),
 * seeded with the first 128 bits of SHA-256 over the parts.
 */
export function randomFrom(...parts: readonly (string | number)[]): Random {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let counter = digest.readUInt32LE(12);
  const next = (): number => {
    const sum = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** A new array in an order fixed by the stream (Fisher–Yates). */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const copy = [...values];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
