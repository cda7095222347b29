import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { answerBundle } from "./testing/benchmark.ts";
import type { FakeRule } from "./testing/fake-openrouter.mjs";
import { readDocs, shellLines } from "./testing/read-docs.ts";
import {
  perform,
  readersCampaigns,
  readersFolder,
  readersServer,
  readersSkill,
} from "./testing/reader-folder.ts";

/** An author that writes the sample bundle, file by file, and says that it is done. */
function author(): FakeRule {
  const files = answerBundle().tree.flatMap((entry) =>
    entry.kind === "file"
      ? [{ path: `draft/${entry.path}`, content: Buffer.from(entry.bytes).toString() }]
      : [],
  );
  const writes = files.map((args) => ({ name: "write_file", args }));
  const chmod = { name: "bash", args: { command: "chmod +x draft/grader/grade" } };
  return { do: { agent: [writes, [chmod], "Done."] } };
}

test("the quick start, whole: from a skill without benchmarks to a campaign that verifies", async () => {
  const server = await readersServer([author()]);
  const folder = await readersFolder();
  const page = (await readDocs(join(import.meta.dirname, ".."))).find(
    ({ file }) => basename(file) === "quick-start.md",
  );
  const lines = (page?.fences ?? []).flatMap(({ language, text }) =>
    language === "sh" ? shellLines(text) : [],
  );
  const commands = lines.flatMap(({ words }) => (words[0] === "npx" ? [words.slice(2)] : []));
  expect(commands.map(([name]) => name)).toEqual([
    "init",
    "doctor",
    "build",
    "build",
    "plan",
    "eval",
    "view",
    "verify",
  ]);
  for (const words of commands) {
    const [campaign = "none"] = await readersCampaigns(folder);
    const args = words.map((word) => (word === "CAMPAIGN" ? join("out", campaign) : word));
    const { code, out, err } = await perform(folder, args, server);
    expect(code, `${args.join(" ")}\n${out}\n${err}`).toBe(0);
  }
  const kept = await readdir(join(folder, "benchmarks", readersSkill));
  const [benchmark = "none"] = kept.filter((name) => !name.endsWith(".json"));
  const validated = await perform(folder, ["validate", join("benchmarks", readersSkill, benchmark)], server);
  expect(validated.code, validated.out).toBe(0);
  const again = ["build", join("skills", readersSkill), "--only", benchmark, "--force"];
  const built = await perform(folder, again, server);
  expect(built.code, built.err).toBe(0);
  await server.close();
  await rm(folder, { recursive: true });
});
