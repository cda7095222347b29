import { expect, test } from "vitest";
import { countTokens } from "../../tokens.ts";
import { advice, leadIns, names, titles } from "./advice.ts";
import { sequencesOf } from "./sequences.ts";

test("the bank is large, and every sentence is its own", () => {
  for (const bank of [advice, leadIns, names, titles]) {
    expect(new Set(bank.map((text) => text.toLowerCase())).size).toBe(bank.length);
  }
  expect(advice.length).toBeGreaterThanOrEqual(120);
});

test("no two sentences share a row of words, so that a placebo does not sound like a refrain", () => {
  const all = advice.flatMap((text) => [...sequencesOf(text)]);
  const repeated = all.filter((sequence, index) => all.indexOf(sequence) !== index);
  expect(repeated).toEqual([]);
});

test.each([...advice])("%s is one plain sentence", (sentence) => {
  expect(sentence).toMatch(/^[A-Z][a-z]*(?:,? [a-z]+)+\.$/);
});

test("no sentence gives a hand with any task", () => {
  const helpful =
    /\b(?:test|check|verif|read|file|code|program|plan|list|step by step|error|edge|review|run|tool|write|output|input|data|format|rule|require|instruct|request|carefully|twice|first)/;
  expect([...advice, ...leadIns, ...titles].filter((text) => helpful.test(text.toLowerCase()))).toEqual([]);
});

test("every small number of tokens can be made of whole sentences", () => {
  const lengths = new Set(advice.map((text) => countTokens(` ${text}`)));
  const shortest = Math.min(...lengths);
  expect(shortest).toBeLessThanOrEqual(3);
  for (let tokens = shortest; tokens <= 13; tokens++)
    expect(lengths.has(tokens), `${tokens} tokens`).toBe(true);
});

test.each([...names])("%s is a skill's name", (name) => {
  expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
});
