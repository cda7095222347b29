import { dump } from "js-yaml";
import { claimsPath } from "../../artefacts/claims.ts";
import { type FileTree, sortedTree, subtree, type TreeEntry } from "../../artefacts/tree.ts";
import type { Imported, ImportTools, Loss } from "../losses.ts";
import { outputsFor } from "../original/outputs.ts";
import { printed } from "../printed.ts";
import { sentencesOf } from "../sentences.ts";
import { gradeProgram, logsFolder, testsFolder, verifierAssertion } from "./grade-program.ts";
import { networkReasons } from "./network-use.ts";
import { readBack } from "./read-back.ts";
import { readEnvironment } from "./read-environment.ts";
import { parseTaskToml, readTaskToml } from "./read-task-toml.ts";
import { rewritePaths, rewriteTree, lossOf } from "./rewrite-paths.ts";
import { solve } from "./solve.ts";
import { bytesOf, strictText } from "./strict-text.ts";

/** Members of a Harbor task that become parts of a bundle. */
const known = ["task.toml", "instruction.md", "environment", "tests", "solution"];
const composeFile = /^(docker-)?compose\.ya?ml$/;
const mostReasons = 40;

/**
 * A Harbor task (schema 1.0 to 1.4) as a bundle. One that was exported from a bundle is read back as that bundle; of
 * any other the solution is carried out to see what it changes, and that becomes the reference. Refused with every
 * reason at once when it needs what a container here does not have. Throws only what `tools.perform` throws.
 */
export async function importHarbor(id: string, tree: FileTree, tools: ImportTools): Promise<Imported> {
  const table = parseTaskToml(bytesOf(tree, "task.toml"));
  if (typeof table === "string") return { kind: "refused", id, reasons: [table] };
  const again = readBack(id, tree, table);
  if (again !== null) return again;
  const toml = readTaskToml(table);
  const environment = readEnvironment(subtree(tree, "environment"), toml.workdir);
  const instruction = instructionOf(tree);
  const reasons = [...toml.reasons, ...instruction.reasons, ...memberReasons(tree), ...environment.reasons];
  const { workdir } = environment;
  if (reasons.length > 0 || workdir === null)
    return { kind: "refused", id, reasons: reasons.slice(0, mostReasons) };

  const moves = { [workdir]: "/workspace" };
  const fixtures = rewriteTree(environment.fixtures, moves, "environment");
  const solved = await solve(
    subtree(tree, "solution"),
    { fixtures: fixtures.tree, workdir, env: toml.solutionEnv },
    tools,
  );
  if (solved.kind === "refused") return { kind: "refused", id, reasons: [solved.reason] };
  const testMoves = { ...moves, "/tests": testsFolder, "/logs": logsFolder };
  const tests = rewriteTree(subtree(tree, "tests"), testMoves, "tests");
  const task = rewritePaths(instruction.text, moves);
  const [sentence] = sentencesOf(task.text);
  const { reference, removes } = solved;
  const losses = [
    ...toml.losses,
    ...environment.losses,
    ...(task.counts.size === 0 ? [] : [lossOf("instruction.md", task.counts, moves)]),
    ...fixtures.losses,
    ...solved.losses,
    ...tests.losses,
    ...otherMembers(tree),
    ...verifierLosses(sentence),
  ];
  const spec = {
    title: toml.title ?? id,
    outputs: outputsFor([...reference.map(({ path }) => path), ...removes]),
    ...(removes.length === 0 ? {} : { removes }),
  };
  const bundle = sortedTree([
    textFile("benchmark.yaml", dump(spec)),
    textFile("task.md", task.text),
    ...below("fixtures", fixtures.tree),
    ...below("reference", reference),
    ...below("grader/tests", tests.tree),
    textFile("grader/grade", gradeProgram(toml.verifierEnv), 0o755),
    ...(sentence === undefined ? [] : [claimsFile(sentence)]),
  ]);
  return { kind: "imported", id, tree: bundle.map(withTestExecutable), losses };
}

