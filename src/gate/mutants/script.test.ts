import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import type { Change } from "./mutant.ts";
import { mutateScript } from "./script.ts";

async function changesOf(
  path: string,
  source: string | Uint8Array,
  mode: number,
): Promise<readonly Change[]> {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  return mutateScript({ path, bytes, mode }, { mostPerKind: 1, random: randomFrom(7) });
}

function textOf(change: Change | undefined): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(change?.bytes ?? new Uint8Array());
}

const plain = 0o644;
const executable = 0o755;

test.each([
  { path: "a.sh", mode: plain, source: "#!/bin/sh\necho a\n", fails: "#!/bin/sh\nexit 1\necho a\n" },
  { path: "a.sh", mode: plain, source: "echo a", fails: "exit 1\necho a" },
  { path: "a.sh", mode: plain, source: "#!/bin/sh", fails: null },
  {
    path: "bin/a",
    mode: plain,
    source: "#!/usr/bin/env python3\r\nf()\r\n",
    fails: "#!/usr/bin/env python3\r\nraise SystemExit(1)\nf()\r\n",
  },
  {
    path: "a.py",
    mode: executable,
    source: "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n'''doc'''\nf()\n",
    fails: "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\nraise SystemExit(1)\n'''doc'''\nf()\n",
  },
  {
    path: "a.py",
    mode: plain,
    source: "'''doc'''\nfrom __future__ import annotations  # first\nif __name__ == '__main__': f()",
    fails:
      "'''doc'''\nfrom __future__ import annotations  # first\nraise SystemExit(1)\nif __name__ == '__main__': f()",
  },
  {
    path: "a.py",
    mode: plain,
    source: "\uFEFFif __name__ == '__main__': f()\n",
    fails: "\uFEFFraise SystemExit(1)\nif __name__ == '__main__': f()\n",
  },
  // This parser does not know the print of Python 2, but a script is a script.
  {
    path: "a.py",
    mode: executable,
    source: "exec 'a' in b, c, d, e f\n",
    fails: "raise SystemExit(1)\nexec 'a' in b, c, d, e f\n",
  },
  {
    path: "a.mjs",
    mode: plain,
    source: "f(process.argv[2]);\n",
    fails: "process.exit(1);\nf(process.argv[2]);\n",
  },
  { path: "a", mode: executable, source: "#!/usr/bin/perl\nprint 1;\n", fails: "#!/bin/sh\nexit 1\n" },
  { path: "a", mode: executable, source: "\u007fELF\u0002\u0001\u0000", fails: "#!/bin/sh\nexit 1\n" },
])("$path with $source made to fail", async ({ path, mode, source, fails }) => {
  const [change] = (await changesOf(path, source, mode)).filter(({ kind }) => kind === "script-fails");
  expect(textOf(change)).toBe(fails ?? `${source}\nexit 1\n`);
});

test.each([
  { what: "a module that is only imported", path: "a.py", mode: plain, source: "def f(): return 1\n" },
  { what: "a library", path: "a.js", mode: plain, source: "export const a = 1;\n" },
  { what: "data that happens to be executable", path: "a.csv", mode: executable, source: "a,b\n1,2\n" },
  {
    what: "a program of another kind that is not called",
    path: "a.pl",
    mode: plain,
    source: "#!/usr/bin/perl\n",
  },
  { what: "nothing", path: "a", mode: executable, source: "" },
  { what: "another encoding", path: "a.py", mode: executable, source: Uint8Array.of(0x66, 0xe9, 0x28, 0x29) },
])("$what is no script", async ({ path, mode, source }) => {
  expect(await changesOf(path, source, mode)).toEqual([]);
});

test("a script that does nothing is not made to do nothing", async () => {
  const changes = await changesOf("a.sh", "#!/bin/sh\n# later\n\n", plain);
  expect(changes.map(({ kind }) => kind)).toEqual(["script-fails"]);
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "skillproof-script-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  { name: "a.sh", source: "#!/bin/sh\necho out\nexit 3\n" },
  {
    name: "a.cjs",
    source:
      "#!/usr/bin/env node\n'use strict';\nconsole.log('out', process.argv.length);\nprocess.exit(3);\n",
  },
  {
    name: "a.mjs",
    source:
      "#!/usr/bin/env node\nimport { argv } from 'node:process';\nconsole.log('out', argv);\nprocess.exit(3);\n",
  },
])("$name ends as it should when it is carried out", async ({ name, source }) => {
  const changes = await changesOf(name, source, executable);
  const ended = changes.map(({ kind, bytes }) => {
    const path = join(folder, `${kind}-${name}`);
    writeFileSync(path, bytes ?? "", { mode: executable });
    const { status, stdout, stderr } = spawnSync(path, { encoding: "utf8" });
    return { kind, status, stdout, stderr };
  });
  expect(ended).toEqual([
    { kind: "script-fails", status: 1, stdout: "", stderr: "" },
    { kind: "script-silent", status: 0, stdout: "", stderr: "" },
  ]);
});
