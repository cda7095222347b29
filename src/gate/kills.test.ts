import { expect, test } from "vitest";
import type { Claims } from "../artefacts/claims.ts";
import type { Grading } from "../artefacts/grading.ts";
import { InfrastructureError } from "../errors.ts";
import { answerOf, gradingOf } from "../testing/gradings.ts";
import { type Fate, fateOf, tallyOf, type TriedMutant } from "./kills.ts";

const asking = (answer: boolean | null): Grading =>
  gradingOf(3, ["a"], { answers: [answerOf("tone", answer)] });
const unasked: Grading = { ...asking(true), answers: [] };
const late = (grading: Grading): Grading => ({
  ...grading,
  grader: { ...grading.grader, exitCode: null, timedOut: true },
});

test.each<[string, Grading, Fate, Fate]>([
  ["passed", gradingOf(0, ["a"]), "survived", "survived"],
  ["failed an assertion", gradingOf(1, ["!a"]), "by-assertion", "by-assertion"],
  ["ended with exit code 2", gradingOf(2, ["!a"]), "broken", "broken"],
  ["ran out of time", late(gradingOf(2, [])), "by-time", "by-time"],
  ["got a YES", asking(true), "survived", "broken"],
  ["got a NO", asking(false), "by-judges", "broken"],
  ["was not answered", unasked, "left", "broken"],
])("a grader that %s", (_what, grading, judged, unjudged) => {
  expect(fateOf(grading, true)).toBe(judged);
  expect(fateOf(grading, false)).toBe(unjudged);
});

test("absent judges are infrastructure", () => {
  expect(() => fateOf(asking(null), true)).toThrow(InfrastructureError);
});

const tried = (id: string, grading: Grading): TriedMutant => ({
  mutant: { id, kind: id.split(":")[0]!, path: "a.txt", words: `broken as ${id}`, bytes: null, diff: null },
  grading,
});
const claimsOf = (survivors: Claims["survivors"] = []): Claims => ({
  claims: ["first", "second", "third"].map((assertion) => ({ assertion, sentence: "x" })),
  questions: [],
  survivors,
  refusals: [],
});
const reference = gradingOf(0, ["first", "second", "third"]);
const killed = gradingOf(1, ["!first", "second", "third"]);
const passed = gradingOf(0, ["first", "second", "third"]);
const options = { claims: claimsOf(), judged: true, reference };
const ids = (all: readonly TriedMutant[]): readonly string[] => all.map(({ mutant }) => mutant.id);

test("killed and survived count, excused and left do not", () => {
  const all = [
    tried("k:1", killed),
    tried("k:2", late(gradingOf(2, []))),
    tried("k:3", asking(false)),
    tried("s:1", passed),
    tried("s:2", passed),
    tried("l:1", unasked),
    tried("b:1", gradingOf(2, [])),
  ];
  const claims = claimsOf([{ mutant: "s:2", reason: "the task leaves it open" }]);
  const tally = tallyOf(all, { ...options, claims });
  expect([ids(tally.killed), ids(tally.survived), ids(tally.excused)]).toEqual([
    ["k:1", "k:2", "k:3"],
    ["s:1"],
    ["s:2"],
  ]);
  expect(tally.excused[0]?.reason).toBe("the task leaves it open");
  expect(tally.killRate).toBe(3 / 4);
});

test.each<[string, readonly TriedMutant[], number | null]>([
  ["nothing was tried", [], null],
  ["all are left", [tried("l:1", unasked)], null],
  ["all are killed", [tried("k:1", killed)], 1],
  ["all survive", [tried("s:1", passed)], 0],
])("the rate when %s", (_what, all, rate) => {
  expect(tallyOf(all, options).killRate).toBe(rate);
});

test("an excuse does not turn a killed mutant into anything", () => {
  const claims = claimsOf([{ mutant: "k:1", reason: "x" }]);
  expect(tallyOf([tried("k:1", killed)], { ...options, claims })).toMatchObject({ excused: [], killRate: 1 });
});

test("each assertion is told with what it failed on, in the author's order; the others are idle", () => {
  const all = [
    tried("k:1", gradingOf(1, ["!third", "!first"])),
    tried("k:2", gradingOf(1, ["!third"])),
    tried("k:3", gradingOf(1, ["!not listed", "!constructor"])),
    tried("b:1", gradingOf(2, ["!second"])),
  ];
  const { kills, idle } = tallyOf(all, options);
  expect(kills).toEqual([
    { assertion: "first", mutants: ["k:1"] },
    { assertion: "third", mutants: ["k:1", "k:2"] },
    { assertion: "not listed", mutants: ["k:3"] },
    { assertion: "constructor", mutants: ["k:3"] },
  ]);
  expect(idle).toEqual(["second"]);
  expect(tallyOf(all, { ...options, claims: null }).idle).toEqual(["second"]);
});
