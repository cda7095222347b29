import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { overlay } from "../artefacts/tree.ts";
import { authorContract, contractDraft, contractRequest } from "../author/author.contract.ts";
import type { AuthorAnswer } from "../author/port.ts";
import { UserError } from "../errors.ts";
import { writeTree } from "../store/tree.ts";
import { treeOf } from "../testing/benchmark.ts";
import { replayAuthor } from "./author-replay.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillproof-replay-"));
  const ours = treeOf({ "gate.json": "{}", "FAILED.md": "x", "chunks.json": "{}", "clusters.json": "{}" });
  await writeTree(join(folder, "sound"), overlay(contractDraft.bundle.tree, ours));
  const grader = contractDraft.broken.tree.filter((entry) => entry.path.startsWith("grader/"));
  await writeTree(join(folder, "overlays", "broken"), grader);
});
afterAll(() => rm(folder, { recursive: true }));

async function recording(yaml: string): Promise<string> {
  const file = join(folder, "replay.yaml");
  await writeFile(file, yaml);
  return file;
}

const recorded = `format: skillproof/replay@1
drafts:
  - title: Another section
    attempts: [{ overlay: overlays/broken }, { from: gone }]
  - title: Answers
    attempts:
      - { from: sound, overlay: overlays/broken }
      - { from: sound }
`;

authorContract("replay", async () => ({
  author: await replayAuthor(await recording(recorded)),
  close: () => Promise.resolve(),
}));

async function replay(titles: readonly string[], attempt: number): Promise<AuthorAnswer> {
  const author = await replayAuthor(await recording(recorded));
  return author.draft(contractRequest({ titles, attempt }));
}

test("the recording of the leading section wins", async () => {
  const answer = await replay(["Another section", "Answers"], 1);
  expect(answer.kind === "draft" && answer.tree.map((entry) => entry.path)).toEqual([
    "grader/claims.json",
    "grader/grade",
  ]);
  expect(answer.log).toBe("replayed from overlays/broken");
});

test.each([
  [["Answers"], 3, '"Answers" has 2 recorded attempts; this is attempt 3'],
  [
    ["Nothing like it", "Nor this"],
    1,
    'no draft is recorded for a cluster with the sections "Nothing like it", "Nor this"',
  ],
] as const)("no recording for %j at attempt %d", async (titles, attempt, reason) => {
  expect(await replay(titles, attempt)).toEqual({ kind: "nothing", reason, log: "" });
});

test("a folder that is gone is named", async () => {
  await expect(replay(["Another section"], 2)).rejects.toThrow(
    /replay\.yaml: cannot read gone: .*Name a folder/,
  );
});

test.each([
  ["drafts: [", "not valid YAML"],
  ["format: skillproof/replay@2\ndrafts: []\n", "format: "],
  [
    "format: skillproof/replay@1\ndrafts: [{ title: A, attempts: [{}] }]\n",
    "drafts.0.attempts.0: needs `from` or `overlay`",
  ],
  ["format: skillproof/replay@1\ndrafts: [{ titel: A, attempts: [] }]\n", "titel"],
])("a recording that is none: %j", async (yaml, words) => {
  const file = await recording(yaml);
  const failure = replayAuthor(file);
  await expect(failure).rejects.toThrow(UserError);
  await expect(failure).rejects.toThrow(words);
});

test("a recording that is not there", async () => {
  await expect(replayAuthor(join(folder, "none.yaml"))).rejects.toThrow(
    "authoring.recording must name a recording",
  );
});
