import { expect, test } from "vitest";
import { load } from "js-yaml";
import type { Skill } from "../../artefacts/skill.ts";
import { hashTree, type TreeEntry } from "../../artefacts/tree.ts";
import { outlineSkill } from "../../chunk/outline.ts";
import { UserError } from "../../errors.ts";
import { randomFrom } from "../../seed.ts";
import { readSkill } from "../../store/benchmarks.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { advice } from "./advice.ts";
import { checkPlacebo } from "./check-placebo.ts";
import { type Deliverable, deliverableOf, markdownOf } from "./deliverable.ts";
import { injectedTokens } from "./deliver.ts";
import { placeboFor } from "./placebo.ts";
import { sequencesOf } from "./sequences.ts";

function outlined({ id, tree }: Skill) {
  const outline = outlineSkill({ id, tree });
  return { skill: deliverableOf(id, tree, outline), outline };
}

function placeboOf(source: Skill) {
  const { skill, outline } = outlined(source);
  const placebo = placeboFor(skill, outline);
  const record = checkPlacebo({ skill, outline }, outlined({ id: placebo.name, tree: placebo.files }));
  return { skill, placebo, record };
}

const sample = { "SKILL.md": "", "run.py!": "print(1)\n", "data/t.json": "[1, 2]\n", "e.txt": "" };

function sourceOf(markdown: string): Skill {
  return { id: "tide", tree: treeOf({ ...sample, "SKILL.md": markdown }) };
}

const kinds: readonly ((random: () => number) => string)[] = [
  () => "The harbour master enters each of the readings by hand.",
  (random) => `\`${random().toString(36).slice(2, 9)}_${Math.floor(random() * 1000)}\``,
  () => "读取潮汐表并写入日志。",
  () => "- one\n- two\n- three",
  () => "```\nfor (let i = 0; i < n; i++) sum += row[i];\n```",
  () => "🌊 🌙",
];

/** A skill of this many tokens, nearly, of text of all kinds. */
function randomSkill(tokens: number, seed: number): Skill {
  const random = randomFrom("placebo sizes", tokens, seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const blocks: string[] = [];
  if (random() < 0.8)
    blocks.push("---\nname: tide\ndescription: Reads the tides of a harbour, and tells them.\n---");
  // About twelve tokens a block, counted once at the end.
  for (let n = 0; n < tokens / 12; n++) {
    if (random() < 0.1) blocks.push(`${"#".repeat(1 + Math.floor(random() * 4))} Tide ${n}`);
    blocks.push(pick(kinds)(random));
  }
  return sourceOf(`${blocks.join("\n\n")}\n`);
}

const sizes = [...[50, 65, 80, 100, 120, 160, 200, 260, 333, 420, 500, 700, 1000], ...[2000, 5000, 15_000]];

test.each(sizes)("about %i tokens are matched to the token", (tokens) => {
  for (let seed = 0; seed < (tokens > 1000 ? 1 : 6); seed++) {
    const { record } = placeboOf(randomSkill(tokens, seed));
    expect(record.passed, JSON.stringify(record)).toBe(true);
    expect(record.tokens.map(({ difference }) => difference)).toEqual([0, 0]);
  }
});

test("40,000 tokens are matched, and no sentence comes twice", () => {
  const { placebo, record } = placeboOf(randomSkill(42_000, 1));
  expect(record.tokens[0]?.skill).toBeGreaterThan(40_000);
  expect(record.passed).toBe(true);
  expect(record.tokens[0]?.difference).toBe(0);
  const paragraphs = markdownOf(placebo).split("\n\n").slice(1);
  const sentences = paragraphs
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => line.split(/(?<=\.) /));
  expect(sentences.length).toBeGreaterThan(2000);
  expect(sentences.length - new Set(sentences).size).toBeLessThanOrEqual(3);
});

test.each(["house-style", "csv-surgeon", "careful-engineering"])(
  "the shipped skill %s has a placebo",
  async (id) => {
    const { record } = placeboOf(await readSkill(`skills/${id}`));
    expect(record).toMatchObject({ passed: true, shared: [], listing: { differs: [] } });
  },
);

const full = `---
name: tide
description: >-
  Reads: "tides".
license: MIT
allowed-tools: Bash
metadata:
  author: somebody
vellmarsh: yes
---

# Tide

Intro.

## Read

Read the table of the harbour before the ship comes in, and note the hour of each high tide.

### Winds

## Write
`;

