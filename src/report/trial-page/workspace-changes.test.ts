import { expect, test } from "vitest";
import type { FileTree } from "../../artefacts/tree.ts";
import { tarMembers } from "../../sandbox/tar-members.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { hostileTar, tarOf } from "../../testing/sandbox-tars.ts";
import { documentOf } from "../html/markup.ts";
import { changesSection } from "./changes-section.ts";
import {
  type Change,
  type SnapshotMember,
  type WorkspaceChanges,
  workspaceChanges,
} from "./workspace-changes.ts";

type Members = Parameters<typeof tarOf>[0];

async function changesOf(fixtures: FileTree | null, members: Members | Buffer): Promise<WorkspaceChanges> {
  const tar = Buffer.isBuffer(members) ? members : await tarOf(members);
  return workspaceChanges(fixtures, tarMembers(inPieces(tar)));
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 700);
  }
}

async function compared(
  fixtures: FileTree,
  members: Members,
): Promise<Extract<WorkspaceChanges, { kind: "compared" }>> {
  const found = await changesOf(fixtures, members);
  if (found.kind !== "compared") throw new Error("there were fixtures");
  return found;
}

function linesOf({ diff }: Change): readonly string[] {
  return diff?.hunks.flatMap(({ header, lines }) => [header, ...lines]) ?? [];
}

function page(changes: WorkspaceChanges): string {
  return documentOf(changesSection({ words: null, changes, isRecorded: true }));
}

const rows: readonly {
  readonly what: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Members;
  readonly change: Partial<Change> | null;
  readonly lines?: readonly string[];
}[] = [
  {
    what: "nothing",
    before: { "a.txt": "a\n" },
    after: [{ name: "./a.txt", text: "a\n" }],
    change: null,
  },
  {
    what: "a file added",
    before: {},
    after: [{ name: "a.txt", text: "a\nb\n" }],
    change: { sort: "added", path: "a.txt", before: null },
    lines: ["@@ -0,0 +1,2 @@", "+a", "+b"],
  },
  {
    what: "a file removed",
    before: { "a.txt": "a\n" },
    after: [],
    change: { sort: "removed", path: "a.txt", after: null },
    lines: ["@@ -1,1 +0,0 @@", "-a"],
  },
  {
    what: "an empty file added",
    before: {},
    after: [{ name: "a.txt", text: "" }],
    change: { sort: "added", diff: null },
  },
  {
    what: "a line changed",
    before: { "a.txt": "1\n2\n3\n" },
    after: [{ name: "a.txt", text: "1\nzwei\n3\n" }],
    change: { sort: "changed" },
    lines: ["@@ -1,3 +1,3 @@", " 1", "-2", "+zwei", " 3"],
  },
  {
    what: "line ends alone",
    before: { "a.txt": "1\r\n2\r\n" },
    after: [{ name: "a.txt", text: "1\n2\r\n" }],
    change: { sort: "changed" },
    lines: ["@@ -1,2 +1,2 @@", "-1\r", "+1", " 2\r"],
  },
  {
    what: "the newline at the end alone",
    before: { "a.txt": "1" },
    after: [{ name: "a.txt", text: "1\n" }],
    change: { sort: "changed" },
    lines: ["@@ -1,1 +1,1 @@", "-1", "\\ No newline at end of file", "+1"],
  },
  {
    what: "the mode alone",
    before: { "a.sh": "x\n" },
    after: [{ name: "a.sh", text: "x\n", mode: 0o755 }],
    change: { sort: "changed", diff: null },
  },
  {
    what: "bits of the mode that are not kept",
    before: { "a.txt": "x\n" },
    after: [{ name: "a.txt", text: "x\n", mode: 0o600 }],
    change: null,
  },
  {
    what: "text into bytes that are none",
    before: { "a.txt": "x\n" },
    after: [{ name: "a.txt", text: "a\0b" }],
    change: { sort: "changed", diff: null },
  },
  {
    what: "a file into a link",
    before: { "a.txt": "x\n" },
    after: [{ name: "a.txt", type: "symlink", linkname: "/etc/passwd" }],
    change: { sort: "changed", after: { kind: "link", target: "/etc/passwd" } },
  },
  {
    what: "a hard link to a file of the snapshot",
    before: { "a.txt": "x\n" },
    after: [
      { name: "a.txt", text: "x\n" },
      { name: "b.txt", type: "link", linkname: "./a.txt" },
    ],
    change: { sort: "added", path: "b.txt" },
  },
  {
    what: "a hard link to something outside",
    before: {},
    after: [{ name: "b.txt", type: "link", linkname: "/etc/passwd" }],
    change: {
      sort: "added",
      after: { kind: "other", words: "a hard link to something that is not in the snapshot" },
    },
  },
  {
    what: "a pipe",
    before: {},
    after: [{ name: "p", type: "fifo" }],
    change: { sort: "added", after: { kind: "other", words: "neither a file nor a link" } },
  },
  {
    what: "a name twice: the later one is meant",
    before: { "a.txt": "x\n" },
    after: [
      { name: "a.txt", text: "y\n" },
      { name: "a.txt", text: "x\n" },
    ],
    change: null,
  },
  {
    what: "folders alone",
    before: {},
    after: [{ name: "empty/", type: "directory" }],
    change: null,
  },
];

