import { appendFile, mkdir, mkdtemp, readFile, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EvidenceNote } from "../artefacts/evidence.ts";
import { sha256 } from "../hash.ts";
import { EvidenceChain } from "./evidence.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evidence-"));
  file = join(folder, "evidence.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

const note = (trial: string): EvidenceNote => ({
  kind: "trial",
  trial,
  key: `key of ${trial}`,
  hash: "h",
  files: {},
});

test("a line that a full disk cut off is dropped by the next one, in the same process too", async () => {
  const chain = new EvidenceChain(file);
  await chain.append(note("a"));
  // What an append to a full disk comes to: it fails, and a part of its line is there.
  await rename(file, `${file}.aside`);
  await mkdir(file);
  await expect(chain.append(note("b"))).rejects.toThrow("EISDIR");
  await rmdir(file);
  await rename(`${file}.aside`, file);
  await appendFile(file, '{"hash":"h","ki');

  await chain.append(note("c"));
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  const [first = "", second = ""] = lines;
  expect(lines.map((line) => (JSON.parse(line) as { trial: string }).trial)).toEqual(["a", "c"]);
  expect(JSON.parse(second)).toMatchObject({ previous: sha256(first) });
  expect(await chain.head()).toBe(sha256(second));
});
