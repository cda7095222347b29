import { join } from "node:path";
import { expect, test } from "vitest";
import { matchesGlob } from "../../gate/globs.ts";
import { type FileTree, textOf } from "../../artefacts/tree.ts";
import { parseDraft } from "../../author/draft.ts";
import { readTree } from "../../store/tree.ts";
import { treeOf } from "../../testing/benchmark.ts";
import type { Imported } from "../losses.ts";
import { importOriginal } from "./import-original.ts";
import { outputsFor } from "./outputs.ts";

const id = "bench_01_highest_tide";
const whole = (): Promise<FileTree> =>
  readTree(join(import.meta.dirname, "../../testing/formats/original", id));

const parts = {
  "benchmark.yaml": "schema_version: 1\nid: x\ntitle: Short\n",
  "task_prompt.md": "Write the answer into answer.txt.\n",
  "grader/grade.sh": "exit 0\n",
  "reference_solution/answer.txt": "right\n",
};

function imported(result: Imported): Extract<Imported, { kind: "imported" }> {
  if (result.kind === "refused") throw new Error(result.reasons.join("\n"));
  return result;
}

test("a whole benchmark becomes a bundle of sound form", async () => {
  const original = await whole();
  const { tree } = imported(importOriginal(id, original));
  const parsed = parseDraft(id, tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  const { bundle } = parsed;
  expect(bundle.spec).toEqual({
    ...{ title: "The highest tide of a day", outputs: ["highest.json"], removes: [], judged: false },
  });
  expect(bundle.task).toBe(textOf(original, "task_prompt.md"));
  expect(bundle.fixtures.map(({ path }) => path)).toEqual(["levels.csv"]);
  // What the solution repeats of the fixtures is no change.
  expect(bundle.reference.map(({ path }) => path)).toEqual(["highest.json"]);
  expect(textOf(bundle.grader, "grade.sh")).toBe(textOf(original, "grader/grade.sh"));
  expect(bundle.claims?.claims).toHaveLength(1);
  for (const { sentence } of bundle.claims?.claims ?? [])
    expect(bundle.task.replace(/\s+/g, " ")).toContain(sentence);
});

test("every field without a place is named, unknown ones too", async () => {
  const { losses } = imported(importOriginal(id, await whole()));
  const fields = losses
    .filter(({ part }) => part.startsWith("benchmark.yaml "))
    .map(({ part }) => part.slice(15));
  expect(fields).toEqual([
    ...["skill_name", "capability", "difficulty", "provenance", "timeouts.agent_wall_seconds"],
    ...[
      "timeouts.grader_seconds",
      "limits.max_turns",
      "skill_assets_needed",
      "validation",
      "authoring",
      "reviewed_by",
    ],
  ]);
  const words = Object.fromEntries(losses.map((loss) => [loss.part, loss.words]));
  expect(words["benchmark.yaml timeouts.grader_seconds"]).toContain("90: ");
  expect(words["benchmark.yaml provenance"]).toContain("{cluster_id, cluster_label, chunk_ids}");
  expect(words["benchmark.yaml reviewed_by"]).toBe('"nobody": no such field is known here; left out');
  expect(words["README.md"]).toContain("left out");
  expect(words["grader/grade.sh, programs of the workspace"]).toContain("not separated");
});

const asking = `import json, os
if not os.path.exists(".judge/answers.json"):
    questions = [{"id": "tone", "question": "Is the letter kind?", "text": open("letter.md").read()},
                 {"question": "Is it a letter?", "id": 'form', "image": "x.png"}]
`;

test.each<[string, string, readonly string[], boolean]>([
  ["ids in Python", `${asking}    open(".judge/questions.json", "w")\n`, ["tone", "form"], false],
  [
    "ids in escaped JSON",
    'echo "{\\"id\\": \\"tone\\", \\"question\\": \\"x\\"}" > .judge/questions.json',
    ["tone"],
    false,
  ],
  [
    "ids that a program makes",
    'json.dump([{"id": f"q{n}", "question": q}], open(".judge/questions.json"))',
    [],
    true,
  ],
  ["ids of something else", 'rows = [{"id": "A-1", "name": "x"}]  # .judge/questions.json', [], true],
])("a grader that asks is judged: %s", (_what, check, ids, lost) => {
  const prompt = "Write a letter to letter.md. It should be a kind letter in tone.\n";
  const { tree, losses } = imported(
    importOriginal("x", treeOf({ ...parts, "grader/check.py": check, "task_prompt.md": prompt })),
  );
  const parsed = parseDraft("x", tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  expect(parsed.bundle.spec.judged).toBe(true);
  const found = parsed.bundle.claims?.questions.map((question) => question.id) ?? [];
  expect(found).toEqual(ids);
  expect(losses.some(({ part }) => part === ".judge/questions.json, ids")).toBe(lost);
});

const without = (path: keyof typeof parts): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).filter(([name]) => name !== path));

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ["no yaml", without("benchmark.yaml"), /^benchmark\.yaml: missing$/],
  ["no task", without("task_prompt.md"), /^task_prompt\.md: missing$/],
  ["an empty task", { ...parts, "task_prompt.md": " \n" }, /^task_prompt\.md: empty$/],
  ["no grader", without("grader/grade.sh"), /^grader\/grade\.sh: missing/],
  ["no solution", without("reference_solution/answer.txt"), /^reference_solution\/: missing/],
  [
    "a solution that is the fixtures",
    { ...parts, "files/answer.txt": "right\n" },
    /everything in it is in files\/ too/,
  ],
  [
    "another version",
    { ...parts, "benchmark.yaml": "schema_version: 2\n" },
    /schema_version is 2; only version 1/,
  ],
  [
    "a list for a document",
    { ...parts, "benchmark.yaml": "- a\n- b\n" },
    /holds a list of 2; it must hold fields/,
  ],
  ["an empty document", { ...parts, "benchmark.yaml": "" }, /^benchmark\.yaml: not valid YAML: .*empty/],
  ["broken YAML", { ...parts, "benchmark.yaml": "title: [\n" }, /not valid YAML/],
  [
    "YAML that nests without end",
    { ...parts, "benchmark.yaml": "[".repeat(60_000) },
    /nested too deeply|not valid YAML/,
  ],
  [
    "an entry point elsewhere",
    { ...parts, "benchmark.yaml": "grader: {entrypoint: ../x.sh}\n" },
    /"\.\.\/x\.sh"; it must be a file below grader/,
  ],
  [
    "an absolute entry point",
    { ...parts, "benchmark.yaml": "grader: {entrypoint: /bin/true}\n" },
    /must be a file below grader/,
  ],
  [
    "an entry point that is a number",
    { ...parts, "benchmark.yaml": "grader: {entrypoint: 7}\n" },
    /entrypoint is 7/,
  ],
  [
    "our names in use",
    { ...parts, "grader/grade": "x", "grader/claims.json": "{}" },
    /^grader\/grade: this name is needed[^]*grader\/claims\.json: this/,
  ],
])("refused: %s", (_what, files, expected) => {
  const result = importOriginal("x", treeOf(files));
  expect(result.kind).toBe("refused");
  expect(result.kind === "refused" && result.reasons.join("\n")).toMatch(expected);
});

