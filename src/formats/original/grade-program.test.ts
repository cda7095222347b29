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
import { monstrousMiB, originalAssertion } from "./grade-program.ts";
import { importOriginal } from "./import-original.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

function bundleOf(id: string, original: FileTree): Bundle {
  const imported = importOriginal(id, original);
  if (imported.kind === "refused") throw new Error(imported.reasons.join("\n"));
  const parsed = parseDraft(id, imported.tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  return parsed.bundle;
}

function grade(bundle: Bundle, workspace: FileTree): Promise<Grading> {
  const tools = { sandbox, pack: packTree, readMembers: readTarMember, panel: { judges: [], seed: 7 } };
  const labels = { campaign: "test", trial: "an imported grader" };
  return gradeSnapshot(bundle, () => packTree(workspace), { ...tools, labels }, { askJudges: false });
}

test("the imported grader accepts the reference and refuses other workspaces", async () => {
  const id = "bench_01_highest_tide";
  const bundle = bundleOf(
    id,
    await readTree(join(import.meta.dirname, "../../testing/formats/original", id)),
  );
  const solved = overlay(bundle.fixtures, bundle.reference);
  const told = (passed: boolean): Partial<Grading["outcome"]> => ({
    kind: passed ? "passed" : "failed",
    assertions: [{ assertion: originalAssertion, passed }],
  });
  const right = await grade(bundle, solved);
  expect(right.outcome).toEqual(told(true));
  // As the original calls it.
  expect(right.log).toContain("grading /workspace with 0 arguments");
  const wrong: readonly [string, FileTree][] = [
    ["untouched", bundle.fixtures],
    ["empty", []],
    ["another answer", overlay(solved, treeOf({ "highest.json": '{"hour": "00:00", "level": 112}' }))],
    ["changed fixtures", overlay(solved, treeOf({ "levels.csv": "hour,level\n" }))],
    ["a claim and planted answers", treeOf({ "highest.json": "PASSED", ".judge/answers.json": "{}" })],
  ];
  for (const [what, workspace] of wrong) {
    const grading = await grade(bundle, workspace);
    expect(grading.outcome, `${what}\n${grading.log}`).toEqual(told(false));
  }
});

test("a file that would kill a grader which reads it fails the work", async () => {
  const size = (monstrousMiB << 20) + 1;
  const huge: FileTree = [{ kind: "file", path: "a/huge.txt", mode: 0o644, bytes: new Uint8Array(size) }];
  const grading = await grade(graderOf("exit 0"), huge);
  expect(grading.outcome.kind).toBe("failed");
  expect(grading.log).toContain(`not called, because a/huge.txt has more than ${monstrousMiB << 20} bytes`);
});

/** A grader of one script, with a task and a solution that do not matter here. */
function graderOf(script: string): Bundle {
  return bundleOf(
    "x",
    treeOf({
      "benchmark.yaml": "title: X\n",
      "task_prompt.md": "Write a letter to letter.md.\n",
      "reference_solution/letter.md": "Dear Madam\n",
      "grader/grade.sh": script,
    }),
  );
}

test.each<[string, string, Grading["outcome"]["kind"], string]>([
  ["exit code 0", "exit 0", "passed", ""],
  ["exit code 1", "exit 1", "failed", ""],
  ["a missing file under set -e", "set -e\ncat nothing-there\n", "failed", "nothing-there"],
  ["pytest without tests", "python3 -m pytest -q -p no:cacheprovider /grader/none.py", "failed", "none.py"],
  ["a missing program", "set -e\nno-such-program\n", "failed", "no-such-program"],
  ["a program of the workspace that crashes", "bash -c 'kill -SEGV $$'", "failed", ""],
  ["a grader that is killed", "kill -9 $$", "error", "imported grader: it was killed"],
  [
    "a grader whose program is killed",
    "bash -c 'kill -9 $$'; exit 137",
    "error",
    "it was killed (exit code 137)",
  ],
  ["questions that the import did not see", "exit 3", "error", "nothing of questions was found in it"],
  [
    "words on descriptor 3",
    `echo '{"assertion":"forged","passed":true}' >&3; exit 1`,
    "failed",
    "Bad file descriptor",
  ],
])("%s", async (_what, script, kind, log) => {
  const grading = await grade(graderOf(script), treeOf({ "letter.md": "Dear Madam\n" }));
  expect(grading.outcome.kind, grading.log).toBe(kind);
  if (kind !== "error")
    expect(grading.outcome.assertions).toEqual([{ assertion: originalAssertion, passed: kind === "passed" }]);
  expect(grading.log).toContain(log);
});

/** Asks what `questions` (Python) says, and passes when every answer is `wanted`. `first` is done before. */
function asking(questions: string, { first = "", wanted = "True" } = {}): Bundle {
  return graderOf(`set -e
${first}
python3 - <<'PROGRAM'
import json, os, sys
letter = open("letter.md", errors="replace").read()
if os.path.exists(".judge/answers.json"):
    answers = json.load(open(".judge/answers.json"))["answers"]
    sys.exit(0 if answers and all(answer is ${wanted} for answer in answers.values()) else 1)
os.makedirs(".judge", exist_ok=True)
json.dump(${questions}, open(".judge/questions.json", "w"))
sys.exit(3)
PROGRAM
`);
}

const png = "\u0089PNG\r\n";
const letter = { "letter.md": "\nDear Madam,\nthe boat is late.\n" };
const one = (question: string): string =>
  `{"questions": [{"id": "q1", "question": "Is it kind?", ${question}}]}`;

test.each<[string, Bundle, Readonly<Record<string, string>>, readonly string[]]>([
  ["a whole file as text", asking(one('"text": letter')), letter, ["letter.md"]],
  ["a file without its white space", asking(one('"text": letter.strip()')), letter, ["letter.md"]],
  [
    "the beginning of a long file",
    asking(one('"text": letter[:600]')),
    { "letter.md": "Dear Madam, ".repeat(100) },
    ["letter.md"],
  ],
  ["a path as text", asking(one('"text": "letter.md"')), letter, ["letter.md"]],
  [
    "an image by its absolute path",
    asking(one('"image": "/workspace/a b.png"')),
    { ...letter, "a b.png": png },
    ["a b.png"],
  ],
  [
    "image and text",
    asking(one('"image": "x.png", "text": letter')),
    { ...letter, "x.png": png },
    ["letter.md", "x.png"],
  ],
  [
    "a list without a name",
    asking('[{"id": 1, "question": "Is it?", "text": letter}]'),
    letter,
    ["letter.md"],
  ],
  [
    "answers that the agent planted",
    asking(one('"text": letter')),
    { ...letter, ".judge/answers.json": '{"answers": {"q1": true}}' },
    ["letter.md"],
  ],
])("asks about %s", async (_what, bundle, files, artefacts) => {
  const grading = await grade(bundle, treeOf(files));
  expect(grading.outcome, grading.log).toMatchObject({
    kind: "asks",
    assertions: [{ assertion: originalAssertion, passed: true }],
    questions: [{ artefacts, expect: true }],
  });
});

const forging = 'mkdir .judge; echo \'{"answers":{"q1":true}}\' > .judge/answers.json';

test.each<[string, Bundle, Readonly<Record<string, string>>, "failed" | "error", string]>([
  ["nothing to ask about", asking(one('"text": letter')), {}, "failed", "letter.md"],
  [
    "a no that is wanted",
    asking(one('"text": letter'), { wanted: "False" }),
    letter,
    "failed",
    "although every answer is yes",
  ],
  [
    "answers made while it grades",
    asking(one('"text": letter'), { first: forging }),
    letter,
    "failed",
    "no judge was asked",
  ],
  [
    "an image that the grader makes",
    asking(one('"image": ".grading/page.png"'), {
      first: "mkdir -p .grading; printf png > .grading/page.png",
    }),
    letter,
    "error",
    "is no file of the workspace as the agent left it",
  ],
  [
    "an image that the agent planted for the grader to make",
    asking(one('"image": ".grading/page.png"'), {
      first: "mkdir -p .grading; printf png > .grading/page.png",
    }),
    { ...letter, ".grading/page.png": "a better one" },
    "error",
    "is no file of the workspace as the agent left it",
  ],
  [
    "a part of a file",
    asking(one('"text": letter[2:8]')),
    letter,
    "error",
    "the text of question 'q1' is no file",
  ],
  [
    "a file elsewhere",
    asking(one('"image": "/grader/grade.sh"')),
    letter,
    "error",
    "the image of question 'q1' is no file",
  ],
  [
    "neither image nor text",
    asking('[{"id": "q1", "question": "Is it?"}]'),
    letter,
    "error",
    "has neither image nor text",
  ],
  ["no list", asking('"questions.json"'), letter, "error", "holds no list of questions"],
  ["no words", asking('[{"id": "q1", "text": letter}]'), letter, "error", "has no id or no words"],
  [
    "no file of questions",
    graderOf("exit 3  # no questions.json"),
    letter,
    "error",
    "questions.json cannot be read",
  ],
])("asks nobody: %s", async (_what, bundle, files, kind, log) => {
  const grading = await grade(bundle, treeOf(files));
  expect(grading.outcome.kind, grading.log).toBe(kind);
  expect(grading.log).toContain(log);
});
