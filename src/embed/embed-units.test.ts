import { expect, test } from "vitest";
import { InfrastructureError } from "../errors.ts";
import { memoryVectorCache } from "../testing/memory-vector-cache.ts";
import { tableEmbedder } from "../testing/table-embedder.ts";
import { unitWith } from "../testing/unit.ts";
import type { VectorCache } from "./port.ts";
import { embedUnits } from "./embed-units.ts";

const units = ["north", "east", "south east"].map((embeddedText, i) =>
  unitWith(i, { embeddedText, title: embeddedText }),
);
const compass: Readonly<Record<string, readonly number[]>> = {
  north: [0, 3],
  east: [2, 0],
  "south east": [4, -4],
};
const lookUp = (text: string) => compass[text] ?? [1, 1];
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

test("vectors of a provider are centred and have length 1", async () => {
  const embedding = await embedUnits(units, tableEmbedder(lookUp), memoryVectorCache());
  expect(embedding).toMatchObject({ provider: "table", model: "test", dimensions: 2 });
  const root = Math.SQRT1_2;
  const raw = [
    [0, 1],
    [1, 0],
    [root, -root],
  ];
  const centre = [(1 + root) / 3, (1 - root) / 3];
  for (const [i, vector] of embedding.vectors.entries()) {
    expect(dot(vector!, vector!)).toBeCloseTo(1, 12);
    const moved = raw[i]!.map((value, axis) => value - centre[axis]!);
    expect(dot(vector!, moved)).toBeCloseTo(Math.hypot(...moved), 12);
  }
});

test.each([
  ["a single unit", [unitWith(0)]],
  ["units with equal vectors", [unitWith(0), unitWith(1)]],
])("%s cannot be centred and stays", async (_name, alone) => {
  const { vectors } = await embedUnits(
    alone,
    tableEmbedder(() => [3, 4]),
    memoryVectorCache(),
  );
  expect(vectors).toEqual(alone.map(() => [0.6, 0.8]));
});

test("vectors of a whole-batch embedder are not centred again, and null stays null", async () => {
  const embedder = tableEmbedder((text) => (text === "east" ? null : lookUp(text)), true);
  const { vectors, dimensions } = await embedUnits(units, embedder, memoryVectorCache());
  expect(vectors[0]).toEqual([0, 1]);
  expect(vectors[1]).toBeNull();
  expect(dimensions).toBe(2);
});

test("a provider is asked once for equal texts, and only for what the cache does not hold", async () => {
  const cache = memoryVectorCache();
  const embedder = tableEmbedder(lookUp);
  const twice = [...units, unitWith(9, { embeddedText: "north" })];
  const first = await embedUnits(twice, embedder, cache);
  expect(await embedUnits(twice, embedder, cache)).toEqual(first);
  await embedUnits([...twice, unitWith(10, { embeddedText: "west" })], embedder, cache);
  expect(embedder.batches).toEqual([["north", "east", "south east"], ["west"]]);
});

test("a whole-batch embedder is asked for everything again when one text changes", async () => {
  const cache = memoryVectorCache();
  const embedder = tableEmbedder(lookUp, true);
  await embedUnits(units, embedder, cache);
  await embedUnits(units, embedder, cache);
  expect(embedder.batches).toHaveLength(1);
  await embedUnits(units.slice(0, 2), embedder, cache);
  expect(embedder.batches[1]).toEqual(["north", "east"]);
});

test("a whole-batch embedder is asked for everything again when the cache lost one vector", async () => {
  const cache = memoryVectorCache();
  const embedder = tableEmbedder(lookUp, true);
  const lossy: VectorCache = {
    ...cache,
    get: async (keys) => (await cache.get(keys)).map((vector, i) => (i === 1 ? undefined : vector)),
  };
  await embedUnits(units, embedder, cache);
  await embedUnits(units, embedder, lossy);
  expect(embedder.batches[1]).toEqual(["north", "east", "south east"]);
});

test("a unit above 2,000 tokens is the mean of its parts, weighted by tokens", async () => {
  const paragraph = (word: string, n: number): string => Array.from({ length: n }, () => word).join(" ");
  const long = unitWith(0, { embeddedText: `${paragraph("alpha", 1800)}\n\n${paragraph("house", 900)}` });
  const embedder = tableEmbedder((text) => (text.startsWith("alpha") ? [1, 0] : [0, 1]));
  const { vectors } = await embedUnits([long], embedder, memoryVectorCache());
  expect(embedder.batches[0]!.map((text) => text.split(" ").length)).toEqual([1800, 900]);
  expect(vectors[0]![0]! / vectors[0]![1]!).toBeCloseTo(2, 2);
});

test("a blank unit is not sent and has no vector", async () => {
  const embedder = tableEmbedder(lookUp);
  const { vectors } = await embedUnits(
    [...units, unitWith(7, { embeddedText: " \n" })],
    embedder,
    memoryVectorCache(),
  );
  expect(vectors[3]).toBeNull();
  expect(embedder.batches).toEqual([["north", "east", "south east"]]);
});

test.each<[name: string, vector: readonly number[], message: RegExp]>([
  ["zero", [0, 0], /SKILL\.md#1 \("east"\) is zero or not finite/],
  ["not finite", [Number.NaN, 1], /SKILL\.md#1 \("east"\) is zero or not finite/],
  ["of another dimension", [1, 2, 3], /SKILL\.md#1 \("east"\) has 3 dimensions, others have 2/],
])("a vector that is %s names its unit and is not cached", async (_name, vector, message) => {
  const cache = memoryVectorCache();
  const broken = tableEmbedder((text) => (text === "east" ? vector : lookUp(text)));
  const attempt = embedUnits(units, broken, cache);
  await expect(attempt).rejects.toThrow(InfrastructureError);
  await expect(attempt).rejects.toThrow(message);
  const sound = tableEmbedder(lookUp);
  await embedUnits(units, sound, cache);
  expect(sound.batches[0]).toContain("east");
});

test("too few vectors", async () => {
  const embedder = { ...tableEmbedder(lookUp), embed: () => Promise.resolve([[1, 0]]) };
  await expect(embedUnits(units, embedder, memoryVectorCache())).rejects.toThrow(
    "1 vectors came for 3 texts",
  );
});

test("an aborted signal stops before anything is asked", async () => {
  const embedder = tableEmbedder(lookUp);
  const attempt = embedUnits(
    units,
    embedder,
    memoryVectorCache(),
    AbortSignal.abort(new Error("interrupted")),
  );
  await expect(attempt).rejects.toThrow("interrupted");
  expect(embedder.batches).toEqual([]);
});
