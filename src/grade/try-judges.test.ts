import { expect, test } from "vitest";
import { type JudgeTrials, judgeTrialsSchema } from "../artefacts/judges.ts";
import { type FileTree, textOf } from "../artefacts/tree.ts";
import type { Answer } from "../artefacts/verdict.ts";
import type { ChatModel, ChatRequest } from "../models/port.ts";
import { answerBundle, letterBundle } from "../testing/benchmark.ts";
import { artefactsOf, gradingOf, judgeOf, questionOf, says } from "../testing/gradings.ts";
import type { ScriptedModel, ScriptedStep } from "../testing/scripted-model.ts";
import { askPanel } from "./ask-panel.ts";
import { panelFor, tryJudges, type TryJudgesPorts } from "./try-judges.ts";

const bundle = letterBundle();
const benchmark = { skill: "post", bundle };
const questions = [
  questionOf(),
  questionOf({ id: "anger", question: "Is the letter angry?", expect: false }),
];

type Judge = ChatModel & { readonly asked: ChatRequest[] };

/** Answers by what stands in the letter and in the question. */
function judgeBy(id: string, answer: (letter: "good" | "bad", question: string) => ScriptedStep): Judge {
  const asked: ChatRequest[] = [];
  return {
    id,
    standIn: false,
    asked,
    complete(request) {
      asked.push(request);
      const text = JSON.stringify(request.messages[1]?.content);
      const step = answer(
        text.includes("Dear Sir") ? "good" : "bad",
        text.includes("angry") ? "anger" : "tone",
      );
      return judgeOf(id, step).complete(request);
    },
  };
}
const vote = (yes: boolean): ScriptedStep => (yes ? says.yes : says.no);
const sound = (id: string): Judge =>
  judgeBy(id, (letter, question) => vote((letter === "good") === (question === "tone")));
const always = (id: string, step: ScriptedStep): Judge => judgeBy(id, () => step);

/** Grades as the bundle's grader does. */
function gradeBy(judges: readonly ChatModel[], seen: FileTree[] = []): TryJudgesPorts["grade"] {
  return async (workspace, known) => {
    seen.push(workspace);
    const artefacts = artefactsOf({ "letter.md": textOf(workspace, "letter.md") ?? "" });
    return gradingOf(3, ["there is a letter"], {
      answers: await askPanel(questions, artefacts, { judges, seed: 7 }, { known }),
    });
  };
}
const tried = (
  judges: readonly ChatModel[],
  earlier: JudgeTrials | null = null,
): Promise<JudgeTrials | null> => tryJudges(benchmark, judges, { grade: gradeBy(judges), earlier });

test("sound judges pass, on workspaces laid as the reference's is", async () => {
  const judges = [sound("a/1"), sound("b/2"), sound("c/3")];
  const seen: FileTree[] = [];
  const record = await tryJudges(benchmark, judges, { grade: gradeBy(judges, seen), earlier: null });
  expect(seen.map((tree) => tree.map(({ path }) => path))).toEqual([
    ["letter.md", "notes.txt"],
    ["letter.md", "notes.txt"],
  ]);
  expect(seen.map((tree) => textOf(tree, "letter.md"))).toEqual(["Dear Sir\n", "You again\n"]);
  expect(record?.trials.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "passed"]);
  expect(judgeTrialsSchema.parse(record)).toEqual(record);
  expect(panelFor(judges, [record!], benchmark).unasked.size).toBe(0);
});

