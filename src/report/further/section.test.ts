import { expect, test } from "vitest";
import type { TrialUsage } from "../../artefacts/trial.ts";
import { settingsOf } from "../../testing/arm-cells.ts";
import { trialEntries, type TrialTable } from "../../testing/trial-entries.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { cellsOf } from "../uplift.ts";
import { furtherOf } from "./further.ts";
import { furtherSection } from "./section.ts";

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, ...rows].map((row) => row.join(" | ")).join("\n");

function told(entries: readonly TrialOnDisk[]): string {
  const plan = {
    analysis: settingsOf({ bootstrap: { resamples: 50 } }),
  };
  return furtherSection(furtherOf(plan, entries, cellsOf(entries)), table);
}

const arms: TrialTable = {
  one: { with_skill: "+++++", without_skill: "++--." },
  two: { with_skill: "++++-", without_skill: "-----" },
};
const dear: Partial<TrialUsage> = { inputTokens: 180, outputTokens: 20, costUsd: 0.5 };
const cheap: Partial<TrialUsage> = { inputTokens: 90, outputTokens: 10, costUsd: 0.25 };

test("every figure stands with its denominator, and nothing is concluded", () => {
  const text = told(trialEntries(arms, { usage: ({ arm }) => (arm === "with_skill" ? dear : cheap) }));
  expect(text).toMatch(/^## Further figures\n\nExploratory: no conclusion is drawn from any of these\./);
  expect(text).not.toMatch(/\b(helps|hurts|accept|reject|significant)\b/);
  for (const line of [
    "sample/two | a/x | with_skill against without_skill | 4 of 5 (37.6 % to 96.4 %) | 0 of 5 (0 % to 43.4 %) | +80.0 points | ",
    "sample | a/x | with_skill | 9 of 10 (",
    "| 100 % | 50 % | 2 of 2",
    "sample | a/x | with_skill against without_skill | 9 of 10 | 6 | 0 | 2 | 1 | 0.031 | 0.016",
    "with_skill against without_skill | input and output | 2.00 × | unavailable | 2.00 × | 2.00 × | 2.00 × | 2 of 2 | 10 of 10, 9 of 9",
    "with_skill against without_skill | input, uncached | unavailable | unavailable",
    "sample | a/x | with_skill | $5.0000 | 9 of 10 | $0.5556 | unavailable",
    "sample | a/x | without_skill | $2.2500 | 2 of 9 | not given below 8 passes | unavailable",
  ])
    expect(text).toContain(line);
  expect(text).not.toContain("arm ÷ control |");
});

test("a difference below zero has a minus sign, as everywhere that people read", () => {
  const worse: TrialTable = { one: { with_skill: "---", without_skill: "+++" } };
  const text = told(trialEntries(worse));
  expect(text).toContain("| −100.0 points | −100.0 points to −");
  expect(text).not.toMatch(/-\d/);
});

test.each<[string, readonly TrialOnDisk[], string]>([
  [
    "no pass",
    trialEntries({ one: { with_skill: "--" } }, { usage: () => cheap }),
    "unbounded: nothing passed",
  ],
  ["no price", trialEntries({ one: { with_skill: "++" } }), "unavailable (0 of 2 trials told it)"],
  [
    "nothing done",
    trialEntries({ one: { with_skill: "..", without_skill: ".." } }),
    "0 of 2 | 0 | 0 | 0 | 0 | unavailable",
  ],
  [
    "fewer verdicts than k",
    trialEntries({ one: { with_skill: "+." } }),
    "unavailable | unavailable | 0 of 1",
  ],
])("%s is said", (_name, entries, words) => {
  const text = told(entries);
  expect(text).toContain(words);
  expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
});

test("one model has no line for all models, two have one", () => {
  const x = trialEntries(arms, { model: "a/x" });
  const y = trialEntries(arms, { model: "b/y" });
  expect(told(x)).not.toContain("all models");
  expect(told([...x, ...y])).toContain("sample | all models | with_skill | 18 of 20");
});

test("nothing planned gives a heading and no empty table", () => {
  expect(told([])).not.toContain("###");
});
