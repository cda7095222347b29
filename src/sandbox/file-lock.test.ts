import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InfrastructureError, UserError } from "../errors.ts";
import { holdingAlone, holdingFile, isHeld } from "./file-lock.ts";

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

test("one works alone: a second is told at once who does and what to do, and later finds nothing in its way", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lock-"));
  const path = join(folder, "lock");
  const outcome = await holdingAlone(path, "the campaign", async () => {
    expect(await isHeld(path)).toBe(true);
    const second = holdingAlone(path, "the campaign", () => Promise.resolve("never"));
    await expect(second).rejects.toThrow(UserError);
    await expect(second).rejects.toThrow(
      `the campaign: process ${process.pid} on ${hostname()} is at work on it. Wait for it or stop it; if you know ` +
        `that there is no such process, delete ${path}.`,
    );
    return "done";
  });
  expect(outcome).toBe("done");
  expect(await readdir(folder)).toEqual([]);
  await expect(holdingAlone(path, "it", () => Promise.reject(new Error("inside")))).rejects.toThrow("inside");
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["a process of another host", "another-host/1/1@boot", "process 1 on another-host"],
  ["a name that cannot be read", "?", "process 0 on an unknown host"],
])("%s is taken to be at work, and its lock stays", async (_what, holder, words) => {
  const path = join(await mkdtemp(join(tmpdir(), "lock-")), "lock");
  await writeFile(path, holder);
  await expect(holdingAlone(path, "it", () => Promise.resolve("never"))).rejects.toThrow(words);
  expect(await readFile(path, "utf8")).toBe(holder);
});

test("of several that find a dead one's lock exactly one works, and only as itself", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lock-"));
  const path = join(folder, "lock");
  await writeFile(path, `${hostname()}/${process.pid}/1@another-boot`);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let refused = 0;
  const several = Array.from({ length: 8 }, () =>
    holdingAlone(path, "it", () => held).catch((error: unknown) => {
      expect(error).toBeInstanceOf(UserError);
      if (++refused === 7) release();
    }),
  );
  await Promise.all(several);
  expect(refused).toBe(7);
  expect(await readdir(folder)).toEqual([]);
});

test("who clears away temporary files does not disturb those who ask for the lock beside them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lock-"));
  const path = join(folder, "lock");
  const over = new AbortController();
  const clearing = (async () => {
    while (!over.signal.aborted) {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".tmp"));
      await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
    }
  })();
  for (let n = 0; n < 300; n++) await holdingAlone(path, "it", () => Promise.resolve());
  over.abort();
  await clearing;
  expect(await readdir(folder)).toEqual([]);
});
