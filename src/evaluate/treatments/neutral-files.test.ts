import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeTree } from "../../store/tree.ts";
import { neutralFile } from "./neutral-files.ts";
import { Sentences } from "./sentences.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-neutral-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function neutral(path: string, contents: string | Uint8Array, mode = 0o644) {
  const sentences = new Sentences(path, new Set());
  const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
  return neutralFile({ kind: "file", path, mode, bytes }, () => sentences.next(1000)?.text ?? "");
}

const textOf = (path: string, contents: string): string =>
  new TextDecoder().decode(neutral(path, contents).bytes);

const sizes = [0, 1, 2, 3, 5, 9, 10, 17, 22, 40, 200, 5000];
const paths = [
  "a.md",
  "a.sh",
  "a.py",
  "a.js",
  "a.json",
  "a.xml",
  "a.css",
  "a.yaml",
  "a.csv",
  "a.php",
  "a.bat",
  "a",
  "Makefile",
];

test.each(paths)("%s keeps its size and its mode and is text, whatever its size", (path) => {
  for (const size of sizes) {
    const { bytes, mode } = neutral(path, "x".repeat(size), 0o755);
    expect({ mode, size: bytes.length }).toEqual({ mode: 0o755, size });
    expect(bytes.every((byte) => byte === 10 || (byte >= 32 && byte < 127))).toBe(true);
    expect(new TextDecoder().decode(bytes)).not.toContain("xx");
  }
});

const scripts: readonly (readonly [path: string, program: string, first: string, mode: number])[] = [
  ["run.sh", "bash", "#!/bin/bash\n", 0o755],
  ["run.py", "python3", "#!/usr/bin/env python3\n", 0o755],
  ["run.mjs", process.execPath, "#!/usr/bin/env node\n", 0o755],
  ["run.js", process.execPath, "", 0o644],
  ["plain.py", "python3", "", 0o644],
  ["tool", "sh", "#!/bin/sh\n", 0o755],
  ["pytool", "python3", "#! /usr/bin/python3\n", 0o755],
  ["nodetool", process.execPath, "#!/usr/bin/env node\n", 0o644],
  ["flagged", "bash", "#!/bin/bash -eu\n", 0o755],
];

test.each(scripts)("%s is a script that prints nothing and succeeds", async (path, program, first, mode) => {
  for (const size of [0, 2, 400]) {
    const name = `${size}-${path}`;
    const file = neutral(path, first + "x".repeat(size), mode);
    await writeTree(join(folder, name), [file]);
    const whole = join(folder, name, path);
    expect(execFileSync(program, [whole], { encoding: "utf8" })).toBe("");
    if (mode === 0o755 && first !== "") expect(execFileSync(whole, { encoding: "utf8" })).toBe("");
  }
});

test("a shebang is kept only as far as it names a known program", () => {
  expect(textOf("a", "#!/usr/bin/env bash -x secret\n" + "x".repeat(99))).toMatch(
    /^#!\/usr\/bin\/env bash\n# /,
  );
  expect(textOf("a", "#!/opt/vellmarsh/run\n" + "x".repeat(99))).not.toContain("vellmarsh");
});

test("data files are still of their format", () => {
  for (const size of [2, 3, 12, 13, 14, 60, 3000]) {
    expect(() => JSON.parse(textOf("a.json", "x".repeat(size))) as unknown).not.toThrow();
  }
  for (const size of [11, 12, 60, 3000]) {
    expect(load(textOf("a.yaml", "x".repeat(size)))).toEqual({ notes: expect.any(String) as string });
  }
});

test.each([
  ["a NUL", "a.py", Uint8Array.from([65, 0, 66])],
  ["bad UTF-8", "a.md", Uint8Array.from([65, 0xff, 66, 67])],
  ["a picture", "a.png", Uint8Array.from([0x89, 0x50, 0x4e, 0x47])],
])("a file with %s becomes zeroes", (_, path, bytes) => {
  expect(neutral(path, bytes).bytes).toEqual(new Uint8Array(bytes.length));
});
