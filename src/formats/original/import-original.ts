import { dump } from "js-yaml";
import { type Claims, claimsPath } from "../../artefacts/claims.ts";
import {
  type FileTree,
  isExecutable,
  sortedTree,
  subtree,
  textOf,
  type TreeEntry,
} from "../../artefacts/tree.ts";
import type { Imported, Loss } from "../losses.ts";
import { printed } from "../printed.ts";
import { closestSentence, sentencesOf } from "../sentences.ts";
import { gradeProgram, monstrousMiB, originalAssertion } from "./grade-program.ts";
import { asksJudges, writtenQuestions } from "./judge-questions.ts";
import { outputsFor } from "./outputs.ts";
import { type OriginalFields, readFields } from "./read-fields.ts";

const folders = ["files", "reference_solution", "grader"];
const topFiles = ["benchmark.yaml", "task_prompt.md"];
/** Ours below grader/. */
const ownNames = ["grade", "claims.json"];

/**
 * A benchmark folder of the original as a bundle's folder. Its grader stays as it is, below a `grader/grade` of ours that
 * calls it and speaks the contract of a bundle.
 */
export function importOriginal(id: string, tree: FileTree): Imported {
  const yaml = textOf(tree, "benchmark.yaml");
  const fields = yaml === undefined ? null : readFields(id, yaml);
  const reasons = [
    ...(fields !== null && "reasons" in fields ? fields.reasons : []),
    ...partReasons(tree, fields !== null && "entrypoint" in fields ? fields.entrypoint : null),
  ];
  if (reasons.length > 0 || fields === null || "reasons" in fields) return { kind: "refused", id, reasons };
  const task = textOf(tree, "task_prompt.md") ?? "";
  const fixtures = subtree(tree, "files");
  const reference = changedBy(subtree(tree, "reference_solution"), fixtures);
  if (reference.length === 0) {
    const reason = "reference_solution/: everything in it is in files/ too, so that no solution is left";
    return { kind: "refused", id, reasons: [reason] };
  }
  const grader = subtree(tree, "grader");
  const judged = asksJudges(grader);
  const traced = claimsFor(task, judged ? grader : null);
  const spec = {
    title: fields.title ?? id,
    outputs: outputsFor(reference.map(({ path }) => path)),
    ...(judged ? { judged } : {}),
  };
  const bundle: FileTree = [
    text("benchmark.yaml", dump(spec, { lineWidth: -1 })),
    ...tree.filter(({ path }) => path === "task_prompt.md").map((entry) => ({ ...entry, path: "task.md" })),
    ...below("fixtures", fixtures),
    ...below("reference", reference),
    ...below("grader", grader),
    text("grader/grade", gradeProgram(fields.entrypoint.slice("grader/".length), judged), 0o755),
    ...(traced.claims === null ? [] : [text(claimsPath, `${JSON.stringify(traced.claims, null, 2)}\n`)]),
  ];
  const losses = [
    ...fields.losses,
    ...partLosses(tree),
    ...graderLosses(fields, grader, judged),
    ...traced.losses,
  ];
  return { kind: "imported", id, tree: sortedTree(bundle), losses };
}

function partReasons(tree: FileTree, entrypoint: string | null): readonly string[] {
  const isFile = (path: string): boolean =>
    tree.some((entry) => entry.path === path && entry.kind === "file");
  const reasons: string[] = topFiles.filter((path) => !isFile(path)).map((path) => `${path}: missing`);
  if ((textOf(tree, "task_prompt.md") ?? "x").trim() === "") reasons.push("task_prompt.md: empty");
  if (entrypoint !== null && !isFile(entrypoint))
    reasons.push(`${printed(entrypoint)}: missing. It is the original's grader.`);
  if (subtree(tree, "reference_solution").length === 0)
    reasons.push("reference_solution/: missing. Without a solution no grader can be proven.");
  for (const name of ownNames) {
    if (tree.some(({ path }) => path === `grader/${name}` || path.startsWith(`grader/${name}/`)))
      reasons.push(`grader/${name}: this name is needed here. Rename it in the original, and what calls it.`);
  }
  return reasons;
}