test("all that is missing is said at once", () => {
  const result = importOriginal("x", treeOf({ "benchmark.yaml": "title: x\n" }));
  expect(result.kind === "refused" && result.reasons).toHaveLength(3);
});

test("aliases that repeat each other do not grow in the report", () => {
  const keys = Array.from("bcdefghijklmnop");
  const lines = keys.map((key, at) => `${key}: &${key} [*${keys[at - 1] ?? "a"}, *${keys[at - 1] ?? "a"}]`);
  const bomb = ["a: &a [x, x]", ...lines];
  const { losses } = imported(
    importOriginal("x", treeOf({ ...parts, "benchmark.yaml": `${bomb.join("\n")}\n` })),
  );
  expect(losses.find(({ part }) => part === "benchmark.yaml p")?.words).toContain("a list of 2");
});

test.each<[string, string, string]>([
  ["another id", "id: y\ntitle: T\n", "benchmark.yaml id"],
  ["no title", "id: x\n", "benchmark.yaml title"],
  ["a grader that is no group", "id: x\ntitle: T\ngrader: yes\n", "benchmark.yaml grader"],
  ["more of a known group", "id: x\ntitle: T\nlimits: {max_tokens: 5}\n", "benchmark.yaml limits.max_tokens"],
  ["a name of many colours", 'id: x\ntitle: T\n"a\\e[31m\\nb": 1\n', 'benchmark.yaml "a\\u001b[31m\\nb"'],
])("lost: %s", (_what, yaml, part) => {
  const { losses } = imported(importOriginal("x", treeOf({ ...parts, "benchmark.yaml": yaml })));
  expect(losses.map((loss) => loss.part)).toContain(part);
});

test("bytes stay as they are: CRLF, marks, what is not UTF-8, executable bits, links", () => {
  const task: FileTree[number] = {
    kind: "file",
    path: "task_prompt.md",
    mode: 0o644,
    bytes: Uint8Array.of(0xef, 0xbb, 0xbf, 0x41, 0x0d, 0x0a),
  };
  const binary: FileTree[number] = {
    kind: "file",
    path: "files/a b.bin",
    mode: 0o755,
    bytes: Uint8Array.of(0, 255, 10),
  };
  const link: FileTree[number] = { kind: "link", path: "files/up", target: "../etc" };
  const { tree } = imported(importOriginal("x", [...treeOf(without("task_prompt.md")), task, binary, link]));
  expect(tree).toContainEqual({ ...task, path: "task.md" });
  expect(tree).toContainEqual({ ...binary, path: "fixtures/a b.bin" });
  const parsed = parseDraft("x", tree);
  expect(parsed.kind === "faults" && parsed.faults.join()).toContain("fixtures/up: a symbolic link");
});

test("a task without any sentence gives no claims, and says so", () => {
  const { tree, losses } = imported(importOriginal("x", treeOf({ ...parts, "task_prompt.md": "# Go\n" })));
  expect(textOf(tree, "grader/claims.json")).toBeUndefined();
  expect(losses.find(({ part }) => part === "task_prompt.md")?.words).toContain(
    "write grader/claims.json by hand",
  );
});

test("outputs cover every changed path, and a folder as a whole when much of it changes", () => {
  const many = Array.from({ length: 30 }, (_, at) => `pages/${at}/index.html`);
  const paths = [...many, "a.txt", "src/one.ts", "odd[1]/{x}*?.txt"];
  const globs = outputsFor(paths);
  expect(globs).toEqual(["a.txt", "odd?1?/?x???.txt", "pages/**", "src/one.ts"]);
  for (const path of paths)
    expect(
      globs.some((glob) => matchesGlob(path, glob)),
      path,
    ).toBe(true);
});