function instructionOf(tree: FileTree): { readonly text: string; readonly reasons: readonly string[] } {
  const bytes = bytesOf(tree, "instruction.md");
  const text = bytes === undefined ? undefined : strictText(bytes);
  if (text === undefined)
    return { text: "", reasons: ["instruction.md: missing. It states the task to the agent."] };
  if (text === null) return { text: "", reasons: ["instruction.md: not UTF-8 text."] };
  return {
    text,
    reasons: text.trim() === "" ? ["instruction.md: empty. It states the task to the agent."] : [],
  };
}

/** What the files by their names and the scripts by their commands rule out. */
function memberReasons(tree: FileTree): readonly string[] {
  const [tests, solution, environment] = ["tests", "solution", "environment"].map((folder) =>
    subtree(tree, folder),
  );
  const has = (folder: FileTree | undefined, path: string): boolean =>
    folder?.some((entry) => entry.path === path) === true;
  const reasons: string[] = [];
  const compose = environment?.find(({ path }) => composeFile.test(path));
  if (compose !== undefined)
    reasons.push(
      `environment/${compose.path}: describes several containers; a trial has one. Put everything into the Dockerfile's.`,
    );
  if (subtree(tree, "steps").length > 0)
    reasons.push("steps/: has steps; a bundle has one task. Make a task of each step.");
  if (has(tests, "Dockerfile"))
    reasons.push(
      "tests/Dockerfile: an environment of the verifier's own; tests here are executed in the one image. Take it out.",
    );
  if (!has(tests, "test.sh")) {
    const bat = has(tests, "test.bat") ? " There is a test.bat, but containers here are Linux." : "";
    reasons.push(`tests/test.sh: missing. It decides about the work.${bat}`);
  }
  if (!has(solution, "solve.sh"))
    reasons.push(
      "solution/solve.sh: missing. What it changes becomes the reference, which shows that the task can be solved.",
    );
  for (const { kind, path } of tree)
    if (kind === "link" && /^(tests|solution)\//.test(path))
      reasons.push(`${printed(path)}: a symbolic link. Put a file there.`);
  return [...reasons, ...networkReasons(tests ?? [], "tests"), ...networkReasons(solution ?? [], "solution")];
}

function otherMembers(tree: FileTree): readonly Loss[] {
  const tops = new Set(tree.map(({ path }) => path.split("/")[0] ?? path));
  return [...tops]
    .filter((top) => !known.includes(top))
    .map((top) => ({ part: printed(top), words: "no part of a bundle; not kept" }));
}

/** What holds of every imported verifier. */
function verifierLosses(sentence: string | undefined): readonly Loss[] {
  const separation =
    "programs of the workspace that it starts are executed as the grader, who can read the tests and write the reward. Start them through sp-run to separate them";
  const reward = "a reward below 1, or several of which one is, counts as failed; there is no part of a pass";
  const claims =
    sentence === undefined
      ? "task.md has no sentence to trace its assertion to, so grader/claims.json is missing and the gate will refuse the bundle. Add it"
      : "what it checks one by one is not known: one assertion stands for all, traced to the first sentence of the task. Make one of each check";
  const loss = (words: string): Loss => ({ part: "tests/test.sh", words });
  return [loss(separation), loss(reward), loss(claims)];
}

function claimsFile(sentence: string): TreeEntry {
  const claims = { claims: [{ assertion: verifierAssertion, sentence }] };
  return textFile(claimsPath, `${JSON.stringify(claims, null, 2)}\n`);
}

/** As Harbor makes it before it calls it. */
function withTestExecutable(entry: TreeEntry): TreeEntry {
  return entry.kind === "file" && entry.path === "grader/tests/test.sh" ? { ...entry, mode: 0o755 } : entry;
}

function below(folder: string, tree: FileTree): FileTree {
  return tree.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

function textFile(path: string, text: string, mode = 0o644): TreeEntry {
  return { kind: "file", path, mode, bytes: new TextEncoder().encode(text) };
}
