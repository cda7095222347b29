import { expect, test } from "vitest";
import { type Outside, outsideSchema } from "../../artefacts/honesty.ts";
import { type FileTree, overlay } from "../../artefacts/tree.ts";
import { matchesGlob } from "../../gate/globs.ts";
import { tarMembers } from "../../sandbox/tar-members.ts";
import { packTree } from "../../sandbox/tar.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { streamOf } from "../../testing/sandbox-containers.ts";
import { tarOf } from "../../testing/sandbox-tars.ts";
import { byProducts, isByProduct, lastingByProducts } from "./by-products.ts";
import { changesOutside, type SnapshotMember } from "./compare-snapshot.ts";

const fixtures: FileTree = [
  ...treeOf({
    "notes.txt": "a fixture\n",
    "src/app.py": "print(1)\n",
    "tool!": "#!/bin/sh\n",
    "same-size.txt": "fixture a\n",
    ".git/HEAD": "ref: main\n",
    ".git/objects/ab/cd": "object",
    "empty.txt": "",
  }),
  { kind: "link", path: "current", target: "notes.txt" },
];
const allowed = { outputs: ["answer.txt", "out/**"], matches: matchesGlob, partial: false };

function compare(
  tar: AsyncIterable<Uint8Array>,
  over: { readonly partial?: boolean } = {},
): Promise<Outside> {
  return changesOutside(fixtures, tarMembers(tar), { ...allowed, ...over });
}

/** The fixtures with something laid over them. */
function workspace(over: FileTree, removes: readonly string[] = []): AsyncIterable<Uint8Array> {
  return packTree(overlay(fixtures, over, removes));
}

const words = ({ first }: Outside): readonly string[] => first.map(({ change, path }) => `${change} ${path}`);

test.each<[string, FileTree, readonly string[], readonly string[]]>([
  ["nothing", [], [], []],
  ["what the task asks for", treeOf({ "answer.txt": "right\n", "out/deep/x": "x" }), [], []],
  ["a file more", treeOf({ "scratch.py": "x" }), [], ["added scratch.py"]],
  ["other contents", treeOf({ "notes.txt": "changed\n" }), [], ["changed notes.txt"]],
  [
    "other contents of the same size",
    treeOf({ "same-size.txt": "fixture b\n" }),
    [],
    ["changed same-size.txt"],
  ],
  ["contents of another fixture", treeOf({ "notes.txt": "fixture a\n" }), [], ["changed notes.txt"]],
  ["a file emptied", treeOf({ "notes.txt": "" }), [], ["changed notes.txt"]],
  ["made executable", treeOf({ "src/app.py!": "print(1)\n" }), [], ["changed src/app.py"]],
  ["no longer executable", treeOf({ tool: "#!/bin/sh\n" }), [], ["changed tool"]],
  ["a file taken away", [], ["src/app.py"], ["removed src/app.py"]],
  ["a link elsewhere", [{ kind: "link", path: "current", target: "tool" }], [], ["changed current"]],
  ["a link in a file's place", [{ kind: "link", path: "tool", target: "notes.txt" }], [], ["changed tool"]],
  ["a file in a link's place", treeOf({ current: "a fixture\n" }), [], ["changed current"]],
  ["a link more", [{ kind: "link", path: "home", target: "/root" }], [], ["added home"]],
  [
    "moved, in the order of paths",
    treeOf({ "lib/app.py": "print(1)\n" }),
    ["src/app.py"],
    ["added lib/app.py", "removed src/app.py"],
  ],
  ["a folder named like an output", treeOf({ "answer.txt/x": "x" }), [], ["added answer.txt/x"]],
])("%s", async (_what, over, removes, expected) => {
  const outside = await compare(workspace(over, removes));
  expect(words(outside)).toEqual(expected);
  expect(outside).toMatchObject({ count: expected.length, byProducts: 0, partial: false });
});

test.each<[string, FileTree, readonly string[], number, readonly string[]]>([
  ["compiled code", treeOf({ "src/__pycache__/app.pyc": "x" }), [], 1, []],
  ["a test program's notes", treeOf({ ".pytest_cache/v/x": "x", ".coverage": "x" }), [], 2, []],
  ["a package program's cache", treeOf({ "node_modules/.cache/a/b": "x" }), [], 1, []],
  ["objects that git packed", treeOf({ ".git/index": "x" }), [".git/objects/ab/cd"], 2, []],
  ["but not git's HEAD gone", [], [".git/HEAD"], 0, ["removed .git/HEAD"]],
  [
    "but not installed modules",
    treeOf({ "node_modules/left/index.js": "x" }),
    [],
    0,
    ["added node_modules/left/index.js"],
  ],
  ["but not a name that only looks so", treeOf({ my__pycache__: "x" }), [], 0, ["added my__pycache__"]],
])("by-products are counted apart: %s", async (_what, over, removes, counted, expected) => {
  const outside = await compare(workspace(over, removes));
  expect(outside.byProducts).toBe(counted);
  expect(words(outside)).toEqual(expected);
});

test.each([...byProducts, ...lastingByProducts])("%s in the root and below a folder", (name) => {
  const path = name.endsWith("/") ? `${name}x` : name;
  for (const place of [path, `deep/down/${path}`]) {
    expect(isByProduct({ change: "added", path: place }), place).toBe(true);
    expect(isByProduct({ change: "removed", path: place }), place).toBe(byProducts.includes(name));
  }
});

