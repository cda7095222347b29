import { expect, test } from "vitest";
import { mean, resampled } from "./bootstrap.ts";
import { resampledMeans } from "./resampled-means.ts";

const valuesOf = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => Math.sin(at) / 3);

/** As the words of the method have it: draws with return of the sorted values, and the mean of each. */
function plainly(values: readonly number[], resamples: number, seed: number): readonly number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [...resampled(values.length, resamples, seed)].map((drawn) =>
    mean(drawn.map((at) => sorted[at] ?? NaN)),
  );
}

test.each([
  ["few values", 12, 500],
  ["again, with places that are kept", 12, 500],
  ["more values than are kept", 70_000, 3],
  ["one value", 1, 10],
])("%s: every mean is the plain one", (_name, n, resamples) => {
  for (const seed of [7, 8]) {
    expect(resampledMeans(valuesOf(n), resamples, seed)).toEqual(plainly(valuesOf(n), resamples, seed));
    expect(resampledMeans(valuesOf(n).toReversed(), resamples, seed)).toEqual(
      plainly(valuesOf(n), resamples, seed),
    );
  }
});
