import { expect, test } from "vitest";
import { analysisSettingsSchema } from "../artefacts/analysis.ts";
import type { Conclusions } from "../artefacts/conclusion.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { compareReports } from "../compare/compare-reports.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { alikeCells, comparedSide, type TallyText } from "../testing/compared-sides.ts";
import {
  campaignFindings,
  campaignWords,
  comparisonFindings,
  comparisonWords,
  endOn,
  failOnFrom,
  failOnHelp,
  type FailOnWord,
} from "./fail-on.ts";
import type { ExitCode } from "./io.ts";

function concluded(arms: Readonly<Record<string, TallyText>>): Conclusions {
  const settings = analysisSettingsSchema.parse({ bootstrap: { resamples: 0 } });
  return concludeCampaign(comparedSide(alikeCells(4, arms)).report.cells, [], settings);
}

const helps = concluded({ with_skill: "9/10", without_skill: "1/10" });
const hurts = concluded({ with_skill: "1/10", without_skill: "9/10" });
const unclear = concluded({ with_skill: "1/2", without_skill: "0/2" });
const without = concluded({ with_skill: "0/0/2", without_skill: "0/0/2" });
const otherArms = concluded({ version: "1/2", without_skill: "0/2" });

test.each<[string, Conclusions | null, readonly FailOnWord[], ExitCode, ExitCode, RegExp]>([
  ["nothing asked", hurts, [], 0, 0, /^$/],
  ["it helps", helps, ["hurts", "rejected", "cannot_tell"], 0, 0, /^$/],
  ["it hurts", hurts, ["hurts"], 0, 1, /^hurts {7}sample: −80\.0 points.*\nhurts {7}sample, m\/x: −80\.0/],
  ["it is rejected", hurts, ["rejected"], 0, 1, /^rejected {4}sample: /],
  ["hurts is not asked", hurts, ["cannot_tell"], 0, 0, /^$/],
  ["it cannot be told", unclear, ["hurts", "cannot_tell"], 0, 5, /^cannot_tell sample: /],
  ["it cannot be told, which nobody asked", unclear, ["hurts"], 0, 0, /^$/],
  ["no verdict at all", without, ["hurts"], 0, 5, /^cannot_tell sample: No verdict in one arm of every cell/],
  ["no verdict at all, which is known", without, ["hurts"], 3, 3, /^cannot_tell/],
  [
    "no hypothesis, and a verdict was asked",
    null,
    ["hurts"],
    0,
    5,
    /^cannot_tell the plan has no hypothesis, so/,
  ],
  [
    "none about these arms",
    otherArms,
    ["rejected"],
    0,
    5,
    /no hypothesis about with_skill against without_skill/,
  ],
  ["trials are missing as well", hurts, ["hurts"], 3, 1, /^hurts/],
  ["trials are missing, and it cannot be told", unclear, ["cannot_tell"], 3, 3, /^cannot_tell/],
])("%s", (_name, conclusions, asked, code, expected, words) => {
  const io = capturedIo("/");
  expect(endOn(asked, { findings: campaignFindings({ conclusions }), code, io })).toBe(expected);
  expect(io.stderr()).toMatch(words);
});

test.each<[string, TallyText, TallyText, readonly FailOnWord[], ExitCode, RegExp]>([
  ["it fell", "9/10", "2/10", ["regression"], 1, /^regression {2}sample: Pass rate −70\.0 points/],
  ["it fell, and hurts, which is asked", "9/10", "0/10", ["hurts"], 1, /^hurts/],
  ["it fell, which nobody asked", "9/10", "5/10", ["rejected"], 0, /^$/],
  ["it rose", "5/10", "10/10", ["regression", "cannot_tell"], 0, /^$/],
  ["too few to tell", "1/1", "0/1", ["regression", "cannot_tell"], 5, /^cannot_tell sample: /],
])("two campaigns: %s", (_name, before, after, asked, expected, words) => {
  const of = before.split("/")[1] ?? "";
  const none = of === "10" ? "5/10" : "0/1";
  const side = (with_skill: TallyText) => comparedSide(alikeCells(4, { with_skill, without_skill: none }));
  const [a, b] = [side(before), side(after)];
  const few = side(after.startsWith("0/1") && of === "1" ? "0/1" : after);
  const sides = { a, b: of === "1" ? few : b, control: "without_skill", oneCampaign: false };
  const io = capturedIo("/");
  const findings = comparisonFindings(compareReports(sides), sides.b.report);
  expect(endOn(asked, { findings, code: 0, io })).toBe(expected);
  expect(io.stderr()).toMatch(words);
});

test.each<[string, RegExp]>([
  [
    "hurt",
    /does not know hurt\. Say some of hurts, rejected, cannot_tell, with commas\. Did you mean hurts\?/,
  ],
  ["regression", /does not know regression\. Say some of hurts, rejected, cannot_tell/],
  ["hurts,\u001b[31mred", /does not know [^\u001b]*red/],
  [" , ", /names nothing\. Say some of/],
])("an unknown word is refused with the list: %j", (text, message) => {
  expect(() => failOnFrom(text, campaignWords)).toThrow(message);
});

test("words are taken in any order, once", () => {
  expect(failOnFrom("cannot_tell, hurts,hurts", campaignWords)).toEqual(["hurts", "cannot_tell"]);
  expect(failOnFrom(undefined, campaignWords)).toEqual([]);
});

test("what a model or a server named is printed as one harmless line", () => {
  const io = capturedIo("/");
  const findings = [{ word: "hurts", words: "s\u001b[2J\nregression  forged" }] as const;
  expect(endOn(["hurts"], { findings, code: 0, io })).toBe(1);
  expect(io.stderr().split("\n")).toHaveLength(2);
  expect(io.stderr()).not.toContain("\u001b");
});

test("help explains every word of the command", () => {
  for (const words of [campaignWords, comparisonWords]) {
    for (const word of words) expect(failOnHelp(words)).toContain(`\n  ${word} `);
  }
  expect(failOnHelp(comparisonWords)).toMatch(/interval of the difference .* lies below 0/);
});