test.each<[string, (id: string) => Judge, JudgeTrials["trials"][number]["outcome"], string]>([
  [
    "says YES to everything",
    (id) => always(id, says.yes),
    "missed",
    "not as expected on sentinels/good: anger",
  ],
  ["says NO to everything", (id) => always(id, says.no), "missed", "not as expected on sentinels/good: tone"],
  [
    "never says YES or NO",
    (id) => always(id, says.prose),
    "missed",
    "not as expected on sentinels/good: tone",
  ],
  [
    "finds nothing wrong with the bad one",
    (id) => judgeBy(id, (_letter, question) => vote(question === "tone")),
    "missed",
    "everything as expected on sentinels/bad",
  ],
  [
    "finds one of two faults",
    (id) => judgeBy(id, (letter, question) => vote(question === "tone" && letter === "good")),
    "passed",
    "told sentinels/good from sentinels/bad",
  ],
  [
    "finds one fault and is away for the other",
    (id) =>
      judgeBy(id, (letter, question) =>
        letter === "bad" && question === "tone"
          ? { failure: "infrastructure" }
          : vote(question === "tone" || letter === "bad"),
      ),
    "passed",
    "told sentinels/good from sentinels/bad",
  ],
  [
    "is away",
    (id) => always(id, { failure: "infrastructure" }),
    "absent",
    "infrastructure: scripted infrastructure",
  ],
  ["refuses", (id) => always(id, { say: null, finish: "content_filter" }), "absent", "refused"],
])("a judge that %s", async (_what, make, outcome, words) => {
  const judges = [sound("a/1"), make("odd/judge"), sound("c/3")];
  const record = await tried(judges);
  expect(record?.trials.map((trial) => trial.outcome)).toEqual(["passed", outcome, "passed"]);
  expect(record?.trials[1]?.words).toContain(words);
  expect(record?.trials[1]?.good.map(({ judge, question }) => [judge, question])).toEqual(
    questions.map(({ id }) => ["odd/judge", id]),
  );
  const { unasked } = panelFor(judges, [record!], benchmark);
  expect([...unasked.keys()]).toEqual(outcome === "passed" ? [] : ["odd/judge"]);
  expect([...unasked.values()].join()).toMatch(
    outcome === "missed" ? /^set aside: / : outcome === "absent" ? /^untried: / : /^$/,
  );
});

test("what was found out is not asked again; a judge that was absent is", async () => {
  const busy = always("b/2", { failure: "infrastructure" });
  const first = await tried([sound("a/1"), busy, sound("c/3")]);
  const again = [sound("a/1"), sound("b/2"), sound("c/3")];
  const second = await tried(again, first);
  expect(again.map(({ asked }) => asked.length)).toEqual([0, 4, 0]);
  expect(second?.trials.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "passed"]);
  const noGrading = { grade: () => Promise.reject(new Error("graded once more")), earlier: second };
  expect(await tryJudges(benchmark, again, noGrading)).toBe(second);
});

test("another bundle or another panel is tried anew", async () => {
  const judges: readonly ScriptedModel[] = ["a/1", "b/2", "c/3"].map((id) => judgeOf(id, says.yes));
  const record = await tried(judges);
  const other = { skill: "post", bundle: letterBundle({ "task.md": "Another task.\n" }) };
  expect(panelFor(judges, [record!], benchmark).unasked.size).toBe(3);
  expect(panelFor(judges, [record!], other).unasked.size).toBe(0);
  expect(panelFor([...judges].reverse(), [record!], benchmark).unasked.size).toBe(0);
  expect(panelFor(judges, [record!], { ...benchmark, skill: "other" }).unasked.size).toBe(0);
});

test.each([
  ["passes it", gradingOf(0, ["a"]), "the grader passed sentinels/good without asking the judges"],
  ["fails it", gradingOf(1, ["a", "!b"]), "the grader failed sentinels/good without asking the judges (b)"],
  ["breaks", gradingOf(2, []), "the grader broke its contract on sentinels/good (exit code 2)"],
])("sentinels whose grader %s say nothing about judges", async (_what, grading, unusable) => {
  const judges = [sound("a/1"), sound("b/2"), sound("c/3")];
  const record = await tryJudges(benchmark, judges, { grade: () => Promise.resolve(grading), earlier: null });
  expect(record).toMatchObject({ unusable, trials: [] });
  expect(panelFor(judges, [record!], benchmark).unasked.size).toBe(0);
});

test("a bundle without sentinels tries nobody", async () => {
  const plain = { skill: "post", bundle: answerBundle() };
  const grade = (): Promise<never> => Promise.reject(new Error("graded"));
  expect(await tryJudges(plain, [sound("a/1")], { grade, earlier: null })).toBeNull();
});

test("the judges of a campaign need not be asked what the sentinels answered", async () => {
  const judges = [sound("a/1"), sound("b/2"), sound("c/3")];
  const record = await tried(judges);
  const known = new Map<string, Answer>((record?.answers ?? []).map((answer) => [answer.key, answer]));
  await gradeBy(judges)(bundle.sentinels!.good, known);
  expect(judges.map(({ asked }) => asked.length)).toEqual([4, 4, 4]);
});
