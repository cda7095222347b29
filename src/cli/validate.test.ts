import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { gateRecordSchema } from "../artefacts/gate.ts";
import { writeTree } from "../store/tree.ts";
import { totalsBundle } from "../testing/bad-bundles/totals.ts";
import { treeOf } from "../testing/benchmark.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { checkNames } from "../validate-benchmark.ts";
import { main } from "./main.ts";

const outputSchema = z.strictObject({
  benchmarks: z.array(
    z.strictObject({
      id: z.string(),
      passed: z.boolean(),
      killRate: z.number().nullable(),
      checks: z.array(
        z.strictObject({
          name: z.string(),
          passed: z.boolean(),
          reason: z.string(),
          warnings: z.array(z.string()),
          ms: z.number().nullable(),
        }),
      ),
    }),
  ),
});

// Whole gates, on a machine that has others to do.
vi.setConfig({ testTimeout: 300_000 });

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "validate-"));
  await writeFile(
    join(folder, "skillproof.config.yaml"),
    "name: validated\ngate: { mutants: 10, gradings: 2 }\n",
  );
  await writeTree(join(folder, "sound"), totalsBundle().tree);
  const wrong = totalsBundle("wrong", { "reference/total.json": '{"total": 1, "rows": 4}\n' });
  await writeTree(join(folder, "wrong"), wrong.tree);
  await writeTree(join(folder, "malformed"), treeOf({ "task.md": "Do it.\n" }));
});
afterAll(() => rm(folder, { recursive: true }));

async function validate(...args: string[]) {
  const io = capturedIo(folder);
  const code = await main(["validate", ...args], io);
  return { code, out: io.stdout(), err: io.stderr() };
}

async function validateJson(...args: string[]) {
  const { code, out, err } = await validate("--json", ...args);
  return { code, err, ...outputSchema.parse(JSON.parse(out)) };
}

const recordIn = async (name: string) =>
  gateRecordSchema.parse(JSON.parse(await readFile(join(folder, name, "gate.json"), "utf8")));

test("all of the gate: a table that says what each check found and how long it took", async () => {
  const { code, out, err } = await validate("sound");
  expect(code, err).toBe(0);
  expect(out.split("\n")[0]).toMatch(/^sound: passed, kill rate 100 %, \d+\.\d s$/);
  for (const name of checkNames())
    expect(out).toMatch(new RegExp(`^ {2}${name} +passed +\\d+\\.\\d s {2}\\S`, "m"));
  const record = await recordIn("sound");
  expect(record).toMatchObject({ passed: true, killRate: 1, settings: { mutants: 10, gradings: 2 } });
  expect(record.checks.map(({ check }) => check)).toEqual(checkNames());
});

test("the same content is not tried twice, unless asked for", async () => {
  const before = await stat(join(folder, "sound", "gate.json"));
  const again = await validate("sound");
  expect(again.out.split("\n")[0]).toMatch(/, found before for the same content$/);
  expect((await stat(join(folder, "sound", "gate.json"))).mtimeMs).toBeGreaterThan(before.mtimeMs);
  const { out } = await validate("--no-cache", "--checks", "structure", "sound");
  expect(out.split("\n")[0]).not.toContain("found before");
});

test("every check is tried on a bad bundle, but those that say nothing without its reference", async () => {
  const { code, benchmarks } = await validateJson("wrong");
  expect(code).toBe(1);
  const [found] = benchmarks;
  expect(found).toMatchObject({ id: "wrong", passed: false, killRate: null });
  expect(found?.checks.map(({ name }) => name)).toEqual(checkNames());
  const by = new Map(found?.checks.map((check) => [check.name, check]));
  expect(by.get("reference-passes")?.reason).toContain("failed: total is the sum");
  expect(by.get("untouched-fails")?.passed).toBe(true);
  for (const name of ["mutants-fail", "variants-pass", "cheats-fail"])
    expect(by.get(name)).toMatchObject({ passed: false, ms: null });
  expect((await recordIn("wrong")).passed).toBe(false);
});

test("chosen checks are tried alone, and leave no record that could pass for a whole gate", async () => {
  const before = await recordIn("sound");
  const { code, benchmarks } = await validateJson("--checks", "claims,structure", "sound", "wrong");
  expect(benchmarks.map(({ checks }) => checks.map(({ name }) => name))).toEqual([
    ["structure", "claims"],
    ["structure", "claims"],
  ]);
  expect(code).toBe(0);
  expect(await recordIn("sound")).toEqual(before);
});

test("a folder that is no bundle yet is refused with every fault of its form", async () => {
  const { code, benchmarks } = await validateJson("malformed", "sound");
  expect(code).toBe(1);
  expect(benchmarks.map(({ id, passed }) => [id, passed])).toEqual([
    ["malformed", false],
    ["sound", true],
  ]);
  const [form] = benchmarks[0]?.checks ?? [];
  expect(form?.name).toBe("form");
  for (const words of ["benchmark.yaml: missing", "grader/grade: missing"])
    expect(form?.reason).toContain(words);
});

test("a record of another version is no obstacle to a new one", async () => {
  await writeFile(join(folder, "sound", "gate.json"), '{"format":"skillproof/gate@1"}');
  const { code, benchmarks } = await validateJson("sound");
  expect([code, benchmarks[0]?.passed]).toEqual([0, true]);
  expect((await recordIn("sound")).passed).toBe(true);
});

test.each([
  ["an unknown check", ["--checks", "mutant-fails", "sound"], "Did you mean mutants-fail?"],
  ["no check", ["--checks", ",", "sound"], "--checks: none named"],
  ["no such folder", ["nowhere"], "nowhere: not a benchmark's folder"],
])("bad input: %s", async (_what, args, words) => {
  const { code, out, err } = await validate(...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(words);
});
