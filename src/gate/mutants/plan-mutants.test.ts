import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import { type FileTree, textOf } from "../../artefacts/tree.ts";
import { sha256 } from "../../hash.ts";
import { answerBundle, treeOf } from "../../testing/benchmark.ts";
import { referenceWorkspace } from "../workspaces.ts";
import type { Mutant, Mutator } from "./mutant.ts";
import { dataMutators, mutantWorkspace, planMutants } from "./plan-mutants.ts";

type Parts = {
  readonly fixtures?: FileTree;
  readonly reference: FileTree;
  readonly removes?: readonly string[];
};

function bundleOf({ fixtures = [], reference, removes = [] }: Parts): Bundle {
  const bundle = answerBundle();
  return { ...bundle, fixtures, reference, spec: { ...bundle.spec, removes: [...removes] } };
}

const plan = (bundle: Bundle, limit = 40, seed = 7, mutators = dataMutators): Promise<readonly Mutant[]> =>
  planMutants(bundle, { limit, seed, mutators });

const kindsOf = (mutants: readonly Mutant[]): readonly string[] =>
  [...new Set(mutants.map(({ kind }) => kind))].sort();

const mixed = bundleOf({
  fixtures: treeOf({ "data/in.csv": "a,b\n1,2\n", "old.txt": "old\n", "run.sh!": "echo 0\necho same\n" }),
  reference: treeOf({
    "out/a.json": '{"n": 12, "s": [1, 2], "t": true}\n',
    "out/b.yaml": "n: 12\ns:\n  - a\n  - b\n",
    "out/c.csv": "name,n\nx,1\ny,2\n",
    "out/d.html": '<p class="x">1</p><p>2</p>\n',
    "out/e f.txt": "one 1\ntwo 2\n",
    "run.sh!": "echo 1\necho same\n",
  }),
  removes: ["old.txt"],
});

test("every file is broken in the kinds of its format", async () => {
  const mutants = await plan(mixed, 1000);
  const byPath = (path: string): readonly string[] =>
    kindsOf(mutants.filter((mutant) => mutant.path === path));
  const whole = ["emptied", "missing", "truncated"];
  expect(byPath("out/a.json")).toEqual(
    [
      ...whole,
      "elements-swapped",
      "key-renamed",
      "literal-changed",
      "member-dropped",
      "number-changed",
    ].sort(),
  );
  expect(byPath("out/b.yaml")).toEqual(
    [
      ...whole,
      "elements-swapped",
      "key-renamed",
      "member-dropped",
      "number-changed",
      "string-changed",
    ].sort(),
  );
  expect(byPath("out/c.csv")).toEqual(
    [...whole, "cell-changed", "header-renamed", "row-doubled", "row-dropped", "rows-swapped"].sort(),
  );
  expect(byPath("out/d.html")).toEqual(
    [...whole, "attribute-changed", "element-dropped", "text-changed"].sort(),
  );
  expect(byPath("out/e f.txt")).toEqual(
    [...whole, "line-doubled", "line-dropped", "lines-swapped", "number-changed"].sort(),
  );
  expect(byPath("old.txt")).toEqual(["original"]);
  expect(byPath("data/in.csv")).toEqual([]);
});

test("ids name kind, path and outcome, and no outcome comes twice", async () => {
  const mutants = await plan(mixed, 1000);
  for (const { id, kind, path, bytes } of mutants)
    expect(id).toBe(`${kind}:${path}:${bytes === null ? "missing" : sha256(bytes).slice(0, 8)}`);
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  expect(
    new Set(mutants.map(({ path, bytes }) => `${path} ${bytes === null ? "" : sha256(bytes)}`)).size,
  ).toBe(mutants.length);
});

