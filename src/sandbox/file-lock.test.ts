import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InfrastructureError } from "../errors.ts";
import { holdingFile } from "./file-lock.ts";

const quiet = { limitMs: 60_000, onWait: () => undefined };

test("holders come one after the other, and nothing is left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lock-"));
  const path = join(folder, "lock");
  const steps: string[] = [];
  const hold = (name: string) =>
    holdingFile(path, quiet, async () => {
      steps.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      steps.push(`${name} out`);
    });
  await Promise.all([hold("a"), hold("b")]);
  expect(steps.map((step) => step.slice(2))).toEqual(["in", "out", "in", "out"]);
  await expect(holdingFile(path, quiet, () => Promise.reject(new Error("inside")))).rejects.toThrow("inside");
  expect(await readdir(folder)).toEqual([]);
});

test("a dead holder's lock is taken over, a living one's is waited for and then complained about", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "lock-")), "lock");
  await writeFile(path, `${hostname()}/${process.pid}/1@another-boot`);
  expect(await holdingFile(path, quiet, () => Promise.resolve("mine"))).toBe("mine");
  await writeFile(path, "another-host/1/1@boot");
  const impatient = holdingFile(path, { ...quiet, limitMs: 1 }, () => Promise.resolve("never"));
  await expect(impatient).rejects.toThrow(InfrastructureError);
});
