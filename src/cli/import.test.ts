import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseDraft } from "../author/draft.ts";
import { UserError } from "../errors.ts";
import { readBundle } from "../store/benchmarks.ts";
import { writeTree } from "../store/tree.ts";
import { treeOf } from "../testing/benchmark.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { addImport } from "./import.ts";
import type { ExitCode } from "./io.ts";

const shipped = join(import.meta.dirname, "../testing/formats");
const original = "bench_01_highest_tide";
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "import-"));
  await cp(join(shipped, "original", original), join(folder, "theirs", original), { recursive: true });
  await cp(join(shipped, "evals/harbour-notes"), join(folder, "skills/harbour-notes"), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

async function importing(...args: readonly string[]): Promise<{ code: ExitCode | null; io: CapturedIo }> {
  const io = capturedIo(folder);
  let code: ExitCode | null = null;
  const program = new Command("skillproof")
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  addImport(program, io, (ended) => {
    code = ended;
  });
  await program.parseAsync(["import", ...args], { from: "user" });
  return { code, io };
}

type Told = {
  readonly imported: readonly {
    id: string;
    folder: string;
    format: string;
    losses: readonly { part: string; words: string }[];
  }[];
  readonly refused: readonly { id: string; reasons: readonly string[] }[];
};
const told = (io: CapturedIo): Told => JSON.parse(io.stdout()) as Told;

test("a benchmark of the original: a bundle, what was lost beside it, and what to do next", async () => {
  const { code, io } = await importing(`theirs/${original}`, "--into", "mine");
  expect(code).toBe(0);
  expect(io.stdout()).toContain("1 of 1 imported");
  expect(io.stdout()).toContain(`Next: skillproof validate mine/${original}\n`);
  expect(io.stderr()).toContain("benchmark.yaml limits.max_turns: 25: agents are limited by the campaign");
  const bundle = await readBundle(join(folder, "mine", original), parseDraft);
  expect(bundle.spec.title).toBe("The highest tide of a day");
  const report = await readFile(join(folder, "mine", original, "IMPORTED.md"), "utf8");
  expect(report).toContain("- **benchmark.yaml reviewed\\_by**: ");
  expect(report).not.toContain(folder);
});

test("--json says what was imported and what was refused; one refusal is exit code 1", async () => {
  const { code, io } = await importing("theirs", "skills", "--into", "mine", "--json");
  expect(code).toBe(1);
  const { imported, refused } = told(io);
  expect(imported.map(({ id, format }) => [id, format])).toEqual([
    [original, "original"],
    ["harbour-notes-1", "evals"],
    ["harbour-notes-u-nder-keel", "evals"],
  ]);
  expect(imported[0]?.folder).toBe(join(folder, "mine", original));
  expect(imported[0]?.losses.map(({ part }) => part)).toContain("benchmark.yaml difficulty");
  expect(refused.map(({ id }) => id)).toEqual(["harbour-notes-3", "harbour-notes-4"]);
  expect((await readdir(join(folder, "mine"))).sort()).toEqual(imported.map(({ id }) => id).sort());
});

test.each([["skills/harbour-notes"], ["skills/harbour-notes/evals"], ["skills"]])(
  "a skill's evaluations are found from %s",
  async (from) => {
    const { io } = await importing(from, "--into", "mine", "--json", "--format", "evals");
    expect(told(io).imported[0]).toMatchObject({ id: "harbour-notes-1", format: "evals" });
  },
);

test("a bundle that is there is kept, and replaced with --force", async () => {
  await importing("theirs", "--into", "mine");
  const task = join(folder, "mine", original, "task.md");
  await writeFile(task, "Mine now.\n");
  const again = await importing("theirs", "--into", "mine", "--json");
  expect(again.code).toBe(1);
  expect(told(again.io).refused[0]?.reasons[0]).toMatch(/is there already.*--force/);
  expect(await readFile(task, "utf8")).toBe("Mine now.\n");
  const forced = await importing("theirs", "--into", "mine", "--force");
  expect(forced.code).toBe(0);
  expect(await readFile(task, "utf8")).toContain("highest level");
});

test("what is no bundle is never replaced, nor is the task itself", async () => {
  await writeTree(join(folder, "mine", original), treeOf({ "diary.txt": "dear" }));
  const other = await importing("theirs", "--into", "mine", "--force", "--json");
  expect(told(other.io).refused[0]?.reasons[0]).toContain("holds something that is no benchmark");
  const itself = await importing("theirs", "--into", "theirs", "--force", "--json");
  expect(told(itself.io).refused[0]?.reasons[0]).toContain("is the task itself");
  expect(await readdir(join(folder, "theirs", original))).toContain("task_prompt.md");
});

test("two tasks of one name: the second is refused", async () => {
  await cp(join(folder, "theirs"), join(folder, "others"), { recursive: true });
  const { code, io } = await importing("theirs", "others", "--into", "mine", "--json", "--force");
  expect(code).toBe(1);
  expect(told(io).imported).toHaveLength(1);
  expect(told(io).refused[0]?.reasons[0]).toContain("another task of this import has the same id");
});

test("a task whose bundle would not be sound in form is refused with its faults", async () => {
  await writeFile(join(folder, "theirs", original, "files/AGENTS.md"), "do this\n");
  const { code, io } = await importing("theirs", "--into", "mine", "--json");
  expect(code).toBe(1);
  expect(told(io).refused[0]?.reasons[0]).toMatch(/fixtures\/AGENTS\.md.*reserved/);
  await expect(readdir(join(folder, "mine"))).rejects.toThrow("ENOENT");
});

test("one broken task does not stop the others", async () => {
  await writeTree(
    join(folder, "theirs/a broken one"),
    treeOf({ "benchmark.yaml": "[", "task_prompt.md": "x" }),
  );
  const { code, io } = await importing("theirs", "--into", "mine", "--json");
  expect(code).toBe(1);
  expect(told(io).refused.map(({ id }) => id)).toEqual(["a-broken-one"]);
  expect(told(io).imported.map(({ id }) => id)).toEqual([original]);
});

test.each<[string, readonly string[], RegExp]>([
  ["no such folder", ["nowhere"], /nowhere: not a folder that can be read/],
  ["a file", [`theirs/${original}/README.md`], /README\.md: not a folder that can be read/],
  [
    "nothing known",
    ["empty"],
    /empty: no task to import.*original: benchmark\.yaml with.*harbor: task\.toml; evals: evals\/evals\.json/,
  ],
  [
    "another format",
    ["theirs", "--format", "harbor"],
    /theirs: no task to import.*Looked for harbor: task\.toml\.$/,
  ],
  ["an unknown format", ["theirs", "--format", "habor"], /--format habor: .*did you mean harbor\?/],
  ["one folder of two", ["theirs", "nowhere"], /nowhere: not a folder/],
])("bad input: %s", async (_what, args, expected) => {
  await mkdir(join(folder, "empty"));
  const attempt = importing(...args, "--into", "mine");
  await expect(attempt).rejects.toThrow(UserError);
  await expect(attempt).rejects.toThrow(expected);
  await expect(readdir(join(folder, "mine"))).rejects.toThrow("ENOENT");
});
