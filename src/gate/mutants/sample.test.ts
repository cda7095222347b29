import { expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import { type Drawable, sampleEvenly } from "./sample.ts";

type Numbered = Drawable & { readonly place: number };

function candidatesOf(counts: Readonly<Record<string, number>>): readonly Numbered[] {
  return Object.entries(counts).flatMap(([key, count]) => {
    const [path = "", kind = ""] = key.split(" ");
    return Array.from({ length: count }, (_, place) => ({ kind, path, place }));
  });
}

function countsOf(drawn: readonly Drawable[], by: (drawable: Drawable) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const drawable of drawn) counts[by(drawable)] = (counts[by(drawable)] ?? 0) + 1;
  return counts;
}

test("a kind with thousands does not crowd out others", () => {
  const candidates = candidatesOf({ "a number": 5000, "a missing": 1, "a line": 3 });
  const drawn = sampleEvenly(candidates, 12, randomFrom(7));
  expect(countsOf(drawn, ({ kind }) => kind)).toEqual({ number: 8, missing: 1, line: 3 });
});

test("nor does a file", () => {
  const candidates = candidatesOf({ "a number": 5000, "b number": 5000, "c number": 2, "d line": 4 });
  const drawn = sampleEvenly(candidates, 12, randomFrom(7));
  expect(countsOf(drawn, ({ path }) => path)).toEqual({ a: 3, b: 3, c: 2, d: 4 });
});

test("kinds take turns at files, so that twenty files with ten kinds are all seen", () => {
  const files = Array.from({ length: 20 }, (_, at) => `f${at}`);
  const kinds = Array.from({ length: 10 }, (_, at) => `k${at}`);
  const candidates = candidatesOf(
    Object.fromEntries(files.flatMap((file) => kinds.map((kind) => [`${file} ${kind}`, 3]))),
  );
  const drawn = sampleEvenly(candidates, 40, randomFrom(7));
  const perFile = Object.values(countsOf(drawn, ({ path }) => path));
  expect(perFile).toHaveLength(files.length);
  expect(Math.max(...perFile)).toBeLessThanOrEqual(3);
  expect(Object.values(countsOf(drawn, ({ kind }) => kind))).toEqual(kinds.map(() => 4));
});

test("the order stays, the seed decides which, and no more than there are", () => {
  const candidates = candidatesOf({ "a number": 100, "b line": 100 });
  const drawn = sampleEvenly(candidates, 10, randomFrom(7));
  expect(drawn).toEqual(candidates.filter((candidate) => drawn.includes(candidate)));
  expect(sampleEvenly(candidates, 10, randomFrom(7))).toEqual(drawn);
  expect(sampleEvenly(candidates, 10, randomFrom(8))).not.toEqual(drawn);
  expect(sampleEvenly(candidates, 1000, randomFrom(7))).toEqual(candidates);
  expect(sampleEvenly(candidates, 0, randomFrom(7))).toEqual([]);
  expect(sampleEvenly([], 10, randomFrom(7))).toEqual([]);
});
