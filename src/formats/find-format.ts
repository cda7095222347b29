import type { FileTree } from "../artefacts/tree.ts";

export const formats = ["original", "harbor", "evals"] as const;
export type Format = (typeof formats)[number];

/** What a folder is known by; for messages too. */
export const formatMarks: Readonly<Record<Format, string>> = {
  original: "benchmark.yaml with task_prompt.md or grader/grade.sh",
  harbor: "task.toml",
  evals: "evals/evals.json or evals.json",
};

/** Where a skill's evaluations may lie, the usual place first. */
export const evalsPaths = ["evals/evals.json", "evals.json"] as const;

/** The format of the task or tasks in a folder, by the names of its members alone; null when none is known. */
export function findFormat(tree: FileTree): Format | null {
  const paths = new Set(tree.map(({ path }) => path));
  if (paths.has("benchmark.yaml") && (paths.has("task_prompt.md") || paths.has("grader/grade.sh")))
    return "original";
  if (paths.has("task.toml")) return "harbor";
  return evalsPaths.some((path) => paths.has(path)) ? "evals" : null;
}