test("the same seed gives the same plan, another one another, none more than the limit", async () => {
  const mutants = await plan(mixed);
  expect(mutants).toHaveLength(40);
  expect(await plan(mixed)).toEqual(mutants);
  expect((await plan(mixed, 40, 8)).map(({ id }) => id)).not.toEqual(mutants.map(({ id }) => id));
  expect(await plan(mixed, 0)).toEqual([]);
  expect(await plan(mixed, 1)).toHaveLength(1);
});

test("a mutant's workspace differs from the reference's in its file alone", async () => {
  const reference = referenceWorkspace(mixed);
  for (const mutant of await plan(mixed, 1000)) {
    const workspace = mutantWorkspace(mixed, mutant);
    const others = (tree: FileTree): FileTree => tree.filter(({ path }) => path !== mutant.path);
    expect(others(workspace), mutant.id).toEqual(others(reference));
    const own = workspace.find(({ path }) => path === mutant.path);
    const before = reference.find(({ path }) => path === mutant.path);
    expect(own, mutant.id).not.toEqual(before);
    if (own?.kind === "file" && before?.kind === "file") expect(own.mode, mutant.id).toBe(before.mode);
    expect(own === undefined, mutant.id).toBe(mutant.kind === "missing");
  }
});

test("where the reference edits a fixture, only its own lines are broken, and the fixture comes back", async () => {
  const own = (await plan(mixed, 1000)).filter(({ path }) => path === "run.sh");
  expect(kindsOf(own)).toEqual([
    "emptied",
    "line-doubled",
    "line-dropped",
    "lines-swapped",
    "missing",
    "number-changed",
    "original",
    "truncated",
  ]);
  const doubled = own.filter(({ kind }) => kind === "line-doubled");
  expect(doubled.map((mutant) => textOf(mutantWorkspace(mixed, mutant), "run.sh"))).toEqual([
    "echo 1\necho 1\necho same\n",
  ]);
  const original = own.find(({ kind }) => kind === "original");
  expect(original === undefined ? "" : textOf(mutantWorkspace(mixed, original), "run.sh")).toBe(
    "echo 0\necho same\n",
  );
});

test("a file that says nothing but white space else is not broken into it", async () => {
  const mutants = await plan(bundleOf({ reference: treeOf({ "a.txt": "x" }) }));
  expect(mutants.map(({ id }) => id)).toEqual([
    "missing:a.txt:missing",
    `emptied:a.txt:${sha256("").slice(0, 8)}`,
    `line-doubled:a.txt:${sha256("x\nx").slice(0, 8)}`,
  ]);
});

test("a reference that repeats a fixture delivers nothing", async () => {
  const same = treeOf({ "a.txt": "1\n" });
  expect(await plan(bundleOf({ fixtures: same, reference: same }))).toEqual([]);
  const executable = treeOf({ "a.txt!": "1\n" });
  expect(kindsOf(await plan(bundleOf({ fixtures: same, reference: executable })))).not.toContain("original");
});

test("formats that do not parse, and code that no mutator takes, are broken as text", async () => {
  const text = "a: [\n1 ]]\n2\n";
  for (const path of ["a.json", "a.yaml", "a.xml", "a.rb"]) {
    const mutants = await plan(bundleOf({ reference: treeOf({ [path]: text }) }));
    expect(kindsOf(mutants), path).toContain("lines-swapped");
  }
  const silent: Mutator = () => [
    { kind: "script-silent", words: "prints nothing", bytes: new Uint8Array([33]) },
  ];
  const mutants = await plan(bundleOf({ reference: treeOf({ "a.rb": text }) }), 40, 7, [silent]);
  expect(kindsOf(mutants)).toEqual(expect.arrayContaining(["lines-swapped", "script-silent"]));
});

