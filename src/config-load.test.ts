import { expect, test } from "vitest";
import { z } from "zod";
import { parseConfig } from "./config-load.ts";
import { configSchema } from "./config.ts";
import { UserError } from "./errors.ts";

const file = "/campaigns/spring/skillproof.config.yaml";

function refusal(yaml: string): string {
  try {
    parseConfig(yaml, file);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error("the file was accepted");
}

test("a file that only names the campaign gets every default", () => {
  const config = parseConfig("name: spring", file);
  expect(config.evaluation.trials).toBe(3);
  expect(config.evaluation.arms).toEqual(["without_skill", "with_skill"]);
  expect(config.embedding.provider).toBe("lexical");
  expect(config.clustering.minClusterTokens).toBe(120);
});

test("every problem is named at once, with its path and the nearest key", () => {
  const words = refusal(
    "name: spring\nsede: 4\nevaluation:\n  trails: 3\n  models: one\nsandbox:\n  memoryMiB: -1\n",
  );
  expect(words).toContain(`${file}: 4 problem(s)`);
  expect(words).toContain("sede: unknown key; did you mean seed?");
  expect(words).toContain("evaluation.trails: unknown key; did you mean trials?");
  expect(words).toMatch(/evaluation\.models: .*array/);
  expect(words).toMatch(/sandbox\.memoryMiB: /);
});

test.each([
  ["name: [", "not valid YAML"],
  ["", "the input is empty"],
  ["name: a b", "name: "],
  ["name: spring\nzzzzzzzz: 1", "zzzzzzzz: unknown key; known here: name, seed, skills"],
  [
    "name: spring\nmodels: {settings: {acme/coder: {pni: x}}}",
    "models.settings.acme/coder.pni: unknown key; did you mean pin?",
  ],
  ["name: spring\nevaluation:\n  arms: [placebo_typo]", "evaluation.arms.0: "],
])("%j is refused with a message that says where", (yaml, expected) => {
  expect(refusal(yaml)).toContain(expected);
});

test("paths are relative to the file, and overrides win", () => {
  const config = parseConfig("name: spring\nskills: [skills/a, {folder: ../b, benchmarks: kept/b}]", file);
  expect(config.skills).toEqual([
    { folder: "/campaigns/spring/skills/a", benchmarks: null },
    { folder: "/campaigns/b", benchmarks: "/campaigns/spring/kept/b" },
  ]);
  expect(config.benchmarks).toBe("/campaigns/spring/benchmarks");
  const over = parseConfig("name: spring\nevaluation: {models: [x], trials: 9}", file, {
    models: ["a", "b"],
    trials: 2,
    out: "/elsewhere",
  });
  expect(over.evaluation).toMatchObject({ models: ["a", "b"], trials: 2 });
  expect(over.out).toBe("/elsewhere");
});

test("the JSON schema that editors read is the one the code has (vitest -u writes it)", async () => {
  const schema = JSON.stringify(z.toJSONSchema(configSchema, { io: "input" }), null, 2);
  await expect(`${schema}\n`).toMatchFileSnapshot("config.schema.json");
});
