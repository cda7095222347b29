import { expect, test } from "vitest";
import { type JudgeTrials, judgeStatisticsSchema, judgeTrialsFormat } from "../artefacts/judges.ts";
import type { Answer, Verdict } from "../artefacts/verdict.ts";
import { decide } from "../grade/ask-panel.ts";
import { answerOf, ballotsOf } from "../testing/gradings.ts";
import { verdictOf } from "../testing/trials.ts";
import { judgesOf } from "./judges.ts";
import { judgesSection } from "./judges-section.ts";

const panel = ["a/1", "b/2", "c/3"] as const;
type Row = readonly [string, string, string];

/** One answer by what the three judges said. */
function answerBy(key: string, row: Row): Answer {
  const ballots = ballotsOf(Object.fromEntries(panel.map((judge, at) => [judge, row[at] ?? ""])), "q");
  return { ...answerOf("q", decide(ballots)), key, ballots };
}
const verdictWith = (...answers: readonly Answer[]): Verdict => ({
  ...verdictOf("passed"),
  answers: [...answers],
});
const each = (rows: readonly Row[]): Verdict[] => rows.map((row, at) => verdictWith(answerBy(`k${at}`, row)));

const rows: readonly Row[] = [
  ["yes", "yes", "yes"],
  ["no", "no", "no"],
  ["yes", "no", "yes"],
  ["yes", "no: unparsed", "absent: infrastructure: busy"],
  ["absent: refused", "yes", "yes"],
  ["absent: cut off", "absent: set aside: missed", "absent: panel too small"],
];

test("counts per judge, and how far they agree", () => {
  const statistics = judgesOf(each(rows), []);
  expect(judgeStatisticsSchema.parse(statistics)).toEqual(statistics);
  expect(statistics).toMatchObject({ questions: rows.length, decided: 4 });
  // Votes that two judges or more gave: YYY, NNN, YNY, YN, YY. Pairs agree in 1, 1, 1/3, 0 and 1 of a question.
  const observed = (1 + 1 + 1 / 3 + 0 + 1) / 5;
  const yes = (1 + 0 + 2 / 3 + 1 / 2 + 1) / 5;
  expect(statistics.beyondChance.of).toBe(5);
  const beyond = (chance: number): number => (observed - chance) / (1 - chance);
  expect(statistics.beyondChance.gwetAC1).toBeCloseTo(beyond(2 * yes * (1 - yes)), 12);
  expect(statistics.beyondChance.fleissKappa).toBeCloseTo(beyond(yes ** 2 + (1 - yes) ** 2), 12);
  // 8 YES and 5 NO: 1 − observed disagreement ÷ expected, by pairs weighed with 1 / (votes − 1).
  const disagreement = (2 + 2) / 13;
  expect(statistics.beyondChance.krippendorffAlpha).toBeCloseTo(
    1 - disagreement / ((2 * 8 * 5) / (13 * 12)),
    12,
  );
  expect(judgesSection(statistics, { table: () => "", plain: (text) => text })).toMatch(
    /Beyond chance, over 5 question\(s\) with two votes or more: Fleiss kappa 0\.\d\d, Gwet AC1 0\.\d\d/,
  );
  const [a, b, c] = statistics.judges;
  expect(a).toEqual({
    judge: "a/1",
    ballots: 6,
    yes: 3,
    no: 1,
    unparsed: 0,
    refused: 1,
    absent: 1,
    notAsked: 0,
    refusesOften: true,
  });
  expect(b).toEqual({
    judge: "b/2",
    ballots: 5,
    yes: 2,
    no: 2,
    unparsed: 1,
    refused: 0,
    absent: 0,
    notAsked: 1,
    refusesOften: false,
  });
  expect(c).toEqual({
    judge: "c/3",
    ballots: 5,
    yes: 3,
    no: 1,
    unparsed: 0,
    refused: 0,
    absent: 1,
    notAsked: 1,
    refusesOften: false,
  });
  // Rows 1 to 3 have three votes; rows 4 and 5 have two each, of which the fifth's are equal.
  expect(statistics.unanimous).toEqual({ agreed: 2, of: 3 });
  expect(statistics.pairwise).toEqual({ agreed: 3 + 3 + 1 + 0 + 1, of: 3 * 3 + 2 });
  expect(statistics.pairs).toEqual([
    { judges: ["a/1", "b/2"], agreed: 2, of: 4 },
    { judges: ["a/1", "c/3"], agreed: 3, of: 3 },
    { judges: ["b/2", "c/3"], agreed: 3, of: 4 },
  ]);
});

