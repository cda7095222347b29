import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { type FileTree, overlay } from "../../artefacts/tree.ts";
import { parseDraft } from "../../author/draft.ts";
import { gradeSnapshot } from "../../grade/grade-snapshot.ts";
import { type DockerSandbox, dockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../../sandbox/settings.ts";
import { packTree, readTarMember } from "../../sandbox/tar.ts";
import { readTree } from "../../store/tree.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { judgeOf, says } from "../../testing/gradings.ts";
import { answerAssertion } from "./grade-program.ts";
import { importEvals } from "./import-evals.ts";

let sandbox: DockerSandbox;
let bundle: Bundle;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  const skill = await readTree(join(import.meta.dirname, "../../testing/formats/evals/harbour-notes"));
  const [first] = importEvals("harbour-notes", skill);
  if (first?.kind !== "imported") throw new Error("the first evaluation was not imported");
  const parsed = parseDraft(first.id, first.tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  bundle = parsed.bundle;
}, 600_000);
afterAll(() => sandbox.close());

function grade(workspace: FileTree): Promise<Grading> {
  const judges = ["a/1", "b/2", "c/3"].map((id) => judgeOf(id, says.yes));
  const tools = { sandbox, pack: packTree, readMembers: readTarMember, panel: { judges, seed: 7 } };
  const labels = { campaign: "test", trial: "an imported evaluation" };
  return gradeSnapshot(bundle, () => packTree(workspace), { ...tools, labels });
}

const solved = (): FileTree => overlay(bundle.fixtures, bundle.reference);

test("the reference is put to the judges, a question for each expectation", async () => {
  const grading = await grade(solved());
  expect(grading.outcome, grading.log).toMatchObject({
    kind: "asks",
    assertions: [{ assertion: answerAssertion, passed: true }],
    questions: [
      { id: "e1", artefacts: ["answer.md"], expect: true },
      { id: "e2", artefacts: ["answer.md"], expect: true },
    ],
  });
  expect(grading.answers.map(({ answer }) => answer)).toEqual([true, true]);
});

test("judges see what was made or changed, nine files of it, and not what was found", async () => {
  const made = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`more/of/${at}.txt`, `${at}`]));
  const workspace = overlay(
    solved(),
    treeOf({
      ...made,
      ...{ "a note.txt": "x", "evals/files/levels.csv": "changed\n", "evals/files/levels-2.csv": "new\n" },
      ...{ ".cache/x": "x", ".hidden": "x", "node_modules/x/i.js": "x", "new\nline.txt": "x" },
    }),
  );
  const { outcome, log } = await grade(workspace);
  if (outcome.kind !== "asks") throw new Error(log);
  expect(outcome.questions[0]?.artefacts).toEqual([
    ...["answer.md", "a note.txt", "evals/files/levels-2.csv", "evals/files/levels.csv"],
    ...Array.from({ length: 6 }, (_, at) => `more/of/${at}.txt`),
  ]);
});

const file = (bytes: Uint8Array): FileTree => [{ kind: "file", path: "answer.md", mode: 0o644, bytes }];

test.each<[string, () => FileTree]>([
  ["an untouched workspace", () => bundle.fixtures],
  ["an empty workspace", () => []],
  ["an empty answer", () => treeOf({ "answer.md": "" })],
  ["an answer of white space", () => treeOf({ "answer.md": " \r\n\t\ufeff\0" })],
  ["a folder for an answer", () => treeOf({ "answer.md/x": "Dear harbour master" })],
  ["a link for an answer", () => [{ kind: "link", path: "answer.md", target: "/grader/questions.json" }]],
  ["bytes that are no text", () => file(Uint8Array.of(0x89, 0x50, 0xff, 0x00))],
  ["an answer beyond all measure", () => file(new Uint8Array(2 ** 20 + 1).fill(0x61))],
])("%s fails", async (_what, workspace) => {
  const grading = await grade(workspace());
  expect(grading.outcome, grading.log).toEqual({
    kind: "failed",
    assertions: [{ assertion: answerAssertion, passed: false }],
  });
});