/** What the solution has that the fixtures do not have in the same form. */
function changedBy(solution: FileTree, fixtures: FileTree): FileTree {
  const before = new Map(fixtures.map((entry) => [entry.path, entry]));
  return solution.filter((entry) => {
    const old = before.get(entry.path);
    if (old === undefined || old.kind !== entry.kind) return true;
    if (entry.kind === "link") return old.kind === "link" && old.target !== entry.target;
    if (old.kind === "link" || isExecutable(old.mode) !== isExecutable(entry.mode)) return true;
    return Buffer.compare(old.bytes, entry.bytes) !== 0;
  });
}

function partLosses(tree: FileTree): readonly Loss[] {
  const others = new Set(tree.map(({ path }) => path.split("/")[0] ?? ""));
  return [...others]
    .filter((name) => !folders.includes(name) && !topFiles.includes(name))
    .map((name) => ({ part: printed(name), words: "left out; a bundle has no place for it" }));
}

function graderLosses({ entrypoint }: OriginalFields, grader: FileTree, judged: boolean): readonly Loss[] {
  const losses: Loss[] = [
    {
      part: `${entrypoint}, what it asserts`,
      words: `one assertion in all ("${originalAssertion}"), because what it checks one by one is its own secret; mutants that survive cannot be told apart by assertion`,
    },
    {
      part: `${entrypoint}, exit codes`,
      words:
        "every code but 0 and 3 fails, as in the original; so a grader that merely crashes fails the work too. Only one that is killed is an error",
    },
    {
      part: `${entrypoint}, large files`,
      words: `not called on a workspace with a file of more than ${monstrousMiB} MiB, which would kill a grader that reads it: that work fails`,
    },
  ];
  if (!textOf(grader, entrypoint.slice("grader/".length))?.includes("sp-run")) {
    losses.push({
      part: `${entrypoint}, programs of the workspace`,
      words:
        "not separated: what it starts without sp-run is executed as the grader, can read grader/ and can change what the grader sees. Put sp-run before each such call",
    });
  }
  if (judged) {
    losses.push({
      part: ".judge/answers.json",
      words:
        "the second call is made with every answer yes, before any judge is asked; the trial passes when the judges then answer yes to every question. A grader that accepts a no never passes",
    });
    losses.push({
      part: ".judge/questions.json",
      words:
        "judges see files as the agent left them. An image that the grader makes, or a text that is not a whole file or its beginning, cannot be shown: that is an error when it grades",
    });
  }
  return losses;
}

/** `asking` is the grader's folder when it may ask judges. */
function claimsFor(
  task: string,
  asking: FileTree | null,
): { readonly claims: Claims | null; readonly losses: readonly Loss[] } {
  const sentences = sentencesOf(task);
  const [sentence] = sentences;
  if (sentence === undefined) {
    const words =
      "no sentence of it is long enough to trace an assertion to: write grader/claims.json by hand";
    return { claims: null, losses: [{ part: "task_prompt.md", words }] };
  }
  const questions = writtenQuestions(asking ?? []).map(({ id, about }) => ({
    id,
    sentence: closestSentence(sentences, about) ?? sentence,
  }));
  const claims = {
    claims: [{ assertion: originalAssertion, sentence }],
    questions,
    survivors: [],
    refusals: [],
  };
  const losses: Loss[] = [
    {
      part: "grader/claims.json",
      words:
        "the original traces nothing. Its one assertion is traced to the first sentence of the task, questions to the sentence that shares most words with them: read them through",
    },
  ];
  if (asking !== null && questions.length === 0) {
    losses.push({
      part: ".judge/questions.json, ids",
      words:
        "not written down in the grader's files, so grader/claims.json has none. The gate names them: add each under questions as {id, sentence}",
    });
  }
  return { claims, losses };
}

function below(folder: string, tree: FileTree): FileTree {
  return tree.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

function text(path: string, content: string, mode = 0o644): TreeEntry {
  return { kind: "file", path, mode, bytes: new TextEncoder().encode(content) };
}
