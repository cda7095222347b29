import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { main } from "./main.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-out-"));
});
afterEach(() => rm(folder, { recursive: true }));

test.each([".", "benchmarks/.."])(
  "the demo does not empty a folder of somebody else: --out %s",
  async (out) => {
    await mkdir(join(folder, "benchmarks"));
    await writeFile(join(folder, "thesis.tex"), "years of work");
    const io = capturedIo(folder);
    expect(await main(["demo", "--out", out], io)).toBe(2);
    expect(io.stderr()).toContain("holds thesis.tex, which no demo made");
    expect(await readdir(folder)).toEqual(["benchmarks", "thesis.tex"]);
  },
);

test("nor a file", async () => {
  await writeFile(join(folder, "thesis.tex"), "years of work");
  const io = capturedIo(folder);
  expect(await main(["demo", "--out", "thesis.tex"], io)).toBe(2);
  expect(await readFile(join(folder, "thesis.tex"), "utf8")).toBe("years of work");
});
