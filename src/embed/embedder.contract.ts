import { describe, expect, test } from "vitest";
import type { Embedder } from "./port.ts";

const texts = [
  "The ledger export has one line for each invoice of the month.",
  "A letter to a grower begins with the crate numbers.",
  "The check character of a crate tag is the remainder of a weighted sum.",
  "The ledger export has one line for each invoice of the month.",
];

/** What every embedder promises to the stage that calls it. */
export function embedderContract(name: string, open: () => Embedder): void {
  describe(`${name} as an embedder`, () => {
    test("one vector per text, in order, of one dimension, finite and not zero", async () => {
      const vectors = await open().embed(texts);
      expect(vectors).toHaveLength(texts.length);
      const placed = vectors.filter((vector) => vector !== null);
      expect(placed).toHaveLength(texts.length);
      expect(new Set(placed.map((vector) => vector.length)).size).toBe(1);
      for (const vector of placed) {
        expect(vector.every(Number.isFinite)).toBe(true);
        expect(Math.hypot(...vector)).toBeGreaterThan(0);
      }
    });

    test("equal texts point the same way but for rounding, others do not", async () => {
      const [ledger, letter, , again] = await open().embed(texts);
      expect(cosine(again, ledger)).toBeCloseTo(1, 9);
      expect(cosine(letter, ledger)).toBeLessThan(0.99);
    });

    test("the same batch gives the same vectors again", async () => {
      expect(await open().embed(texts)).toEqual(await open().embed(texts));
    });

    test("nothing to embed is no vectors", async () => {
      expect(await open().embed([])).toEqual([]);
    });

    test("an aborted signal ends it with its own reason", async () => {
      const reason = new Error("stopped");
      await expect(open().embed(texts, AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}

function cosine(a: readonly number[] | null | undefined, b: readonly number[] | null | undefined): number {
  const dot = (a ?? []).reduce((sum, value, index) => sum + value * (b?.[index] ?? NaN), 0);
  return dot / (Math.hypot(...(a ?? [])) * Math.hypot(...(b ?? [])));
}
