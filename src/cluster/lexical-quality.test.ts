import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { lexicalEmbedder } from "../embed/lexical.ts";
import { randomFrom, shuffled } from "../seed.ts";
import { at } from "./geometry.ts";
import { bestPartition } from "./k-means.ts";

const setSchema = z.array(z.object({ topic: z.string(), text: z.string() }));
const sets = z
  .object({ english: setSchema, chinese: setSchema })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "../embed/topics.fixture.json"), "utf8")));

/** Adjusted Rand index (Hubert and Arabie 1985): 1 for equal partitions, 0 on average for unrelated ones. */
function adjustedRand(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  const pairsWithin = (keys: readonly string[]): number => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
  };
  const both = pairsWithin(a.map((key, i) => JSON.stringify([key, b[i]])));
  const [inA, inB] = [pairsWithin(a.map(String)), pairsWithin(b.map(String))];
  const byChance = (inA * inB) / ((a.length * (a.length - 1)) / 2);
  return (both - byChance) / ((inA + inB) / 2 - byChance);
}

async function recovered(texts: readonly string[], topics: readonly string[]): Promise<number> {
  const vectors = (await lexicalEmbedder().embed(texts)).map((vector) => vector ?? []);
  return adjustedRand(bestPartition(vectors, new Set(topics).size, 1).labels, topics);
}

// Measured: English 0.65 (five topics of eight short paragraphs, few words in common), Chinese 1.
test.each<[language: keyof typeof sets, least: number]>([
  ["english", 0.55],
  ["chinese", 0.9],
])("k-means on lexical vectors finds the topics again: %s", async (language, least) => {
  const set = sets[language];
  const topics = set.map(({ topic }) => topic);
  expect(
    await recovered(
      set.map(({ text }) => text),
      topics,
    ),
  ).toBeGreaterThan(least);
});

test("with words dealt out at random there are no topics to find", async () => {
  const random = randomFrom(1, "dealt words");
  const words = shuffled(
    sets.english.flatMap(({ text }) => text.split(" ")),
    random,
  );
  let taken = 0;
  const texts = sets.english.map(({ text }) => {
    const n = text.split(" ").length;
    taken += n;
    return words.slice(taken - n, taken).join(" ");
  });
  expect(at(texts, 0)).not.toBe(at(sets.english, 0).text);
  expect(
    Math.abs(
      await recovered(
        texts,
        sets.english.map(({ topic }) => topic),
      ),
    ),
  ).toBeLessThan(0.15);
});