test("an answer that was kept and used again counts once, one that was asked for anew twice", () => {
  const answer = answerBy("k", ["yes", "yes", "yes"]);
  const renamed = {
    ...answer,
    question: { ...answer.question, id: "r" },
    ballots: answer.ballots.map((ballot) => ({ ...ballot, question: "r" })),
  };
  expect(judgesOf([verdictWith(answer), verdictWith(renamed)], []).questions).toBe(1);
  expect(
    judgesOf([verdictWith(answer), verdictWith(answerBy("k", ["yes", "no", "yes"]))], []).questions,
  ).toBe(2);
});

test.each([
  [20, false],
  [19, true],
])("one refusal of %d ballots: named %s", (ballots, named) => {
  const verdicts = each(
    Array.from({ length: ballots }, (_, at) => [at === 0 ? "absent: refused: filter" : "yes", "yes", "yes"]),
  );
  expect(judgesOf(verdicts, []).judges[0]).toMatchObject({ ballots, refused: 1, refusesOften: named });
});

const tried = (over: Partial<JudgeTrials>): JudgeTrials => ({
  format: judgeTrialsFormat,
  skill: "post",
  benchmark: "letter",
  bundleHash: "h",
  judges: [...panel],
  unusable: null,
  trials: [],
  answers: [],
  standInJudges: false,
  ...over,
});

const write = {
  table: (header: readonly string[], lines: readonly (readonly string[])[]): string =>
    [header, ...lines].map((cells) => cells.join(" | ")).join("\n"),
  plain: (text: string): string => text.replaceAll("_", "\\_"),
};

test("the section says who agreed, refused and was set aside, with denominators", () => {
  const evidence = { good: [], bad: [] };
  const statistics = judgesOf(each(rows), [
    tried({
      trials: [
        { judge: "a/1", outcome: "passed", words: "fine", ...evidence },
        { judge: "b/2", outcome: "missed", words: "not as expected on sentinels/good: q_1", ...evidence },
        { judge: "c/3", outcome: "absent", words: "q: infrastructure", ...evidence },
      ],
    }),
    tried({ benchmark: "note", unusable: "the grader passed sentinels/bad without asking the judges" }),
  ]);
  expect(judgeStatisticsSchema.parse(statistics)).toEqual(statistics);
  const section = judgesSection(statistics, write);
  expect(section).toContain("a/1 | 6 | 3 | 1 | 0 | 1 | 1 | 0");
  expect(section).toContain(
    "4 of 6 question(s) decided; unanimous 2/3 (67 %) with the whole panel voting; pairs of votes equal 8/11 (73 %).",
  );
  expect(section).toContain("- a/1 and b/2: equal 2/4 (50 %).");
  expect(section).toContain("- post/letter: 1 of 3 judges passed the sentinels.");
  expect(section).toContain("- b/2 has no vote on post/letter: not as expected on sentinels/good: q\\_1.");
  expect(section).toContain("- c/3 has no vote on post/letter: could not be tried (q: infrastructure).");
  expect(section).toContain(
    "- post/note: its sentinels are unusable (the grader passed sentinels/bad without asking the judges)",
  );
  expect(section).toContain("- a/1 refused 1 of 6 ballots, more than 5 %.");
});

test("without judges there is no section", () => {
  expect(judgesSection(judgesOf([verdictOf("passed")], []), write)).toBe("");
});
