import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readCheats } from "./cheats.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function packOf(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

const words = "# cheat: it tries\n# cure: do it right.\n";

test("cheats come in the order of their names, behind the pack's words, and other files are none", async () => {
  await packOf({
    "b.sh": `${words}echo b\n`,
    "a.sh": `${words}echo a\n`,
    "prelude.bash": "set -u\n",
    "README.md": "x",
  });
  expect(await readCheats(folder)).toEqual([
    { name: "a", words: "it tries", script: `set -u\n\n${words}echo a\n` },
    { name: "b", words: "it tries", script: `set -u\n\n${words}echo b\n` },
  ]);
});

test.each([
  [{ "prelude.bash": "" }, "no cheats (*.sh) there"],
  [{ "prelude.bash": "", "a.sh": "# cure: do it right.\n" }, 'a.sh: no line "# cheat: what it tries"'],
  [{ "prelude.bash": "", "a.sh": "# cheat: it tries\n# cure: \n" }, 'a.sh: no line "# cure:'],
  [{ "a.sh": words }, "prelude.bash"],
])("%j is refused: %s", async (files, message) => {
  await packOf(files);
  await expect(readCheats(folder)).rejects.toThrow(message);
});

test("a pack that is not there is refused", async () => {
  await expect(readCheats(join(folder, "nowhere"))).rejects.toThrow("nowhere");
});
