import { load, YAMLException } from "js-yaml";
import { type Bundle, type BundleSpec, bundleSpecSchema } from "../artefacts/bundle.ts";
import { type FileTree, hashTree, isExecutable, sortedTree, subtree, textOf } from "../artefacts/tree.ts";
import { nearest } from "../nearest.ts";
import { readClaims } from "./draft-claims.ts";
import { pathFaults } from "./draft-paths.ts";
import { sentinelFaults, sentinelsOf } from "./draft-sentinels.ts";

/** A delivered folder as a bundle, or everything that is wrong with its form, all at once. */
export type ParsedDraft =
  | { readonly kind: "bundle"; readonly bundle: Bundle }
  | { readonly kind: "faults"; readonly faults: readonly string[] };

/** Written by us beside an author's files; never part of a delivery. */
const oursToIgnore = new Set(["gate.json", "FAILED.md", "IMPORTED.md"]);

/**
 * Reads a delivered folder by the contract of a bundle: its form only, whether it measures anything is the gate's
 * question. Never throws for what the folder holds. Used for an author's draft and for a benchmark on disk alike.
 */
export function parseDraft(id: string, delivered: FileTree): ParsedDraft {
  const tree = sortedTree(delivered.filter((entry) => !oursToIgnore.has(entry.path)));
  const yaml = readSpec(tree);
  const traced = readClaims(tree);
  const faults = [
    ...pathFaults(tree),
    ...partFaults(tree),
    ...traced.faults,
    ...(yaml.kind === "faults"
      ? yaml.faults
      : [...specFaults(yaml.spec, tree), ...sentinelFaults(yaml.spec, tree)]),
  ];
  if (faults.length > 0 || yaml.kind === "faults") return { kind: "faults", faults };
  const bundle: Bundle = {
    id,
    spec: yaml.spec,
    task: textOf(tree, "task.md") ?? "",
    fixtures: subtree(tree, "fixtures"),
    reference: subtree(tree, "reference"),
    grader: subtree(tree, "grader"),
    claims: traced.claims,
    sentinels: sentinelsOf(tree),
    tree,
    hash: hashTree(tree),
  };
  return { kind: "bundle", bundle };
}

function partFaults(tree: FileTree): readonly string[] {
  const faults: string[] = [];
  const task = tree.find((entry) => entry.path === "task.md");
  if (task?.kind !== "file") faults.push("task.md: missing. It states the task to the agent.");
  else if (!isUtf8(task.bytes)) faults.push("task.md: not UTF-8 text.");
  else if (textOf(tree, "task.md")?.trim() === "")
    faults.push("task.md: empty. It states the task to the agent.");
  const grade = tree.find((entry) => entry.path === "grader/grade");
  if (grade?.kind !== "file")
    faults.push("grader/grade: missing. It is the program that grades a workspace.");
  else if (!isExecutable(grade.mode)) faults.push("grader/grade: not executable. Run: chmod +x grader/grade");
  return faults;
}

type ReadSpec =
  | { readonly kind: "spec"; readonly spec: BundleSpec }
  | { readonly kind: "faults"; readonly faults: readonly string[] };

function readSpec(tree: FileTree): ReadSpec {
  const text = textOf(tree, "benchmark.yaml");
  if (text === undefined)
    return { kind: "faults", faults: ["benchmark.yaml: missing. It needs at least title and outputs."] };
  let raw: unknown;
  try {
    raw = load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return {
      kind: "faults",
      faults: [`benchmark.yaml: not valid YAML: ${error.message.split("\n")[0] ?? ""}`],
    };
  }
  const parsed = bundleSpecSchema.safeParse(raw);
  if (parsed.success) return { kind: "spec", spec: parsed.data };
  return { kind: "faults", faults: parsed.error.issues.flatMap(specIssueWords) };
}

function specIssueWords(issue: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code: string;
  readonly keys?: readonly string[];
}): readonly string[] {
  if (issue.code === "unrecognized_keys") {
    return (issue.keys ?? []).map((key) => {
      const [meant] = nearest(key, Object.keys(bundleSpecSchema.shape));
      return `benchmark.yaml: ${key}: no such field${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    });
  }
  const field = issue.path.map(String).join(".");
  return [`benchmark.yaml: ${field === "" ? "" : `${field}: `}${issue.message}`];
}

/** What the fields say about other files. */
function specFaults(spec: BundleSpec, tree: FileTree): readonly string[] {
  const faults: string[] = [];
  const has = (path: string): boolean => tree.some((entry) => entry.path === path);
  for (const [at, path] of spec.removes.entries()) {
    if (!has(`fixtures/${path}`)) faults.push(`benchmark.yaml: removes.${at}: there is no fixtures/${path}`);
    if (has(`reference/${path}`))
      faults.push(`benchmark.yaml: removes.${at}: reference/${path} puts back what is removed`);
  }
  for (const [at, glob] of spec.outputs.entries()) {
    if (glob.startsWith("/") || glob.split("/").includes("..")) {
      faults.push(`benchmark.yaml: outputs.${at}: "${glob}" is not relative to /workspace`);
    }
  }
  if (spec.removes.length === 0 && !tree.some((entry) => entry.path.startsWith("reference/"))) {
    faults.push("reference/: missing. It holds the files of a correct solution, laid over the fixtures.");
  }
  return faults;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