test("links and binary files are broken as a whole, without a diff of what is no text", async () => {
  const reference: FileTree = [
    { kind: "file", path: "a.bin", mode: 0o644, bytes: new Uint8Array([1, 0, 2, 0xff]) },
    { kind: "link", path: "current", target: "a.bin" },
  ];
  const fixtures: FileTree = [{ kind: "link", path: "current", target: "b.bin" }];
  const bundle = bundleOf({ fixtures, reference });
  const mutants = await plan(bundle);
  expect(mutants.map(({ kind, path, diff }) => [kind, path, diff === null])).toEqual([
    ["missing", "a.bin", true],
    ["emptied", "a.bin", true],
    ["truncated", "a.bin", true],
    ["missing", "current", false],
    ["original", "current", false],
  ]);
  const restored = mutants.find(({ kind }) => kind === "original");
  if (restored === undefined) throw new Error("no original");
  expect(mutantWorkspace(bundle, restored)).toContainEqual(fixtures[0]);
});

test("a removed fixture is put back, unless something else stands there or it never was", async () => {
  const bundle = bundleOf({
    fixtures: treeOf({ a: "old\n", "b/c": "old\n", d: "old\n" }),
    reference: treeOf({ "a/new.txt": "x\n", b: "y\n" }),
    removes: ["a", "b/c", "d", "e", "d"],
  });
  const put = (await plan(bundle)).filter(({ kind }) => kind === "original");
  expect(put.map(({ path, words, diff }) => [path, words, diff])).toEqual([
    ["d", "the fixture is put back", "--- (missing)\n+++ mutant/d\n@@ -0,0 +1,1 @@\n+old"],
  ]);
});

/** Of the processor: others may be busy on it as well. */
const mostCpuMs = 3000;

const mega = 1024 * 1024;

test.each<[string, string, string]>([
  ["numbers", "a.txt", "12 ".repeat(mega / 3)],
  ["short lines", "a.txt", "a\n".repeat(mega / 2)],
  ["different lines", "a.txt", Array.from({ length: mega / 8 }, (_, at) => `${at}\n`).join("")],
  ["blank lines", "a.txt", "\n".repeat(mega)],
  ["one line", "a.txt", "x".repeat(mega)],
  ["JSON", "a.json", JSON.stringify(Array.from({ length: mega / 16 }, (_, at) => ({ n: at, s: "x" })))],
  ["JSON Lines", "a.jsonl", '{"a": [1, 2], "b": "c"}\n'.repeat(mega / 24)],
  ["CSV", "a.csv", Array.from({ length: mega / 16 }, (_, at) => `${at},x,"y z"\n`).join("")],
  ["quotes in CSV", "a.csv", '"'.repeat(mega)],
  ["XML", "a.xml", `<r>${'<a b="1">x</a>'.repeat(mega / 15)}</r>`],
  ["YAML", "a.yaml", "- a: 1\n".repeat(mega / 7)],
  ["brackets", "a.json", "[".repeat(mega)],
  ["binary data", "a.bin", "\0".repeat(mega)],
])("1 MiB of %s is planned quickly, within the limit", async (_name, path, text) => {
  const bundle = bundleOf({ reference: treeOf({ [path]: text }) });
  const before = process.cpuUsage();
  const mutants = await plan(bundle);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(mostCpuMs);
  expect(mutants.length).toBeGreaterThan(path === "a.txt" && text.trim() === "" ? 0 : 1);
  expect(mutants.length).toBeLessThanOrEqual(40);
  for (const { words, diff } of mutants) expect(words.length + (diff?.length ?? 0)).toBeLessThan(3000);
});

test("of a file with thousands of numbers every kind is there, and other files as well", async () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => String(at)).join("\n");
  const bundle = bundleOf({
    reference: treeOf({ "a.txt": numbers, "b.txt": "one\ntwo\n", "c.json": '{"a": 1}' }),
  });
  const mutants = await plan(bundle);
  const files = mutants.map(({ path }) => path);
  for (const [path, least] of [
    ["a.txt", 10],
    ["b.txt", 5],
    ["c.json", 5],
  ] as const)
    expect(files.filter((file) => file === path).length, path).toBeGreaterThanOrEqual(least);
});
