import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { VectorCache } from "../embed/port.ts";
import { InfrastructureError } from "../errors.ts";
import { fileVectorCache } from "./vector-cache.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vector-cache-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const entries = [
  { key: "aa01", vector: [0.1, -2e-300, 1 / 3] },
  { key: "bb02", vector: null },
];

test("what was stored comes back to the last digit, in the order asked, from another instance too", async () => {
  const cache: VectorCache = fileVectorCache(folder);
  await cache.set(entries);
  const other = fileVectorCache(folder);
  expect(await other.get(["bb02", "cc03", "aa01"])).toEqual([null, undefined, [0.1, -2e-300, 1 / 3]]);
  expect(other.warnings).toEqual([]);
});

test("an empty or missing folder is a miss", async () => {
  expect(await fileVectorCache(join(folder, "not", "there")).get(["aa01"])).toEqual([undefined]);
});

test("only whole files are left behind", async () => {
  await fileVectorCache(folder).set(entries);
  const files = await readdir(folder, { recursive: true });
  expect(files.filter((file) => file.includes(".")).sort()).toEqual(["aa/aa01.json", "bb/bb02.json"]);
});

test.each<[name: string, damage: (text: string) => string]>([
  ["cut off", (text) => text.slice(0, -5)],
  ["empty", () => ""],
  ["of another format", (text) => text.replace("vector@1", "vector@0")],
  ["with a flipped digit", (text) => text.replace("0.1", "0.2")],
])("a file that is %s is a miss with a warning, and is mended by the next write", async (_name, damage) => {
  const file = join(folder, "aa", "aa01.json");
  await fileVectorCache(folder).set(entries);
  await writeFile(file, damage(await readFile(file, "utf8")));
  const cache = fileVectorCache(folder);
  expect(await cache.get(["aa01", "bb02"])).toEqual([undefined, null]);
  expect(cache.warnings).toEqual([`${file} is damaged and is not used; the vector is made again`]);
  await cache.set(entries.slice(0, 1));
  expect(await cache.get(["aa01"])).toEqual([entries[0]!.vector]);
});

test("a folder that cannot be used is an infrastructure error", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const cache = fileVectorCache(file);
  await expect(cache.set(entries)).rejects.toThrow(InfrastructureError);
  await expect(cache.get(["aa01"])).rejects.toThrow(/cannot read the vector cache/);
});
