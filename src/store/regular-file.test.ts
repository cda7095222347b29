import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { measureFile } from "./file-hash.ts";
import { readTranscript, type TranscriptRead } from "./read-transcript.ts";
import { readText } from "./record.ts";
import { openRegular } from "./regular-file.ts";
import { readSmall } from "./small-file.ts";
import { readHead } from "./trial-files.ts";
import { wholeLines } from "./whole-lines.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "odd-"));
  path = join(folder, "odd");
});
afterEach(() => rm(folder, { recursive: true }));

const odd: readonly { readonly what: string; readonly lay: () => Promise<() => void> }[] = [
  {
    what: "pipe",
    lay: () => {
      execFileSync("mkfifo", [path]);
      return Promise.resolve(() => undefined);
    },
  },
  {
    what: "device without an end",
    lay: async () => {
      await symlink("/dev/zero", path);
      return () => undefined;
    },
  },
  {
    what: "socket",
    lay: async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      return () => server.close();
    },
  },
];

test.each(odd)("a $what is not read, and nothing waits for it", async ({ lay }) => {
  const leave = await lay();
  try {
    await expect(openRegular(path)).rejects.toThrow(`${path}: not a regular file`);
    await expect(openRegular(path)).rejects.toBeInstanceOf(UserError);
    expect(await measureFile(path)).toBeNull();
    expect(await readText(path)).toBeNull();
    expect(await readHead(path, 10)).toBeNull();
    expect(readSmall(path)).toBeNull();
    await expect(wholeLines(path).next()).rejects.toThrow("not a regular file");
    const lines: TranscriptRead[] = [];
    for await (const line of readTranscript(path)) lines.push(line);
    expect(lines).toEqual([{ kind: "unreadable", words: "The transcript is not a regular file." }]);
  } finally {
    leave();
  }
});

test("a regular file and a folder are opened, and what is not there says so", async () => {
  await writeFile(path, "text");
  const file = await openRegular(path);
  expect(await file.readFile("utf8")).toBe("text");
  await file.close();
  const opened = await openRegular(folder);
  await expect(opened.readFile()).rejects.toMatchObject({ code: "EISDIR" });
  await opened.close();
  await expect(openRegular(join(folder, "absent"))).rejects.toMatchObject({ code: "ENOENT" });
});
