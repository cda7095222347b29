import { expect, test } from "vitest";
import { pageCampaign } from "../../testing/page-campaign.ts";
import { anchorsOf } from "./anchors.ts";
import { linksTo } from "./row-links.ts";

const { report, trials } = pageCampaign({ skills: ["s1", "s2"], benchmarks: ["one", "two"] });
const anchors = anchorsOf(report, trials);
const cellAt = (skill: string, benchmark: string, model: string): string =>
  `c${report.cells.findIndex(
    (cell) => cell.skill === skill && cell.benchmark === benchmark && cell.model === model,
  )}`;
const firstOf = (skill: string, benchmark: string): string =>
  `c${report.cells.findIndex((cell) => cell.skill === skill && cell.benchmark === benchmark)}`;

test.each<[string, readonly string[], readonly string[], string | null, number, string | null]>([
  ["a skill", ["skill", "model"], ["s2", "all models"], null, 0, "s1"],
  ["a skill without a trial", ["skill"], ["elsewhere"], null, 0, null],
  ["a cell", ["benchmark", "model"], ["s2/two", "b/y"], null, 0, cellAt("s2", "two", "b/y")],
  ["a cell that was not planned", ["benchmark", "model"], ["s2/two", "c/z"], null, 0, null],
  ["a benchmark", ["benchmark", "leak"], ["s1/two", "told"], null, 0, firstOf("s1", "two")],
  ["a name without a slash", ["benchmark", "leak"], ["two", "told"], null, 0, null],
  ["many benchmarks", ["benchmarks", "uplift"], ["without any in this list", "+1"], null, 0, "trials"],
  [
    "a section",
    ["sections", "tokens", "benchmarks"],
    ["A and 1 more", "9 of 10", "two (made from 2 sections)"],
    "s2",
    2,
    firstOf("s2", "two"),
  ],
  [
    "a section of two benchmarks",
    ["sections", "tokens", "benchmarks"],
    ["A", "9 of 10", "one, two"],
    "s1",
    2,
    firstOf("s1", "one"),
  ],
  ["a section without one", ["sections", "tokens", "benchmarks"], ["A", "9", "none"], "s1", 2, null],
  ["a judge", ["judge", "ballots"], ["s1", "3"], null, 0, null],
])("a row about %s", (_name, header, row, heading, at, id) => {
  expect(linksTo(anchors)({ header, heading }, row)).toEqual({ at, id });
});

test("with no trial on the page nothing leads anywhere", () => {
  const none = linksTo(anchorsOf(report, []));
  for (const [about, told] of [
    ["skill", "s1"],
    ["benchmark", "s1/one"],
    ["benchmarks", "all"],
  ] as const)
    expect(none({ header: [about], heading: null }, [told]).id).toBeNull();
});
