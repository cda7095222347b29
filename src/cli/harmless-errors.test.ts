import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { main } from "./main.ts";

const hostile = "\u001b[31m\u001b]0;owned\u0007\u202e";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "harmless-errors-"));
  await writeFile(join(folder, "a.yaml"), JSON.stringify({ name: "a", skills: [`skills/${hostile}`] }));
  await mkdir(join(folder, "out", hostile), { recursive: true });
  await writeFile(join(folder, "out", hostile, "plan.json"), "{");
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  [["report", `nowhere${hostile}`]],
  [["report", `out/${hostile}`]],
  [["compare", "a", hostile]],
  [["eval", "--config", `${hostile}.yaml`]],
  [["eval", "--config", "a.yaml"]],
  [["eval", `--${hostile}`]],
  [[`command${hostile}`]],
])("a refusal of %j holds nothing that a terminal obeys", async (args) => {
  const io = capturedIo(folder);
  expect(await main(args, io)).toBe(2);
  expect(io.stderr()).toMatch(/^error: /);
  expect(io.stderr()).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});
