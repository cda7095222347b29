import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dump } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { RawConfig } from "../config.ts";
import { writeTree } from "../store/tree.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { harborTask } from "../testing/formats/harbor/task.ts";
import { main } from "./main.ts";

const formats = fileURLToPath(new URL("../testing/formats", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "imported-gate-"));
  // Judges that are not convinced by a description of an answer.
  const policy = { format: "skillproof/stand-in-policy@1", models: {}, judges: [] };
  const config: RawConfig = {
    name: "imported",
    models: { standIn: "policy.yaml" },
    judge: { models: ["stand-in/judge-a", "stand-in/judge-b", "stand-in/judge-c"] },
    gate: { mutants: 12, gradings: 3 },
  };
  await writeFile(join(folder, "policy.yaml"), dump(policy));
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
  await writeTree(join(folder, "harbor-task"), harborTask());
  const io = capturedIo(folder);
  const from = [
    join(formats, "original/bench_01_highest_tide"),
    join(formats, "evals/harbour-notes"),
    "harbor-task",
  ];
  // Two of the evaluations lack a file or an expectation, and are refused at the import already.
  expect(await main(["import", ...from, "--into", "bundles"], io), io.stderr()).toBe(1);
});
afterAll(() => rm(folder, { recursive: true }));

const told = z.object({
  benchmarks: z.array(
    z.object({
      passed: z.boolean(),
      checks: z.array(
        z.object({ name: z.string(), passed: z.boolean(), reason: z.string(), ms: z.number().nullable() }),
      ),
    }),
  ),
});

/** Checks that were tried and refuse it, with their words. */
async function refusals(id: string): Promise<ReadonlyMap<string, string>> {
  const io = capturedIo(folder);
  await main(["validate", "--json", join("bundles", id)], io);
  const [found] = told.parse(JSON.parse(io.stdout())).benchmarks;
  const refused = found?.checks.filter(({ passed, ms }) => !passed && ms !== null) ?? [];
  return new Map(refused.map(({ name, reason }) => [name, reason]));
}

test("a bundle of the original passes the whole gate", async () => {
  expect([...(await refusals("bench_01_highest_tide"))]).toEqual([]);
});

test("a Harbor task whose tests compare bytes is refused as too strict, and for nothing else", async () => {
  const refused = await refusals("harbor-task");
  expect([...refused.keys()]).toEqual(["variants-pass"]);
  expect(refused.get("variants-pass")).toContain("final-newline:out/sum.txt");
});

test("an evaluation whose expected output is a description is refused: judges do not take it for an answer", async () => {
  const refused = await refusals("harbour-notes-1");
  expect([...refused.keys()]).toEqual(["reference-passes"]);
  expect(refused.get("reference-passes")).toContain(
    "Make reference/ clearly fulfil what the question states",
  );
});