test.each(rows)("a workspace that differs by $what", async ({ before, after, change, lines }) => {
  const { changes } = await compared(treeOf(before), after);
  if (change === null) expect(changes).toEqual([]);
  else expect(changes).toEqual([expect.objectContaining(change)]);
  if (lines !== undefined) expect(changes.flatMap(linesOf)).toEqual(lines);
});

test("a hard link is named as one", async () => {
  const found = await changesOf(treeOf({}), [
    { name: "a.txt", text: "x\n" },
    { name: "b.txt", type: "link", linkname: "a.txt" },
  ]);
  expect(page(found)).toContain("hard link to <bdi");
});

test("a link of the fixtures that stayed is unchanged", async () => {
  const fixtures: FileTree = [{ kind: "link", path: "l", target: "a" }];
  expect((await compared(fixtures, [{ name: "l", type: "symlink", linkname: "a" }])).changes).toEqual([]);
  expect((await compared(fixtures, [{ name: "l", type: "symlink", linkname: "b" }])).changes).toHaveLength(1);
});

test("a mode that changed is told in words", async () => {
  const found = await changesOf(treeOf({ "a.sh": "x\n" }), [{ name: "a.sh", text: "x\n", mode: 0o755 }]);
  expect(page(found)).toContain("became executable, the same content");
});

test("a sparse file of an absurd size is not read", async () => {
  let read = 0;
  const size = 2 ** 45;
  const holes = async function* (): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    for (;;) {
      read++;
      yield new Uint8Array(65_536);
    }
  };
  const members = async function* (): AsyncGenerator<SnapshotMember> {
    await Promise.resolve();
    yield { kind: "file", path: "big", target: null, mode: 0o644, size, content: holes() };
  };
  const found = await workspaceChanges(treeOf({}), members());
  expect(read).toBe(0);
  expect(page(found)).toContain("too large to be hashed");
});

test("names and targets that lead outside are shown and nothing more", async () => {
  const found = await changesOf(treeOf({ "good.txt": "good" }), await hostileTar());
  const text = page(found);
  expect(text).toContain("../tmp/dotdot");
  expect(text).toContain('symbolic link to <bdi class="foreign" dir="ltr">/tmp</bdi>');
});

test("hostile names and lines stand as text", async () => {
  const name = "<img src=x onerror=alert(1)>\u202e.txt";
  const found = await changesOf(treeOf({}), [{ name, text: "<script>\x1b[31m\n" }]);
  const text = page(found);
  expect(text).toContain("&lt;img src=x onerror=alert(1)>");
  expect(text).toContain("U+202E");
  expect(text).toContain("<ins>+&lt;script></ins>");
});

test("of many and of large changes a part is shown, and the rest is counted", async () => {
  const many = Array.from({ length: 600 }, (_, at) => ({
    name: `f${String(at).padStart(3, "0")}`,
    text: "x\n",
  }));
  const long = { name: "a-long.txt", text: Array.from({ length: 1000 }, (_, at) => `${at}\n`).join("") };
  const wide = { name: "b-wide.txt", text: `${"w".repeat(100_000)}\n` };
  const found = await compared(treeOf({}), [long, wide, ...many]);
  expect([found.changes.length, found.changesLeftOut]).toEqual([500, 102]);
  expect(found.changes[0]?.diff?.linesLeftOut).toBe(600);
  expect(found.changes[1]?.diff?.hunks[0]?.lines[0]).toContain("[… 98001 more characters of this line]");
  const text = page(found);
  expect(text).toContain("602 files of 602 not as the fixtures were");
  expect(text).toContain("The first 500 are shown.");
  expect(text).toContain("600 further lines of the diff left out");
});

test("a text that was written anew is shown as replaced, without a search for the shortest way", async () => {
  const lines = (mark: string): string => Array.from({ length: 5000 }, (_, at) => `${mark} ${at}\n`).join("");
  const found = await compared(treeOf({ "a.txt": lines("old") }), [{ name: "a.txt", text: lines("new") }]);
  expect(found.changes[0]?.diff?.hunks[0]?.header).toBe("@@ -1,5000 +1,5000 @@");
  expect(found.changes[0]?.diff?.linesLeftOut).toBe(10_000 - 400);
});

test("without fixtures the files are listed", async () => {
  const found = await changesOf(null, [
    { name: "b", text: "x" },
    { name: "a", text: "yy" },
  ]);
  expect(found).toMatchObject({ kind: "listed", files: [{ path: "a" }, { path: "b" }], filesLeftOut: 0 });
  expect(page(found)).toContain("2 of 2 files shown.");
});

test("names that are no text are counted", async () => {
  const tar = await tarOf([{ name: "aaaa", text: "x" }]);
  tar.write("\xff\xff", 0, "latin1");
  let sum = 8 * 0x20;
  for (const [at, byte] of tar.subarray(0, 512).entries()) if (at < 148 || at >= 156) sum += byte;
  tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  expect(page(await changesOf(treeOf({}), tar))).toContain("1 member of the archive left out");
});

test.each([
  { what: "bytes that are no text", before: "x\n", after: "a\0b", said: true },
  { what: "an empty file", before: "", after: "", said: false },
])("of $what it is said why no line is shown", async ({ before, after, said }) => {
  const found = await changesOf(treeOf({ "a.bin": before }), [{ name: "a.bin", text: after, mode: 0o755 }]);
  expect(page(found).includes("by size and hash only")).toBe(said);
});
