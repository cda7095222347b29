import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Claims } from "../../artefacts/claims.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { answerBundle, letterBundle } from "../../testing/benchmark.ts";
import { toldTools } from "../../testing/check-tools.ts";
import { answerOf, gradingOf } from "../../testing/gradings.ts";
import type { Finding } from "../check.ts";
import { claims } from "./claims.ts";

const bundle = answerBundle();
const assertion = "answer.txt holds the answer";
const sound = gradingOf(0, [assertion]);
const letter = letterBundle();
const asking = (...ids: readonly string[]): Grading =>
  gradingOf(3, ["there is a letter"], { answers: ids.map((id) => answerOf(id, true)) });

function prove(tried: Bundle, reference: Grading, seen: readonly Grading[] = [reference]): Promise<Finding> {
  const nothing = (): Grading => {
    throw new Error("nothing but the reference may be graded");
  };
  return claims.prove(tried, toldTools(nothing, reference, { seen }));
}

function listing(over: Partial<Claims>, base: Bundle = bundle): Bundle {
  return { ...base, claims: { ...base.claims!, ...over } };
}

test("what rests on the task passes, with the numbers of it", async () => {
  expect(await prove(bundle, sound)).toMatchObject({
    passed: true,
    words: "All assertions (1) rest on sentences of task.md.",
    evidence: { assertions: 1, questions: 0, faults: [] },
  });
  expect(await prove(letter, asking("tone", "anger"))).toMatchObject({
    passed: true,
    words: "All assertions (1) and questions (2) rest on sentences of task.md.",
  });
});

const sentence = "Write the answer into answer.txt.";
const other = "The answer must be short.";

test.each<[string, Bundle, Grading, readonly Grading[], readonly string[]]>([
  [
    "nothing traced",
    { ...bundle, claims: null },
    sound,
    [],
    [
      "grader/claims.json: missing.",
      '{"claims":[{"assertion":"words as on descriptor 3","sentence":"a sentence as it stands in task.md"}]}',
      `To be listed:\n- ${assertion}`,
    ],
  ],
  [
    "nothing traced of a judged bundle",
    { ...letter, claims: null },
    asking("tone"),
    [],
    ["every question for the judges", '"questions":[', "- there is a letter\n- question tone"],
  ],
  [
    "an assertion on a sentence that is not there",
    listing({ claims: [{ assertion, sentence: other }] }),
    sound,
    [],
    [`- claims.0.sentence: "${other}" does not stand in task.md. Quote a sentence of it word for word`],
  ],
  [
    "an assertion on two words",
    listing({ claims: [{ assertion, sentence: "answer.txt." }] }),
    sound,
    [],
    ["- claims.0.sentence: ", "is no sentence"],
  ],
  [
    "an assertion without a sentence",
    bundle,
    gradingOf(0, [assertion, "answer.txt is short"]),
    [],
    ['The grader writes "answer.txt is short" on descriptor 3, which claims does not list.'],
  ],
  [
    "an assertion that another grading wrote",
    bundle,
    sound,
    [gradingOf(1, ["!answer.txt is a file"])],
    ['The grader writes "answer.txt is a file"'],
  ],
  [
    "a refusal that rests on no sentence",
    listing({ refusals: [{ variant: "line-ends", sentence: other, reason: "CRLF" }] }),
    sound,
    [],
    ["- refusals.0.sentence: "],
  ],
  [
    "a question on a sentence that is not there",
    listing({ questions: [{ id: "tone", sentence: other }] }, letter),
    asking("tone"),
    [],
    ["- questions.0.sentence: "],
  ],
  ["a question that is not listed", letter, asking("tone", "anger", "length"), [], ['asks "length"']],
  ["a question that is never asked", letter, asking("tone"), [], ['"anger" is listed']],
  [
    "a question listed for a grader that asks none",
    listing({ questions: [{ id: "tone", sentence }] }),
    sound,
    [],
    ['"tone" is listed'],
  ],
])("%s is refused", async (_what, tried, reference, seen, words) => {
  const found = await prove(tried, reference, [reference, ...seen]);
  expect(found.passed).toBe(false);
  for (const part of words) expect(found.words).toContain(part);
});

test("an unlisted assertion is told once, and the words stay short whatever the grader writes", async () => {
  const once = await prove(bundle, gradingOf(0, [assertion, "x"]));
  expect(once.words.match(/The grader writes "x"/g)).toHaveLength(1);
  const many = Array.from({ length: 500 }, (_, at) => `${at} ${"long ".repeat(1000)}`);
  const found = await prove(bundle, gradingOf(0, [assertion, ...many]));
  expect(found.words.length).toBeLessThan(20_000);
  expect(found.words).toContain(`… and ${many.length - 20} more.`);
  const untraced = await prove({ ...bundle, claims: null }, gradingOf(0, many));
  expect(untraced.words.length).toBeLessThan(5000);
});
