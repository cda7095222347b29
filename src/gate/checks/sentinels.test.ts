import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { type FileTree, textOf } from "../../artefacts/tree.ts";
import { InfrastructureError } from "../../errors.ts";
import { answerBundle, letterBundle } from "../../testing/benchmark.ts";
import { toldTools } from "../../testing/check-tools.ts";
import { answerOf, gradingOf } from "../../testing/gradings.ts";
import type { Finding } from "../check.ts";
import { sentinels } from "./sentinels.ts";

const letter = letterBundle();
const asking = (tone: boolean | null, anger: boolean | null = false): Grading =>
  gradingOf(3, ["there is a letter"], { answers: [answerOf("tone", tone), answerOf("anger", anger, false)] });

function prove(
  tried: Bundle,
  on: { readonly good: Grading; readonly bad: Grading },
  graded: FileTree[] = [],
): Promise<Finding> {
  const tools = toldTools((workspace) => {
    graded.push(workspace);
    return textOf(workspace, "letter.md") === "Dear Sir\n" ? on.good : on.bad;
  }, asking(true));
  return sentinels.prove(tried, tools);
}

const apart = { good: asking(true), bad: asking(false) };

test("good and bad are laid over the fixtures without what the solution removes", async () => {
  const graded: FileTree[] = [];
  expect(await prove(letter, apart, graded)).toMatchObject({
    passed: true,
    words: "The judges tell sentinels/good from sentinels/bad.",
  });
  expect(graded.map((tree) => tree.map(({ path }) => path))).toEqual([
    ["letter.md", "notes.txt"],
    ["letter.md", "notes.txt"],
  ]);
});

test("nothing is graded for a bundle that asks no judges, and missing sentinels are a warning", async () => {
  const graded: FileTree[] = [];
  expect(await prove(answerBundle(), apart, graded)).toMatchObject({ passed: true });
  const without = await prove({ ...letter, sentinels: null }, apart, graded);
  expect(without).toMatchObject({ passed: true, words: "No sentinels were delivered." });
  expect(without.warnings).toEqual([expect.stringContaining("Deliver sentinels/good and sentinels/bad.")]);
  expect(graded).toEqual([]);
});

test("one answer that is not as expected is enough on bad, even beside an absent judge", async () => {
  expect(await prove(letter, { ...apart, bad: asking(null, true) })).toMatchObject({ passed: true });
});

test.each<[string, Partial<typeof apart>, readonly string[]]>([
  [
    "a good one that passes unasked",
    { good: gradingOf(0, ["x"]) },
    ["sentinels/good: the grader passed it without asking"],
  ],
  [
    "a bad one that passes unasked",
    { bad: gradingOf(0, ["x"]) },
    ["sentinels/bad: the grader passed it without asking"],
  ],
  [
    "a bad one that fails unasked",
    { bad: gradingOf(1, ["!there is a letter"]) },
    ["sentinels/bad: the grader failed it without asking", "failed: there is a letter"],
  ],
  [
    "a good one on which the grader crashes",
    { good: gradingOf(2, [], { log: "KeyError: 'x'" }) },
    ["sentinels/good: the grader broke its contract", "KeyError: 'x'"],
  ],
  [
    "a good one that the judges refuse",
    { good: asking(false) },
    ["sentinels/good: the judges do not give every answer as expected", "question tone: NO, expected YES"],
  ],
  [
    "a bad one that the judges like",
    { bad: asking(true) },
    ["sentinels/bad: the judges give every answer as expected. Make it wrong in one plain thing"],
  ],
  [
    "both in the wrong place",
    { good: asking(false), bad: asking(true) },
    ["sentinels/good:", "sentinels/bad:"],
  ],
])("%s is refused", async (_what, over, words) => {
  const found = await prove(letter, { ...apart, ...over });
  expect(found.passed).toBe(false);
  for (const part of words) expect(found.words).toContain(part);
});

test("absent judges are infrastructure", async () => {
  await expect(prove(letter, { ...apart, good: asking(null) })).rejects.toThrow(InfrastructureError);
});