test("it has the skill's form: frontmatter, levels of headings, and text where the skill has text", () => {
  const { placebo } = placeboOf(sourceOf(full));
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(markdownOf(placebo)) ?? [];
  expect(load(head)).toEqual({
    ...{ name: placebo.name, description: placebo.description },
    ...{ license: "any", metadata: { kind: "notes" } },
  });
  expect(body.match(/^#+/gm)).toEqual(["#", "##", "###", "##"]);
  expect(body).toMatch(/^\n# \w+\n\n(?:.+\n\n)?## \w+\n\n.+\n\n### [\w ]+\n\n## [\w ]+\n$/s);
});

test("the same skill always has the same placebo, another skill another", () => {
  const hash = (markdown: string): string => hashTree(placeboOf(sourceOf(markdown)).placebo.files);
  expect(hash(full)).toBe(hash(full));
  expect(hash(full)).not.toBe(hash(full.replace("Intro.", "Outro.")));
});

test("sentences that the skill says itself are not used", () => {
  const [own = ""] = advice.filter((text) => sequencesOf(text).size > 2);
  const text = full.replace("Intro.", `Intro. ${own} ${"Some words of the harbour. ".repeat(400)}`);
  const { placebo, record } = placeboOf(sourceOf(text));
  expect(record.passed).toBe(true);
  expect(markdownOf(placebo).toLowerCase()).not.toContain(own.slice(1));
});

test("a skill that has hardly more than headings has none", () => {
  const bare = sourceOf(
    "Hi.\n# A\n# B\n# C\n# D\n# E\n# F\n# G\n# H\n# I\n# J\n# K\n# L\n# M\n# N\n#\n#\n#\n#\n",
  );
  expect(() => placeboOf(bare)).toThrow(UserError);
  expect(() => placeboOf(bare)).toThrow(/tide: no placebo has its \d+ tokens .* too short/);
});

test.each([
  ["an empty SKILL.md", ""],
  ["blank lines", "\n\n\n"],
  ["two words", "Do it.\n"],
  ["invalid UTF-8 and CRLF", "\uFEFF# T\r\n\r\nx\uFFFD y z\r\n"],
  ["a frontmatter that is never closed", "---\nname: a\n\n# T\n\nText that goes on for a while here.\n"],
  ["a frontmatter without fields", "---\n---\n\nText that goes on for a while here.\n"],
  ["all of the advice itself", `${advice.join("\n")}\n${advice.join("\n")}\n`],
  ["one line of a hundred thousand characters", "tide ".repeat(20_000)],
  ["forty headings", Array.from({ length: 40 }, (_, n) => `## Part ${n}\n\nText of it.\n`).join("\n")],
])("%s is matched within five in a hundred", (_, markdown) => {
  expect(placeboOf(sourceOf(markdown)).record.passed).toBe(true);
});

test("links stay, and pictures become zeroes", () => {
  const link: TreeEntry = { kind: "link", path: "z", target: "run.py" };
  const picture: TreeEntry = {
    kind: "file",
    path: "p.png",
    mode: 0o644,
    bytes: Uint8Array.from([137, 0, 1]),
  };
  const { placebo, record } = placeboOf({ id: "tide", tree: [...sourceOf(full).tree, picture, link] });
  expect(record.passed).toBe(true);
  expect(placebo.files.filter(({ path }) => ["z", "p.png"].includes(path))).toEqual([
    { ...picture, bytes: new Uint8Array(3) },
    link,
  ]);
});

/** Each makes a placebo worse in one way. */
const spoilt: readonly (readonly [
  name: string,
  spoil: (placebo: Deliverable) => Deliverable,
  fault: object,
])[] = [
  ["longer", (one) => edited(one, (text) => `${text}\n${"More of the same mood. ".repeat(30)}`), {}],
  ["shorter", (one) => edited(one, (text) => text.slice(0, text.length * 0.8)), {}],
  ["one heading more", (one) => edited(one, (text) => text.replace(/\n## /, "\n## Ease\n\n## ")), {}],
  ["a file less", (one) => ({ ...one, files: one.files.slice(0, -1) }), { listing: { differs: ["run.py"] } }],
  [
    "not executable",
    (one) => ({
      ...one,
      files: one.files.map((entry) => (entry.kind === "file" ? { ...entry, mode: 0o644 } : entry)),
    }),
    { listing: { differs: ["run.py"] } },
  ],
  [
    "words of the skill",
    (one) => edited(one, (text) => `${text}\nNote the hour of each.\n`),
    { shared: ["note the hour of each"] },
  ],
  ["the skill's name", (one) => ({ ...one, name: "tide" }), { name: "tide" }],
];

function edited(placebo: Deliverable, edit: (text: string) => string): Deliverable {
  const bytes = new TextEncoder().encode(edit(markdownOf(placebo)));
  const files = placebo.files.map((entry) =>
    entry.kind === "file" && entry.path === placebo.file ? { ...entry, bytes } : entry,
  );
  return { ...placebo, files };
}

test.each(spoilt)("the check refuses a placebo that is %s", (_, spoil, fault) => {
  const of = outlined(sourceOf(full.replace("Intro.", "Intro. ".repeat(60))));
  const placebo = placeboFor(of.skill, of.outline);
  const measured = (skill: Deliverable) =>
    checkPlacebo(of, { skill, outline: outlineSkill({ id: skill.name, tree: skill.files }) });
  expect(measured(placebo).passed).toBe(true);
  expect(measured(spoil(placebo))).toMatchObject({ passed: false, ...fault });
});

test("tokens are counted on what the prompt gets", () => {
  const { skill, placebo, record } = placeboOf(sourceOf(full));
  for (const { delivery, ...counts } of record.tokens) {
    expect(counts.skill).toBe(injectedTokens([skill], delivery));
    expect(counts.placebo).toBe(injectedTokens([placebo], delivery));
  }
});
