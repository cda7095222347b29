import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashTree } from "../artefacts/tree.ts";
import { UserError } from "../errors.ts";
import { importHarbor } from "../formats/harbor/import-harbor.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { readTree } from "../store/tree.ts";
import { answerBundle, letterBundle, passedGate } from "../testing/benchmark.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { addExport } from "./export.ts";
import type { ExitCode } from "./io.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-"));
  for (const bundle of [answerBundle(), answerBundle("second"), letterBundle()])
    await writeBenchmark(join(folder, "benchmarks", bundle.id), bundle, passedGate(bundle));
});
afterEach(() => rm(folder, { recursive: true }));

async function exporting(...args: readonly string[]): Promise<{ code: ExitCode | null; io: CapturedIo }> {
  const io = capturedIo(folder);
  let code: ExitCode | null = null;
  const program = new Command("skillproof")
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  addExport(program, io, (ended) => {
    code = ended;
  });
  await program.parseAsync(["export", ...args], { from: "user" });
  return { code, io };
}

test("each benchmark becomes a folder that is read back equal, and what it loses is said", async () => {
  const { code, io } = await exporting("benchmarks/answer", "benchmarks/second", "--out", "tasks");
  expect(code).toBe(0);
  expect((await readdir(join(folder, "tasks"))).sort()).toEqual(["answer", "second"]);
  expect(io.stderr()).toContain("answer: exported to tasks/answer. What it loses there:\n  sp-run: ");
  expect(io.stdout()).toBe("");
  const perform = (): Promise<never> => Promise.reject(new Error("a script was carried out"));
  const got = await importHarbor("answer", await readTree(join(folder, "tasks/answer")), { perform });
  expect(got.kind === "imported" && hashTree(got.tree)).toBe(answerBundle().hash);
  const members = (await readTree(join(folder, "tasks/answer"))).map(({ path }) => path);
  expect(members).not.toContain("tests/gate.json");
});

test("the environment has the packages of the sandbox's image, and those that are asked for", async () => {
  await exporting("benchmarks/answer", "--out", "tasks", "--packages", "cowsay, g++");
  const dockerfile = await readFile(join(folder, "tasks/answer/environment/Dockerfile"), "utf8");
  const packages = await readFile(join(import.meta.dirname, "../../docker/packages.txt"), "utf8");
  const listed = packages
    .split("\n")
    .flatMap((row) => (row.startsWith("#") ? [] : row.split(" ").filter(Boolean)));
  expect(listed.length).toBeGreaterThan(20);
  for (const name of [...listed, "cowsay", "g++"]) expect(dockerfile).toContain(`\n        ${name} \\\n`);
});

test("a judged benchmark is refused, the others are exported, and the exit code is 1", async () => {
  const { code, io } = await exporting("benchmarks/letter", "benchmarks/answer", "--out", "tasks", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(io.stdout())).toEqual({
    exported: [
      {
        id: "answer",
        folder: "tasks/answer",
        losses: expect.arrayContaining([expect.objectContaining({ part: "gate.json" })]) as unknown,
      },
    ],
    refused: [{ id: "letter", reasons: [expect.stringContaining("judged is true")] }],
  });
  expect(await readdir(join(folder, "tasks"))).toEqual(["answer"]);
});

test("a folder that is not empty is left alone without --force, and replaced with it", async () => {
  await mkdir(join(folder, "tasks/answer"), { recursive: true });
  await writeFile(join(folder, "tasks/answer/mine.txt"), "mine");
  await expect(exporting("benchmarks/second", "benchmarks/answer", "--out", "tasks")).rejects.toThrow(
    /tasks\/answer: not empty\. Choose another --out, or say --force/,
  );
  expect(await readdir(join(folder, "tasks"))).toEqual(["answer"]);
  expect((await exporting("benchmarks/answer", "--out", "tasks", "--force")).code).toBe(0);
  expect(await readdir(join(folder, "tasks/answer"))).not.toContain("mine.txt");
});

test.each<[string, readonly string[], string]>([
  [
    "a folder that is not there",
    ["benchmarks/none", "--out", "tasks"],
    "benchmarks/none: not a benchmark's folder",
  ],
  ["a folder of benchmarks", ["benchmarks", "--out", "tasks"], "not a sound bundle"],
  [
    "another format",
    ["benchmarks/answer", "--out", "tasks", "--format", "x"],
    "--format x: no such format. There is: harbor",
  ],
  [
    "a package with blanks",
    ["benchmarks/answer", "--out", "tasks", "--packages", "a;b"],
    "--packages a;b: not the name",
  ],
  [
    "the benchmarks' own folder",
    ["benchmarks/answer", "--out", "benchmarks", "--force"],
    "overlaps with the benchmark",
  ],
  [
    "a folder inside one",
    ["benchmarks/answer", "--out", "benchmarks/answer/x"],
    "overlaps with the benchmark",
  ],
  [
    "one benchmark twice",
    ["benchmarks/answer", "benchmarks/answer", "--out", "tasks"],
    "two of the benchmarks are called answer",
  ],
  [
    "a file as the target",
    ["benchmarks/answer", "--out", "benchmarks/second/task.md"],
    "benchmarks/second/task.md",
  ],
])("%s: nothing is written", async (_what, args, words) => {
  const before = (await readdir(folder, { recursive: true })).sort();
  const failed = exporting(...args);
  await expect(failed).rejects.toThrow(UserError);
  await expect(failed).rejects.toThrow(words);
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(before);
});

test("--out is asked for", async () => {
  await expect(exporting("benchmarks/answer")).rejects.toThrow("--out");
});
