import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeOf } from "../testing/benchmark.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { type OpenImport, openImport } from "./wire-import.ts";

let folder: string;
let io: CapturedIo;
let open: OpenImport;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wire-import-"));
  io = capturedIo(folder);
  open = openImport(undefined, io);
});
afterEach(async () => {
  await open.close();
  await rm(folder, { recursive: true });
});

test("a script is carried out on the workspace, with files by absolute path, and what it leaves comes back", async () => {
  const left = await open.tools.perform({
    workspace: treeOf({ "old.txt": "old\n", "gone.txt": "x", "tool!": "#!/bin/sh\necho from a tool\n" }),
    files: { "/tmp/solution/new.txt": "new\n" },
    script: "rm gone.txt; mkdir made; cp /tmp/solution/new.txt made/; ./tool > tool.txt; ln -s old.txt link",
  });
  expect(left.filter(({ kind }) => kind === "file")).toEqual(
    treeOf({
      "made/new.txt": "new\n",
      "old.txt": "old\n",
      "tool!": "#!/bin/sh\necho from a tool\n",
      "tool.txt": "from a tool\n",
    }),
  );
  expect(left.find(({ kind }) => kind === "link")).toMatchObject({ path: "link", target: "old.txt" });
  expect(io.stderr()).not.toContain("did not end well");
});

test("a script that fails is told with what it said, and what it left comes back all the same", async () => {
  const left = await open.tools.perform({
    workspace: [],
    files: {},
    script: "echo half > half.txt; printf 'no \\033[31mpump here\\n' >&2; exit 4",
  });
  expect(left.map(({ path }) => path)).toEqual(["half.txt"]);
  expect(io.stderr()).toContain("did not end well: exit code 4\nno \ufffd[31mpump here");
});

test("a place that cannot be written is a broken world, not a task's answer", async () => {
  const request = { workspace: [], files: { "/solution/solve.sh": "x" }, script: "true" };
  await expect(open.tools.perform(request)).rejects.toThrow("/solution/solve.sh: ");
});

test("faults of form are those of a draft", () => {
  expect(open.faultsOf("x", treeOf({ "task.md": "x" })).join("\n")).toContain("benchmark.yaml: missing");
});
