import { expect, test } from "vitest";
import { lexicalEmbedder } from "./lexical.ts";

const embed = (texts: readonly string[]) => lexicalEmbedder().embed(texts);
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const sections = [
  "Invoices carry a tax number and a net amount.",
  "A credit note repeats the tax rate of the invoice.",
  "Round the tax amount per invoice line.",
  "Build the container image from a slim base image.",
  "Push the image to the registry, pinned by digest.",
  "Mount a volume into the container read-only.",
  "Migrations add a column and backfill its rows.",
  "Drop the column in a later migration of the table.",
  "An index on the table speeds up the rows you join.",
];

test("vectors have length 1 and round(√n) dimensions", async () => {
  const vectors = await embed(sections);
  expect(vectors.map((vector) => vector?.length)).toEqual(sections.map(() => 3));
  for (const vector of vectors) expect(dot(vector!, vector!)).toBeCloseTo(1, 12);
});

test("texts about one thing are nearer to each other than to the rest", async () => {
  const vectors = await embed(sections);
  const cosine = (i: number, j: number): number => dot(vectors[i]!, vectors[j]!);
  for (const group of [0, 3]) {
    const inside = Math.min(cosine(group, group + 1), cosine(group, group + 2));
    const outside = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((i) => i < group || i > group + 2);
    expect(inside).toBeGreaterThan(Math.max(...outside.map((i) => cosine(group, i))));
  }
});

test("the same texts give the same digits", async () => {
  expect(await embed(sections)).toEqual(await embed([...sections]));
});

test("the order of the texts changes no angle", async () => {
  const forth = await embed(sections);
  const back = (await embed([...sections].reverse())).toReversed();
  for (const i of sections.keys()) {
    for (const j of sections.keys())
      expect(dot(back[i]!, back[j]!)).toBeCloseTo(dot(forth[i]!, forth[j]!), 9);
  }
});

test("a text without a word is null, and the others do not notice it", async () => {
  const [first, none, ...rest] = await embed([sections[0]!, "… 42 the!", ...sections.slice(1)]);
  expect(none).toBeNull();
  expect([first, ...rest]).toEqual(await embed(sections));
});

test.each<[name: string, texts: string[], dimensions: number]>([
  ["one text", ["container image"], 1],
  ["two texts", ["container image", "tax invoice"], 1],
  ["equal texts", ["container image", "container image", "container image"], 1],
  // Four directions of equal strength: none of them may be dropped by chance.
  ["texts without a word in common", ["alpha", "bravo", "charlie", "delta"], 3],
])("%s: a vector of length 1 for each", async (_name, texts, dimensions) => {
  for (const vector of await embed(texts)) {
    expect(vector).toHaveLength(dimensions);
    expect(dot(vector!, vector!)).toBeCloseTo(1, 12);
  }
});

test("an axis has no sign of its own: its largest coordinate, the first of equals, is positive", async () => {
  expect(await embed(["container image", "tax invoice"])).toEqual([[1], [-1]]);
  expect(await embed(["tax invoice", "container image"])).toEqual([[1], [-1]]);
});

test("no text, or none with a word", async () => {
  expect(await embed([])).toEqual([]);
  expect(await embed(["", "12"])).toEqual([null, null]);
});
