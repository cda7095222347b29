import { expect, test } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import { type FileTree, sortedTree } from "../artefacts/tree.ts";
import { answerBundle, treeOf } from "../testing/benchmark.ts";
import { answerOf, gradingOf } from "../testing/gradings.ts";
import { cheatRoom, constantsOf } from "./cheat-room.ts";

const passed = gradingOf(0, ["first", 'second "quoted"']);

function roomOf(
  reference: FileTree,
  over: Partial<Bundle> & { readonly removes?: readonly string[] } = {},
): Readonly<Record<string, string>> {
  const { removes = [], ...parts } = over;
  const bundle = { ...answerBundle(), reference, ...parts };
  return cheatRoom({ ...bundle, spec: { ...bundle.spec, removes: [...removes] } }, passed);
}

const binary: FileTree = [
  { kind: "file", path: "picture.png", mode: 0o644, bytes: new Uint8Array([0x89, 0x50, 0xff, 0xfe, 0]) },
];

test("a cheat finds the task, the names, and the assertions as its grader writes them", () => {
  const bundle = answerBundle();
  expect(cheatRoom(bundle, passed)).toEqual({
    "/tmp/cheat/task.md": bundle.task,
    "/tmp/cheat/outputs": "answer.txt\n",
    "/tmp/cheat/kinds": "text\n",
    "/tmp/cheat/counterparts": "grade\n",
    "/tmp/cheat/removes": "",
    "/tmp/cheat/constants": constantsOf(bundle.task).join("\n") + "\n",
    "/tmp/cheat/grader-files": "claims.json\ngrade\n",
    "/tmp/cheat/assertions":
      '{"assertion":"first","passed":true}\n{"assertion":"second \\"quoted\\"","passed":true}\n',
    "/tmp/cheat/questions": "",
  });
});

test("the questions of a judged bundle are those that its reference was asked", () => {
  const asked = gradingOf(3, ["there"], { answers: [answerOf("tone", true), answerOf("anger", false)] });
  expect(cheatRoom(answerBundle(), asked)["/tmp/cheat/questions"]).toBe("tone\nanger\n");
});

test.each([
  ["a.py", "x", "python"],
  ["A.PY", "x", "python"],
  ["a.js", "x", "node"],
  ["a.cjs", "x", "node"],
  ["a.mjs", "x", "module"],
  ["a.sh", "x", "bash"],
  ["tool!", "x", "bash"],
  ["tool", "#!/usr/bin/env python3\n", "python"],
  ["tool", "#!/usr/bin/node\n", "node"],
  ["tool", "#!/bin/sh\n", "bash"],
  ["tool", "#!/usr/bin/perl\n", "text"],
  ["a.json", "1", "json"],
  ["a.tsv", "1", "table"],
  ["a.yml", "1", "yaml"],
  ["a.svg", "<svg/>", "markup"],
  [".json", "1", "text"],
  ["a.b/c", "1", "text"],
])("%s holding %j is %s", (path, text, kind) => {
  expect(roomOf(treeOf({ [path]: text }))["/tmp/cheat/kinds"]).toBe(`${kind}\n`);
});

test("what is no text is binary and has no form", () => {
  const room = roomOf(binary);
  expect(room["/tmp/cheat/kinds"]).toBe("binary\n");
  expect(Object.keys(room).filter((path) => path.includes("/forms/"))).toEqual([]);
});

test.each([
  ["out/sums.json", "other.json"],
  ["sums.csv", "deep/sums.csv"],
  ["sums.CSV", "deep/sums.csv"],
  ["letter.md", "other.json"],
])("the counterpart of %s is %s", (output, counterpart) => {
  const grader = treeOf({ "claims.json": "{}", "deep/sums.csv": "", "grade!": "", "other.json": "" });
  const moved = sortedTree(grader).toSorted((a, b) =>
    a.path === "other.json" ? -1 : b.path === "other.json" ? 1 : 0,
  );
  expect(roomOf(treeOf({ [output]: "1" }), { grader: moved })["/tmp/cheat/counterparts"]).toBe(
    `${counterpart}\n`,
  );
});

test("moved, unchanged and blank files are no outputs, and then nothing is taken away either", () => {
  const fixtures = treeOf({ "old.txt": "kept\n", "same.txt": "same\n" });
  const easy = { "new.txt": "kept\n", "same.txt": "same\n", "empty/__init__.py": "\n" };
  const removes = ["old.txt"];
  const none = roomOf(treeOf(easy), { fixtures, removes });
  expect(none).toMatchObject({ "/tmp/cheat/outputs": "", "/tmp/cheat/kinds": "", "/tmp/cheat/removes": "" });
  const some = roomOf(treeOf({ ...easy, "work.txt": "work\n" }), { fixtures, removes });
  expect(some).toMatchObject({ "/tmp/cheat/outputs": "work.txt\n", "/tmp/cheat/removes": "old.txt\n" });
});

const deep = `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`;

test.each<[string, string, string | null]>([
  [
    "sums.json",
    '{"sums":{"ash":4},"names":["ash"],"done":true,"note":"x","none":null}',
    '{"sums":{"ash":0},"names":[],"done":false,"note":"","none":null}',
  ],
  ["list.json", "[1,2]", "[]"],
  ["empty.json", '{"found":[],"count":0}', null],
  ["broken.json", "{", null],
  ["deep.json", deep, `${'{"a":'.repeat(20)}{}${"}".repeat(20)}`],
  ["sums.csv", "name,n\nash,4\n", "name,n\n"],
  ["sums.csv", "name,n\r\nash,4\r\n", "name,n\r\n"],
  ["one.txt", "all there is\n\n", null],
  ["tool.py", "#!/usr/bin/env python3\nprint(1)\n", "#!/usr/bin/env python3\n"],
])("the form of %s holding %j is %j", (path, text, form) => {
  const given = roomOf(treeOf({ "a first output": "x\n", [path]: text }))["/tmp/cheat/forms/2"];
  const read = given !== undefined && path.endsWith(".json") ? JSON.stringify(JSON.parse(given)) : given;
  expect(read ?? null).toBe(form);
});

test("constants are numbers, names, quotations and the lines of examples, each once", () => {
  const task = [
    "Write `out/sums.json` by 2031-05-02, with 12.5 and -3; say \"to whom\" and “for what”, isn't it 'so'.",
    "```",
    "ash;4",
    "```",
    "Write `out/sums.json`.",
  ].join("\r\n");
  const constants = constantsOf(task);
  expect(constants).toEqual(
    expect.arrayContaining(["ash;4", "out/sums.json", "to whom", "for what", "so", "12.5", "-3", "Write"]),
  );
  expect(constants).not.toContain("by");
  expect(new Set(constants).size).toBe(constants.length);
});

test.each([
  ["backticks", "`".repeat(1_000_000)],
  ["quotes without an end", `"${"x ".repeat(500_000)}`],
  ["one word", "x".repeat(1_000_000)],
  ["numbers", "1.".repeat(500_000)],
  ["different words", Array.from({ length: 100_000 }, (_value, at) => `word${at}`).join(" ")],
])("a task of nothing but %s is read in time, and a room stays small", (_what, task) => {
  const began = performance.now();
  const constants = constantsOf(task);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(constants.join("\n").length).toBeLessThan(4000 * 310);
});
