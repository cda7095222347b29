import { expect, test } from "vitest";
import { claimFormat } from "../../artefacts/honesty.ts";
import type { Answer } from "../../artefacts/verdict.ts";
import { endedTrial, verdictOf } from "../../testing/trials.ts";
import { documentOf } from "../html/markup.ts";
import type { TrialView } from "./trial-view.ts";
import { standingOf, usageRows } from "./trial-words.ts";
import { verdictSection } from "./verdict-section.ts";

const planned = {
  ...{ skill: "s", benchmark: "b", model: "a/x", arm: "with_skill", n: 1, block: 0, key: "k", seed: 7 },
};

function answered(answer: boolean | null, expect_: boolean, reply: string | null = "YES. It is."): Answer {
  const ballot = { question: "tone", judge: "<b>judge</b>", answer: "yes", reason: null, reply } as const;
  const absent = { ...ballot, answer: "absent", reason: "refused", reply: null } as const;
  const question = {
    id: "tone",
    question: "Is it <i>polite</i>?",
    artefacts: ["letter.md"],
    expect: expect_,
  };
  return { question, key: "k", ballots: [ballot, absent], answer };
}

function section(over: Partial<TrialView>): string {
  const view = { verdict: null, graderLog: null, claim: null, ...over } as TrialView;
  return documentOf(verdictSection(view));
}

test.each([
  [0, "exit code 0, after"],
  [1, "exit code 1, after"],
  [3, "exit code 3, which leaves the verdict to the judges, after"],
])("a grader that ended with %i is told with what that means", (exitCode, words) => {
  const verdict = verdictOf("failed");
  expect(section({ verdict: { ...verdict, grader: { ...verdict.grader, exitCode } } })).toContain(words);
});

test.each([
  { answer: true, expected: true, words: "yes, as expected" },
  { answer: false, expected: true, words: "no, not as expected" },
  { answer: false, expected: false, words: "no, as expected" },
  { answer: null, expected: true, words: "no two judges agree: undecided" },
])("judges' answer $answer where $expected was expected", ({ answer, expected, words }) => {
  const text = section({ verdict: { ...verdictOf("failed"), answers: [answered(answer, expected)] } });
  expect(text).toContain(`<dd>${words}</dd>`);
  expect(text).toContain("Is it &lt;i>polite&lt;/i>?");
  expect(text).toContain("&lt;b>judge&lt;/b>");
  expect(text).toContain("2 ballots. An absent one counts for neither side.");
  expect(text).toContain("none kept");
});

test.each([
  { grader: { exitCode: 1, signal: null, timedOut: false, seconds: 2 }, words: "exit code 1, after 2.0 s" },
  {
    grader: { exitCode: null, signal: "SIGKILL", timedOut: false, seconds: 2 },
    words: "ended by signal SIGKILL",
  },
  {
    grader: { exitCode: null, signal: null, timedOut: true, seconds: 60 },
    words: "stopped by its time limit",
  },
  {
    grader: { exitCode: null, signal: null, timedOut: false, seconds: 0 },
    words: "its exit code is unavailable",
  },
])("how the grader ended: $words", ({ grader, words }) => {
  expect(section({ verdict: { ...verdictOf("failed"), grader } })).toContain(words);
});

test("a stand-in's judgement and a claim are marked as what they are", () => {
  const ballots = [{ judge: "j", answer: "unclear", reason: null, reply: "UNCLEAR" }] as const;
  const claim: TrialView["claim"] = {
    ...{
      format: claimFormat,
      message: "m",
      key: "k",
      ballots: [...ballots],
      answer: null,
      standInJudges: true,
    },
  };
  const text = section({ verdict: { ...verdictOf("failed"), standInJudges: true }, claim });
  expect(text).toContain("Judged by a stand-in, not by models.");
  expect(text).toContain(
    "The panel says: undecided: no two judges agree. Read by a stand-in, not by models.",
  );
  expect(text).toContain("It does not change the verdict.");
});

test.each([
  {
    what: "assertions and answers",
    verdict: {
      ...verdictOf("failed"),
      assertions: [
        { assertion: "a", passed: true },
        { assertion: "b", passed: false },
      ],
      answers: [answered(true, true), answered(null, true)],
    },
    words:
      "1 of 2 assertions of the grader passed; 1 of 2 questions answered by the judges as expected, 1 undecided.",
  },
  { what: "its reason", verdict: verdictOf("failed", "grader_error"), words: "grader_error." },
  { what: "nothing", verdict: verdictOf("failed"), words: "No reason was recorded." },
])("a verdict is told by $what", ({ verdict, words }) => {
  const told = standingOf({ trial: endedTrial(planned), verdict, voids: 0, torn: null });
  expect(told).toEqual({ standing: "failed", words });
});

test.each([
  { voids: 0, torn: null, words: "Not done yet." },
  { voids: 1, torn: null, words: "Not done: 1 attempt lost to infrastructure, which is no verdict." },
  {
    voids: 2,
    torn: "x",
    words: "What lies in its place cannot be used (x). It counts as not done; eval does it again.",
  },
])("without a trial it is ungraded: $words", ({ voids, torn, words }) => {
  expect(standingOf({ trial: null, verdict: null, voids, torn })).toEqual({ standing: "ungraded", words });
});

test("figures that the provider gave are printed, and no others", () => {
  const { usage } = endedTrial(planned, { usage: { inputTokens: 12_345, costUsd: 0.0123, outputTokens: 0 } });
  const rows = Object.fromEntries(usageRows(usage));
  expect(rows["Tokens in"]).toBe("12,345 (not cached unavailable, cached unavailable)");
  expect([rows["Tokens out"], rows["Cost"], rows["Largest context"]]).toEqual([
    "0",
    "$0.0123",
    "unavailable",
  ]);
});
