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
  expect(config.evaluation.arms.map(({ id }) => id)).toEqual(["without_skill", "with_skill"]);
  expect(config.evaluation.delivery).toBe("inject");
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
  [
    "name: spring\nevaluation: {arms: [with_skill]}",
    "evaluation.arms: a campaign compares at least two arms",
  ],
  [
    "name: spring\nevaluation: {arms: [with_skill, with_skill]}",
    "evaluation.arms.1: the same arm as number 1; to repeat one, give it a label: with_skill@again",
  ],
  [
    "name: spring\nevaluation: {arms: [with_skill, {pack: []}]}",
    "evaluation.arms.1.pack: a pack needs at least one skill folder",
  ],
  [
    "name: spring\nevaluation: {arms: [with_skill, {abltion: Read, name: x}]}",
    "evaluation.arms.1.abltion: unknown key; did you mean ablation?",
  ],
  ["name: spring\nevaluation: {delivery: mail}", "evaluation.delivery: "],
  [
    "name: spring\nevaluation: {models: [acme/coder, acme/other, acme/coder]}",
    "evaluation.models.2: the same model as number 1",
  ],
  ["name: spring\nprobe: {models: [a, a]}", "probe.models.1: the same model as number 1"],
  [
    "name: spring\nevaluation: {trials: 100000000000}",
    "evaluation.trials: at most 1000 per arm, benchmark and model",
  ],
  ["name: spring\nanalysis: {sides: 3}", "analysis.sides: 1 or 2"],
  [`name: ${"a".repeat(101)}`, "name: at most 100 characters"],
  [
    "name: spring\nskills: [{folder: a, benchmark: b}]",
    "skills.0.benchmark: unknown key; did you mean benchmarks?",
  ],
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

test("folders of packs are relative to the file, refs and headings are not", () => {
  const arms = "[without_skill, {pack: [../packs/a, /b]}, {version: v1/a}, {ablation: a/b}]";
  const config = parseConfig(`name: spring\nevaluation: {arms: ${arms}}`, file);
  expect(config.evaluation.arms.map(({ id, treatment }) => [id, treatment])).toEqual([
    ["without_skill", { kind: "without_skill" }],
    ["pack-a-b", { kind: "pack", folders: ["/campaigns/packs/a", "/b"] }],
    ["version-v1-a", { kind: "version", ref: "v1/a" }],
    ["ablation-a-b", { kind: "ablation", of: "a/b" }],
  ]);
});

test("the JSON schema that editors read is the one the code has (vitest -u writes it)", async () => {
  const schema = JSON.stringify(z.toJSONSchema(configSchema, { io: "input" }), null, 2);
  await expect(`${schema}\n`).toMatchFileSnapshot("config.schema.json");
});
