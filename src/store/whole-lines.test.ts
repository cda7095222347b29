import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tailOf, wholeLines } from "./whole-lines.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "whole-lines-"));
  file = join(folder, "lines.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

const long = "é".repeat(700_000);
const cases: readonly (readonly [name: string, text: string | Buffer])[] = [
  ["nothing", ""],
  ["one line", "a\n"],
  ["a torn line alone", "a"],
  ["lines and a torn one", 'a\nb\n{"kind":"tri'],
  ["empty lines between and behind", "a\n\nb\n\n\n"],
  ["only newlines", "\n\n\n"],
  ["a carriage return", "a\r\nb\r\n"],
  ["a line of more than a megabyte", `a\n${long}\n`],
  ["a torn line of more than a megabyte", `a\n${long}`],
  ["letters of several bytes across pieces", `${"ä€😀".repeat(30_000)}\n`.repeat(3)],
  ["a torn letter", Buffer.concat([Buffer.from("a\n"), Buffer.from("€").subarray(0, 2)])],
];

test.each(cases)("%s: as if the whole text were split", async (_name, content) => {
  await writeFile(file, content);
  const text = content.toString("utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const expected = whole.split("\n").filter((line) => line !== "");
  const lines = [];
  for await (const some of wholeLines(file)) lines.push(...some);
  expect(lines).toEqual(expected);
  expect(await tailOf(file)).toEqual({
    last: expected.at(-1) ?? null,
    wholeBytes: Buffer.byteLength(whole),
    bytes: Buffer.byteLength(content),
  });
});

test("no file is as an empty one", async () => {
  for await (const some of wholeLines(file)) expect(some).toEqual([]);
  expect(await tailOf(file)).toEqual({ last: null, wholeBytes: 0, bytes: 0 });
});