test.each([
  "__pycache__",
  "my__pycache__/x.py",
  ".coverage/x",
  "my.coverage",
  "xbash_history",
  ".bash_history.txt",
  "repository.git/HEAD",
  "git/HEAD",
  "node_modules/left/index.js",
])("%s is no by-product", (path) => {
  expect(isByProduct({ change: "added", path })).toBe(false);
});

test.each([
  "a.txt",
  "./a.txt",
  "a",
  "a/",
  "a/**",
  "./a/b/**",
  "**",
  "a/*",
  "*.txt",
  "{a,b}.txt",
  "a/b?.txt",
  "[ab].txt",
  "a**",
  "/",
  "",
])("the glob %j allows here what it allows in the gate", async (glob) => {
  const paths = ["a", "a.txt", "b.txt", "a/b", "a/b/c", "a/bc.txt", "ab/c", "deep/a/b", "b"];
  const over = paths.map((path) => ({ kind: "other", path }) as const);
  const members = async function* (): AsyncGenerator<SnapshotMember> {
    for (const member of over) {
      await Promise.resolve();
      yield { ...member, target: null, mode: 0, size: 0, content: streamOf() };
    }
  };
  const { first } = await changesOutside([], members(), { ...allowed, outputs: [glob] });
  const expected = paths.filter((path) => !matchesGlob(path, glob)).sort();
  expect(first.map(({ path }) => path)).toEqual(expected);
});

const base = [
  { name: "notes.txt", text: "a fixture\n" },
  { name: "src/", type: "directory" as const },
  { name: "src/app.py", text: "print(1)\n" },
  { name: "tool", mode: 0o755, text: "#!/bin/sh\n" },
  { name: "same-size.txt", text: "fixture a\n" },
  { name: ".git/HEAD", text: "ref: main\n" },
  { name: ".git/objects/ab/cd", text: "object" },
  { name: "empty.txt", text: "" },
  { name: "current", type: "symlink" as const, linkname: "notes.txt" },
];
const all = (more: Parameters<typeof tarOf>[0]): Parameters<typeof tarOf>[0] => [...base, ...more];
const less = (name: string): Parameters<typeof tarOf>[0] => base.filter((member) => member.name !== name);

test.each<[string, Parameters<typeof tarOf>[0], readonly string[]]>([
  ["an empty folder more is no file", all([{ name: "hollow/", type: "directory" }]), []],
  ["a hard link more", all([{ name: "twin", type: "link", linkname: "notes.txt" }]), ["added twin"]],
  ["a hard link to an output", all([{ name: "out/twin", type: "link", linkname: "notes.txt" }]), []],
  [
    "a hard link that holds what the fixture held",
    [
      ...less("same-size.txt"),
      { name: "out/a", text: "fixture a\n" },
      { name: "same-size.txt", type: "link", linkname: "out/a" },
    ],
    [],
  ],
  [
    "a hard link that holds something else",
    [...less("same-size.txt"), { name: "same-size.txt", type: "link", linkname: "notes.txt" }],
    ["changed same-size.txt"],
  ],
  [
    "a hard link to nothing",
    [...less("same-size.txt"), { name: "same-size.txt", type: "link", linkname: "not/there" }],
    ["changed same-size.txt"],
  ],
  ["a pipe", all([{ name: "pipe", type: "fifo" }]), ["added pipe"]],
  ["a folder in a file's place", [...less("tool"), { name: "tool/", type: "directory" }], ["removed tool"]],
  [
    "a path named twice: the later one stands",
    all([{ name: "notes.txt", text: "later\n" }]),
    ["changed notes.txt"],
  ],
  ["a path out of the folder", all([{ name: "../up", text: "x" }]), ["added ../up"]],
])("a member that is no plain file: %s", async (_what, members, expected) => {
  expect(words(await compare(streamOf(await tarOf(members))))).toEqual(expected);
});

test("of a snapshot that left something out no file counts as removed", async () => {
  const over = treeOf({ "scratch.py": "x" });
  const outside = await compare(workspace(over, ["src/app.py"]), { partial: true });
  expect(words(outside)).toEqual(["added scratch.py"]);
  expect(outside).toMatchObject({ count: 1, partial: true });
});

test("many and long paths: all are counted, some are named, and what is kept stays small", async () => {
  const many = 3000;
  const long = `${"ä".repeat(60)}/`.repeat(5);
  const names = Array.from({ length: many }, (_, at) => `${long}${String(at).padStart(5, "0")}`);
  const outside = await compare(workspace(treeOf(Object.fromEntries(names.map((name) => [name, "x"])))));
  expect(outside.count).toBe(many);
  expect(outsideSchema.parse(outside)).toEqual(outside);
  expect(JSON.stringify(outside).length).toBeLessThan(20_000);
});

test("contents come by, but are not kept: a large file beside small fixtures", async () => {
  const size = 20 * 2 ** 20;
  const outside = await compare(streamOf(await tarOf(all([{ name: "big", text: "x".repeat(size) }]))));
  expect(words(outside)).toEqual(["added big"]);
});
