import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import { type FileTree, hashTree, overlay, textOf } from "../../artefacts/tree.ts";
import { parseDraft } from "../../author/draft.ts";
import { readBundle } from "../../store/benchmarks.ts";
import { answerBundle, letterBundle, treeOf } from "../../testing/benchmark.ts";
import type { Imported } from "../losses.ts";
import { exportHarbor } from "./export-harbor.ts";
import { importHarbor } from "./import-harbor.ts";

const shippedFolder = join(import.meta.dirname, "../../../benchmarks/house-style");

async function shipped(): Promise<readonly Bundle[]> {
  const members = await readdir(shippedFolder, { recursive: true });
  const ids = members
    .filter((path) => path.endsWith("/benchmark.yaml"))
    .map((path) => path.split("/")[0] ?? "");
  return Promise.all(ids.sort().map((id) => readBundle(join(shippedFolder, id), parseDraft)));
}

function exported(bundle: Bundle): FileTree {
  const got = exportHarbor(bundle);
  if (got.kind === "refused") throw new Error(got.reasons.join("\n"));
  return got.tree;
}

/** Nothing of an exported task is carried out when it is read back. */
function readBack(task: FileTree, id = "answer"): Promise<Imported> {
  return importHarbor(id, task, { perform: () => Promise.reject(new Error("a script was carried out")) });
}

test("every shipped benchmark that no judge decides is read back equal", async () => {
  const bundles = (await shipped()).filter(({ spec }) => !spec.judged);
  expect(bundles.length).toBeGreaterThanOrEqual(4);
  for (const bundle of bundles) {
    const got = await readBack(exported(bundle), bundle.id);
    expect(got, bundle.id).toMatchObject({ kind: "imported", readBack: true, losses: [] });
    expect(got.kind === "imported" && hashTree(got.tree), bundle.id).toBe(bundle.hash);
  }
});

test("so is one with odd names, bytes and modes, without fixtures or claims", async () => {
  const odd: FileTree = [
    ...treeOf({
      "benchmark.yaml": '\ufefftitle: "it\'s \\"odd\\" [x](y)"\r\noutputs: [\'a b.txt\']\r\n# end',
      "task.md": "Line one\r\nLine two é\r\n\r\n",
      "reference/a b.txt!": "",
      "grader/grade!": "#!/bin/bash\nexit 1\n",
    }),
    { kind: "file", path: "grader/x\u00e9.bin", mode: 0o644, bytes: new Uint8Array([0, 255, 13, 10]) },
  ];
  const parsed = parseDraft("Odd id é", odd);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  const task = exported(parsed.bundle);
  expect(textOf(task, "environment/Dockerfile")).not.toContain("COPY");
  expect(parse(textOf(task, "task.toml") ?? "")).toMatchObject({ task: { name: "skillproof/Odd-id" } });
  const got = await readBack(task, "Odd id é");
  expect(got.kind === "imported" && hashTree(got.tree)).toBe(parsed.bundle.hash);
});

test("task.toml is by the letter of schema 1.3, with floats where the schema has them", () => {
  const toml = textOf(exported(answerBundle()), "task.toml") ?? "";
  const { hash } = answerBundle();
  expect(parse(toml)).toEqual({
    schema_version: "1.3",
    task: { name: "skillproof/answer", description: "Answer" },
    metadata: { skillproof: { format: "skillproof/harbor@1", benchmark: "answer", bundle: hash } },
    agent: { timeout_sec: 1800 },
    verifier: { timeout_sec: 180 },
    environment: {
      build_timeout_sec: 1800,
      os: "linux",
      gpus: 0,
      workdir: "/workspace",
      network_mode: "no-network",
    },
  });
  expect(toml).toMatch(/^timeout_sec = 1800\.0$/m);
  expect(toml).toMatch(/^gpus = 0$/m);
});

test("the parts lie where Harbor looks for them", () => {
  const bundle = answerBundle();
  const task = exported(bundle);
  expect(
    task.map((entry) => `${entry.path}${entry.kind === "file" && entry.mode === 0o755 ? "!" : ""}`),
  ).toEqual([
    "README.md",
    "environment/Dockerfile",
    "environment/fixtures/notes.txt",
    "instruction.md",
    "solution/reference/answer.txt",
    "solution/solve.sh!",
    "task.toml",
    "tests/benchmark.yaml",
    "tests/grader/claims.json",
    "tests/grader/grade!",
    "tests/read-outcome.py",
    "tests/sp-run!",
    "tests/test.sh!",
  ]);
  expect(textOf(task, "instruction.md")).toBe(bundle.task);
  expect(textOf(task, "environment/Dockerfile")).toContain("COPY fixtures/ /workspace/\n");
  const got = exportHarbor(bundle);
  for (const { words } of got.kind === "exported" ? got.losses : [])
    expect(textOf(task, "README.md")).toContain(words);
});

test("packages are named once, in order, python3 among them", () => {
  const got = exportHarbor(answerBundle(), { packages: ["jq", "bc", "jq"] });
  const text = got.kind === "exported" ? textOf(got.tree, "environment/Dockerfile") : "";
  expect(text?.match(/^ {8}\S+/gm)?.map((row) => row.trim())).toEqual(["bc", "jq", "python3"]);
});

test("a judged bundle is refused with the reason", () => {
  expect(exportHarbor(letterBundle())).toEqual({
    kind: "refused",
    reasons: [expect.stringMatching(/judged is true.*nobody there asks three judges/)],
  });
});

test("an edited task is read by its parts and says that it was edited", async () => {
  const edited = overlay(
    exported(answerBundle()),
    treeOf({ "instruction.md": "Write another answer into answer.txt.\n" }),
  );
  const got = await readBack(edited);
  expect(got).toMatchObject({
    kind: "imported",
    losses: [{ part: "task.toml [metadata.skillproof] bundle" }],
  });
  expect(got).not.toHaveProperty("readBack");
  expect(got.kind === "imported" && textOf(got.tree, "task.md")).toBe(
    "Write another answer into answer.txt.\n",
  );
});

test("a task of a layout that is not known is refused", async () => {
  const task = exported(answerBundle());
  const toml = (textOf(task, "task.toml") ?? "").replace("skillproof/harbor@1", "skillproof/harbor@9");
  const got = await readBack(overlay(task, treeOf({ "task.toml": toml })));
  expect(got).toMatchObject({
    kind: "refused",
    reasons: [expect.stringContaining('is "skillproof/harbor@9"')],
  });
});
