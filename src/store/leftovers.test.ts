import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findDeadOutput, findDeadTemporary, type Living } from "./leftovers.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "leftovers-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Process 1 lives and holds the lock of `alive`; everything else is dead. */
const living: Living = {
  holds: (lock) => Promise.resolve(lock.includes("/alive/")),
  runs: (pid) => pid === 1,
};

async function write(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), "12345");
  }
}

test("what dead processes left below out is found with its size, what a living one has at work is not", async () => {
  await write(
    "alive/campaign.lock",
    "alive/trials/1.unfinished/transcript.jsonl",
    "alive/plan.json.2.ab.tmp",
    "dead/campaign.lock",
    "dead/plan.json",
    "dead/trials/1.unfinished/workspace.tar.gz",
    "dead/trials/1.unfinished/transcript.jsonl",
    "dead/trials/2/trial.json",
    "dead/plan.json.2.ab.tmp",
    "cache/vector.json.1.ab.tmp",
    "cache/vector.json.2.ab.tmp",
    "cache/nobody.tmp",
  );
  const found = await findDeadOutput(folder, living);
  expect(found.map(({ path, bytes }) => [path.slice(folder.length + 1), bytes])).toEqual([
    ["cache/vector.json.2.ab.tmp", 5],
    ["dead/campaign.lock", 5],
    ["dead/plan.json.2.ab.tmp", 5],
    ["dead/trials/1.unfinished", 10],
  ]);
});

test("temporary folders and locks of dead processes are found, those of others and of living ones are not", async () => {
  await write(
    "skillproof-author-1-x/draft",
    "skillproof-author-2-x/draft",
    "skillproof-base-2-x/base.tar",
    "skillproof-image-0a1b.lock",
    "skillproof-other/file",
    "someone-author-2-x/file",
  );
  const found = await findDeadTemporary(folder, living);
  expect(found.map(({ path }) => path.slice(folder.length + 1))).toEqual([
    "skillproof-author-2-x",
    "skillproof-base-2-x",
    "skillproof-image-0a1b.lock",
  ]);
});

test("a folder that is not there holds nothing", async () => {
  expect(await findDeadOutput(join(folder, "none"), living)).toEqual([]);
});
