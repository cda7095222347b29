import { execFile } from "node:child_process";
import { closeSync, ftruncateSync, linkSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { chmodSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pack } from "tar-stream";
import { expect, test } from "vitest";
import type { FileTree } from "../artefacts/tree.ts";
import { sha256 } from "../hash.ts";
import { SandboxError } from "./port.ts";
import { packTree, readTarMember, readTarTree, type TarLimits } from "./tar.ts";

const limits: TarLimits = { bytes: 1_000_000, entries: 100, depth: 8, nameBytes: 300 };
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const file = (path: string, content: string, mode = 0o644): FileTree[number] => ({
  kind: "file",
  path,
  mode,
  bytes: text(content),
});

async function collect(tar: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tar) if (piece instanceof Uint8Array) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** In uneven pieces, so that no block arrives whole. */
async function* pieces(bytes: Uint8Array, size = 333): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

/** Packs a folder that `fill` made, with GNU tar as the tool server calls it. */
async function gnuTar(fill: (folder: string) => void, ...flags: readonly string[]): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "skillproof-tar-"));
  try {
    fill(folder);
    const { stdout } = await promisify(execFile)("tar", [...flags, "-C", folder, "-cf", "-", "."], {
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tree: FileTree = [
  file("a.txt", "alpha"),
  file("deep/er/run.sh", "#!/bin/sh\n", 0o755),
  { kind: "link", path: "deep/link", target: "er/run.sh" },
  file("empty", ""),
  file(`long/${"n".repeat(180)}/ü.txt`, "long and not ASCII"),
];

test("a packed tree comes back as it was", async () => {
  expect(await readTarTree(packTree(tree), limits)).toEqual({ tree, faults: [] });
});

test("packing gives the same bytes for any order and any mode with the same executable bit", async () => {
  const other = [...tree]
    .reverse()
    .map((entry) => (entry.kind === "file" ? { ...entry, mode: entry.mode | 0o066 } : entry));
  expect(sha256(await collect(packTree(other)))).toBe(sha256(await collect(packTree(tree))));
});

test("GNU tar unpacks what was packed", async () => {
  const bytes = await collect(packTree(tree));
  const listing = promisify(execFile)("tar", ["-tvf", "-", "--numeric-owner", "--utc"]);
  listing.child.stdin?.end(bytes);
  const { stdout } = await listing;
  expect(stdout).toContain("-rwxr-xr-x 0/0              10 2024-01-01 00:00 deep/er/run.sh");
  expect(stdout).toContain("drwxr-xr-x 0/0               0 2024-01-01 00:00 deep/er/");
});

test("reads what GNU tar packs: links, hard links, long names", async () => {
  const tar = await gnuTar((folder) => {
    mkdirSync(join(folder, "d"));
    writeFileSync(join(folder, "d", "a"), "one", { mode: 0o755 });
    linkSync(join(folder, "d", "a"), join(folder, "d", "b"));
    symlinkSync("../../etc/passwd", join(folder, "d", "l"));
    writeFileSync(join(folder, "x".repeat(200)), "two");
  });
  const read = await readTarTree(pieces(tar), limits);
  expect(read.faults).toEqual([]);
  expect(read.tree.map((entry) => [entry.path.slice(0, 5), entry.kind])).toEqual([
    ["d/a", "file"],
    ["d/b", "file"],
    ["d/l", "link"],
    ["xxxxx", "file"],
  ]);
  const below = await readTarTree(pieces(tar), { ...limits, below: "d" });
  expect(below.tree.map((entry) => entry.path)).toEqual(["a", "b", "l"]);
});

test("a sparse file is unpacked, and its contents are never taken for headers", async () => {
  const forged = await collect(packTree([file("forged", "planted by the owner of the file")]));
  const tar = await gnuTar((folder) => {
    const handle = openSync(join(folder, "big"), "w");
    // More stretches of data than fit the first map, each a whole archive of its own.
    for (let at = 0; at < 40; at++) writeSync(handle, forged, 0, forged.length, at * 65_536);
    ftruncateSync(handle, 40 * 65_536);
    closeSync(handle);
    writeFileSync(join(folder, "small"), "after");
  }, "-S");
  expect(tar.length).toBeLessThan(1_000_000);
  const read = await readTarTree(pieces(tar), { ...limits, bytes: 10_000_000 });
  expect(read.faults).toEqual([]);
  expect(read.tree.map((entry) => entry.path)).toEqual(["big", "small"]);
  const expected = new Uint8Array(40 * 65_536);
  for (let at = 0; at < 40; at++) expected.set(forged, at * 65_536);
  const [big] = read.tree;
  expect(big?.kind === "file" && sha256(big.bytes)).toBe(sha256(expected));
});

test("the head of a huge sparse file costs nothing", async () => {
  const tar = await gnuTar((folder) => {
    const handle = openSync(join(folder, "huge"), "w");
    ftruncateSync(handle, 2 ** 40);
    closeSync(handle);
    writeFileSync(join(folder, "next"), "still read");
  }, "-S");
  const heads = await readTarMember(pieces(tar), () => true, { bytesEach: 4 });
  expect(heads).toEqual(
    new Map([
      ["huge", { bytes: new Uint8Array(4), size: 2 ** 40 }],
      ["next", { bytes: text("stil"), size: 10 }],
    ]),
  );
});

test("only wanted members are read", async () => {
  const heads = await readTarMember(packTree(tree), (path) => path === "a.txt" || path === "deep/link", {
    bytesEach: 100,
  });
  expect([...heads]).toEqual([["a.txt", { bytes: text("alpha"), size: 5 }]]);
});

async function hostile(add: (archive: ReturnType<typeof pack>) => void): Promise<AsyncIterable<Uint8Array>> {
  const archive = pack();
  add(archive);
  archive.entry({ name: "fine" }, "fine");
  archive.finalize();
  return pieces(await collect(archive));
}

test.each<[string, (archive: ReturnType<typeof pack>) => void, string]>([
  ["an absolute name", (a) => a.entry({ name: "/etc/x" }, "x"), "/etc/x: an absolute name"],
  ["a name that climbs", (a) => a.entry({ name: "a/../../x" }, "x"), "a/../../x: the name has a `..` part"],
  ["a device", (a) => a.entry({ name: "dev", type: "character-device" }), "dev: not a file, folder or link"],
  ["a pipe", (a) => a.entry({ name: "pipe", type: "fifo" }), "pipe: not a file, folder or link"],
  ["a setuid file", (a) => a.entry({ name: "su", mode: 0o4755 }, "x"), "su: has a setuid or setgid bit"],
  [
    "a hard link to nothing",
    (a) => a.entry({ name: "h", type: "link", linkname: "nothing" }),
    "h: a hard link to something that was not delivered",
  ],
  [
    "a deep name",
    (a) => a.entry({ name: "1/2/3/4/5/6/7/8/9" }, "x"),
    "1/2/3/4/5/6/7/8/9: more than 8 folders deep",
  ],
  [
    "a large file",
    (a) => a.entry({ name: "big" }, Buffer.alloc(1_000_001)),
    "big: more than 1000000 bytes in all",
  ],
])("%s is left out and named", async (_what, add, fault) => {
  const read = await readTarTree(await hostile(add), limits);
  expect(read.faults).toEqual([fault]);
  expect(read.tree.map((entry) => entry.path)).toEqual(["fine"]);
});

test("a name of megabytes does not stop the reading", async () => {
  const tar = await gnuTar((folder) => {
    let deep = folder;
    for (let level = 0; level < 15; level++) deep = join(deep, "d".repeat(200));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, "f"), "x");
    writeFileSync(join(folder, "z"), "x");
  });
  const read = await readTarTree(pieces(tar), limits);
  expect(read.tree.map((entry) => entry.path)).toEqual(["z"]);
});

test("faults are counted beyond fifty", async () => {
  const read = await readTarTree(
    await hostile((archive) => {
      for (let at = 0; at < 60; at++) archive.entry({ name: `/abs${at}` }, "x");
    }),
    limits,
  );
  expect(read.faults).toHaveLength(51);
  expect(read.faults.at(-1)).toBe("and 10 more");
});

test("a broken archive is an infrastructure fault, wherever it is cut", async () => {
  const whole = await collect(packTree(tree));
  const cuts = [0, 100, 512, 700, 1024, whole.length - 1024, whole.length - 512, whole.length - 1];
  for (const cut of cuts) {
    await expect(readTarTree(pieces(whole.subarray(0, cut)), limits), `cut at ${cut}`).rejects.toThrow(
      SandboxError,
    );
  }
  const damaged = Uint8Array.from(whole);
  damaged[0] = 0xff;
  await expect(readTarTree(pieces(damaged), limits)).rejects.toThrow(/checksum/);
});

test("an error of the stream itself passes through", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve((await collect(packTree(tree))).subarray(0, 600));
    throw new SandboxError("the container is gone");
  }
  await expect(readTarMember(broken(), () => true, { bytesEach: 10 })).rejects.toThrow(
    "the container is gone",
  );
});

test("a setuid bit is seen as GNU tar writes it", async () => {
  const tar = await gnuTar((folder) => {
    writeFileSync(join(folder, "su"), "x");
    chmodSync(join(folder, "su"), 0o4755);
  });
  expect((await readTarTree(pieces(tar), limits)).faults).toEqual(["su: has a setuid or setgid bit"]);
});
