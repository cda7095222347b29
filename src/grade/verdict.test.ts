import { expect, test } from "vitest";
import type { Grading } from "../artefacts/grading.ts";
import { verdictSchema } from "../artefacts/verdict.ts";
import { SandboxError } from "../sandbox/port.ts";
import { answerOf, ballotsOf, gradingOf } from "../testing/gradings.ts";
import { decide } from "./ask-panel.ts";
import { awaitsJudges, gradeTrial, verdictOf } from "./verdict.ts";

const passed = gradingOf(0, ["a"]);
const failed = gradingOf(1, ["a", "!b"]);
const error = gradingOf(2, []);
const asks = (...answers: readonly (boolean | null)[]): Grading =>
  gradingOf(3, ["a"], { answers: answers.map((answer, at) => answerOf(`q${at}`, answer, at !== 1)) });

test.each<[string, readonly Grading[], string, string | null]>([
  ["exit 0", [passed], "passed", null],
  ["exit 1", [failed], "failed", null],
  ["every answer as expected", [asks(true, false, true)], "passed", null],
  ["one answer not as expected", [asks(true, true)], "failed", "judges: q1"],
  ["one answer missing", [asks(true, null)], "ungraded", "fewer than two ballots agree on q1"],
  ["one missing, one not as expected", [asks(null, true)], "failed", "judges: q1"],
  ["an error twice", [error, error], "failed", "grader_error: exit code 2"],
  ["two errors of different kinds", [gradingOf(7, []), error], "failed", "grader_error: exit code 2"],
  [
    "an error, then a pass",
    [error, passed],
    "ungraded",
    "the grader broke its contract once (exit code 2), and once it did not",
  ],
  [
    "an error, then a fail",
    [error, failed],
    "ungraded",
    "the grader broke its contract once (exit code 2), and once it did not",
  ],
])("%s", async (_what, gradings, verdict, reason) => {
  let asked = 0;
  const graded = await gradeTrial(() => Promise.resolve(gradings[asked++] ?? passed), "snapshot");
  expect(graded.verdict).toMatchObject({ verdict, reason, snapshot: "snapshot", bundleHash: "bundle" });
  expect(verdictSchema.parse(graded.verdict)).toEqual(graded.verdict);
  expect(asked).toBe(gradings.length);
  expect(graded.gradings).toEqual(gradings);
});

test.each<[string, readonly [string, string, string], boolean]>([
  ["a lost provider", ["yes", "no", "absent: infrastructure: busy"], true],
  ["a stopped model", ["absent: stop_model: gone", "absent: stop_model: gone", "yes"], true],
  [
    "judges that could not be tried",
    ["absent: untried: busy", "absent: untried: busy", "absent: panel too small"],
    true,
  ],
  ["a refusal", ["yes", "no", "absent: refused: filter"], false],
  ["a judge cut off twice", ["yes", "no", "absent: cut off"], false],
  ["a question too long for a judge", ["yes", "no", "absent: context_exhausted: too long"], false],
  ["a judge set aside", ["yes", "no", "absent: set aside: missed"], false],
  ["a judge absent where two decide", ["yes", "yes", "absent: infrastructure: busy"], false],
])("an open verdict is worth asking again after %s: %#", (_what, [a, b, c], again) => {
  const ballots = ballotsOf({ a, b, c });
  const answers = [{ ...answerOf("tone", decide(ballots)), ballots }];
  expect(awaitsJudges(verdictOf(gradingOf(3, ["x"], { answers }), "s"))).toBe(again);
});

test("a broken container is no verdict", async () => {
  await expect(gradeTrial(() => Promise.reject(new SandboxError("gone")), "s")).rejects.toThrow(SandboxError);
});
