import { expect, test } from "vitest";
import { treeOf } from "../testing/benchmark.ts";
import { findFormat, type Format } from "./find-format.ts";

test.each<[string, readonly string[], Format | null]>([
  ["nothing", [], null],
  ["a benchmark of the original", ["benchmark.yaml", "task_prompt.md"], "original"],
  ["one without its task", ["benchmark.yaml", "grader/grade.sh"], "original"],
  ["a bundle of ours", ["benchmark.yaml", "task.md", "grader/grade"], null],
  ["a Harbor task", ["task.toml", "instruction.md"], "harbor"],
  ["a skill with evaluations", ["SKILL.md", "evals/evals.json"], "evals"],
  ["evaluations alone", ["evals.json"], "evals"],
  ["a skill without", ["SKILL.md", "evals/README.md"], null],
  ["a task one folder down", ["a/task.toml"], null],
])("%s", (_what, paths, format) => {
  expect(findFormat(treeOf(Object.fromEntries(paths.map((path) => [path, ""]))))).toBe(format);
});
