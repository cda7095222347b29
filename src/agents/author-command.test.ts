import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { textOf } from "../artefacts/tree.ts";
import { authorContract, contractDraft, contractRequest } from "../author/author.contract.ts";
import type { AuthorAnswer, AuthorRequest } from "../author/port.ts";
import { UserError } from "../errors.ts";
import { writeTree } from "../store/tree.ts";
import { treeOf } from "../testing/benchmark.ts";
import { commandAuthor } from "./author-command.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-command-"));
  await writeTree(join(folder, "1"), contractDraft.broken.tree);
  await writeTree(join(folder, "2"), contractDraft.bundle.tree);
});
afterAll(() => rm(folder, { recursive: true }));

async function program(...lines: readonly string[]): Promise<string> {
  const file = join(folder, "author.sh");
  await writeFile(file, `#!/bin/bash\n${lines.join("\n")}\n`);
  await chmod(file, 0o755);
  return file;
}

authorContract("command", async () => {
  const author = await program(
    "prompt=$(cat)",
    `case "$prompt" in *"${contractDraft.sentence}"*) cp -R "${folder}/$SKILLPROOF_ATTEMPT/." . ;; *) exit 4 ;; esac`,
  );
  return { author: commandAuthor({ command: [author], timeoutSeconds: 30 }), close: () => Promise.resolve() };
});

async function draft(
  lines: readonly string[],
  over: {
    readonly timeoutSeconds?: number;
    readonly request?: Partial<AuthorRequest>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<AuthorAnswer> {
  const author = commandAuthor({
    command: [await program(...lines)],
    timeoutSeconds: over.timeoutSeconds ?? 30,
  });
  return author.draft(contractRequest({ previous: [], ...over.request }), over.signal);
}

/** A killed process that nobody has waited for yet is not alive. */
function alive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

test("it works in its draft folder, beside its assets and its last draft", async () => {
  const answer = await draft(
    [
      '[ "$PWD" = "$SKILLPROOF_DRAFT_DIR" ] || exit 9',
      '{ ls; cat old.txt; cat "$SKILLPROOF_ASSETS_DIR/scripts/make.py"; echo "$SKILLPROOF_BENCHMARK"; } > seen.txt',
    ],
    {
      request: { previous: treeOf({ "old.txt": "old\n" }), assets: treeOf({ "scripts/make.py!": "make\n" }) },
    },
  );
  expect(answer.kind === "draft" && textOf(answer.tree, "seen.txt")).toBe(
    "old.txt\nseen.txt\nold\nmake\nsample/answers\n",
  );
});

test("the program is found from the folder of the configuration", async () => {
  await program("echo x > f");
  const author = commandAuthor({ command: ["./author.sh"], timeoutSeconds: 30, cwd: folder });
  expect(author.backend).toBe("command ./author.sh");
  expect((await author.draft(contractRequest({ previous: [] }))).kind).toBe("draft");
});

test.each<[string, readonly string[], string]>([
  [
    "an exit code",
    ["echo half > task.md", "echo sorry; echo why >&2", "exit 3"],
    "the program ended with exit code 3",
  ],
  ["a signal", ["kill -9 $$"], "the program was ended by SIGKILL"],
  ["nothing delivered", ["true"], "the program ended well but left the draft folder empty"],
  ["a pipe in the folder", ["mkfifo fixtures"], "fixtures: not a file, folder or link. Remove it."],
  [
    "a folder of thousands of files",
    ["for d in {1..60}; do mkdir $d; touch $d/{1..100}; done"],
    "the draft folder holds more than 5000 files and folders",
  ],
  ["a folder of gigabytes", ["truncate -s 5G big"], "the draft folder holds more than 67108864 bytes"],
])("%s delivers nothing", async (_what, lines, reason) => {
  expect(await draft(lines)).toMatchObject({ kind: "nothing", reason });
});

test("the log is the end of output and errors", async () => {
  const answer = await draft(["yes 0123456789 | head -c 500000", "echo last words >&2", "exit 1"]);
  expect(answer.log.length).toBeLessThanOrEqual(64 * 1024);
  expect(answer.log).toContain("last words");
});

test("a prompt that nobody reads is no fault", async () => {
  const answer = await draft(["exec <&-", "echo x > f"], { request: { prompt: "p".repeat(1_000_000) } });
  expect(answer.kind).toBe("draft");
});

test("at the timeout the whole process group is gone, and what was written so far is not taken", async () => {
  const pids = join(folder, "pids");
  const started = performance.now();
  const answer = await draft(
    [
      "trap '' TERM",
      "echo x > task.md",
      `(trap '' TERM; echo $BASHPID > ${pids}; sleep 300 & echo $! >> ${pids}; wait) &`,
      "wait",
      "wait",
    ],
    { timeoutSeconds: 1 },
  );
  expect(answer).toMatchObject({
    kind: "nothing",
    reason: "the program did not end within 1 seconds and was stopped",
  });
  expect(performance.now() - started).toBeLessThan(20_000);
  const left = (await readFile(pids, "utf8")).trim().split("\n").map(Number);
  expect(left).toHaveLength(2);
  await vi.waitFor(() => {
    expect(left.filter(alive)).toEqual([]);
  });
});

test("what the program leaves behind is gone when it ends", async () => {
  const pids = join(folder, "left");
  const answer = await draft([`sleep 300 & echo $! > ${pids}`, "echo x > f"]);
  expect(answer.kind).toBe("draft");
  const left = Number(await readFile(pids, "utf8"));
  await vi.waitFor(() => {
    expect(alive(left)).toBe(false);
  });
});

test("an interrupt ends the program", async () => {
  const stop = new AbortController();
  const started = performance.now();
  const answer = draft(["sleep 300"], { signal: stop.signal });
  setTimeout(() => {
    stop.abort(new Error("interrupted by the user"));
  }, 200);
  await expect(answer).rejects.toThrow("interrupted by the user");
  expect(performance.now() - started).toBeLessThan(20_000);
});

test.each([
  [["/nowhere/at-all"], "authoring.command: cannot start /nowhere/at-all: "],
  [[], "authoring.command: empty."],
])("a program that cannot be started: %j", async (command, words) => {
  const failure = async (): Promise<AuthorAnswer> =>
    commandAuthor({ command, timeoutSeconds: 5 }).draft(contractRequest());
  await expect(failure()).rejects.toThrow(UserError);
  await expect(failure()).rejects.toThrow(words);
});
