import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { asInvoked } from "./as-invoked.ts";
import { main } from "./main.ts";

const byNpx = { npm_lifecycle_event: "npx" };

test.each([
  ["skillproof build skills/a", "npx skillproof build skills/a"],
  [
    "x: no benchmarks there. Run: skillproof build <skill>",
    "x: no benchmarks there. Run: npx skillproof build <skill>",
  ],
  ["systemctl start docker", "systemctl start docker"],
  ["out/skillproof eval", "out/skillproof eval"],
  ["this is no skillproof campaign", "this is no skillproof campaign"],
])("through npx, %s can be given again", (words, expected) => {
  expect(asInvoked(words, byNpx)).toBe(expected);
  expect(asInvoked(words, {})).toBe(words);
});

test("init, doctor and refusals name commands that the shell finds", async () => {
  const folder = await mkdtemp(join(tmpdir(), "as-invoked-"));
  try {
    const said = async (...args: string[]): Promise<string> => {
      const io = capturedIo(folder, { env: byNpx });
      await main(args, io);
      return `${io.stdout()}${io.stderr()}`;
    };
    expect(await said("init")).toContain("Name one: npx skillproof init --skill FOLDER");
    expect(await said("doctor", "--config", "none.yaml")).toContain(
      "→ npx skillproof init --config none.yaml",
    );
    expect(await said("report", "none")).not.toMatch(/(^|: )skillproof [a-z]/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
