import { expect, test } from "vitest";
import { type LeakyHandling, type Plan, planFormat, type PlannedBenchmark } from "../artefacts/plan.ts";
import { type Report, reportSchema } from "../artefacts/report.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { sampleTimings } from "../testing/timings.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { makeReport } from "./make-report.ts";
import { renderMarkdown } from "./markdown.ts";

const inputs = sampleInputs();
const trials = planTrials(inputs, "recipe");

function described(benchmark: string, leaks: PlannedBenchmark["leaks"]): PlannedBenchmark {
  const about = { title: benchmark, judged: false, checks: ["leaks"], standInJudges: false };
  return { skill: "sample", benchmark, leaks, backend: null, isolated: null, ...about };
}

/** The skill helps on `one` alone. */
function reportOf(
  leaks: Readonly<Record<"one" | "two", PlannedBenchmark["leaks"]>>,
  leaky: LeakyHandling = "include",
): Report {
  const plan: Plan = {
    format: planFormat,
    campaign: "sample-0123",
    inputs,
    inputsHash: "h",
    image: { id: "sha256:0", recipe: "recipe", base: "packages" },
    endpoints: [],
    standIn: false,
    replay: null,
    leaky: "include",
    analysis: null,
    sections: [],
    benchmarks: [described("one", leaks.one), described("two", leaks.two)],
    trials,
  };
  const entries = trials.map((planned) => ({
    planned,
    trial: endedTrial(planned),
    verdict: verdictOf(planned.arm === "with_skill" && planned.benchmark === "one" ? "passed" : "failed"),
    voids: 0,
  }));
  return makeReport({
    plan,
    entries,
    canaries: [],
    judgeTrials: [],
    leaky,
    sections: [],
  });
}

const sectionOf = (report: Report): string =>
  renderMarkdown(report, sampleTimings()).split("## Leaks")[1]?.split("\n## ")[0] ?? "";

test("without leaks nothing is said of them", () => {
  const report = reportOf({ one: [], two: [] }, "exclude");
  expect(report.leaks).toEqual({ handling: "exclude", benchmarks: [], without: null, withoutTold: null });
  expect(report.headline).not.toContain("Left out");
  expect(renderMarkdown(report, sampleTimings())).not.toContain("## Leaks");
});

test("a leaky benchmark is named with its kinds, and the uplift without it stands beside the other", () => {
  const report = reportOf({ one: ["how", "told"], two: [] });
  expect(report.pooled).toMatchObject({ uplift: 0.5, cells: 4 });
  expect(report.leaks.without).toMatchObject({ uplift: 0, cells: 2 });
  expect(report.leaks.withoutTold).toBeNull();
  const section = sectionOf(report);
  expect(section).toContain(
    "| sample/one | the task says the skill's how; the skill tells an answer word for word | counted |",
  );
  expect(section).toContain("| counted in this report | +50.0 points | 6 of 12 | 0 of 12 | 4 |");
  expect(section).toContain(
    "| without those that give the how or an answer away | 0.0 points | 0 of 6 | 0 of 6 | 2 |",
  );
  expect(section).not.toContain("sample/two");
  expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
});

test("left out, it stands in no mean, but its trials stay in sight", () => {
  const report = reportOf({ one: ["reference"], two: [] }, "exclude");
  expect(report.pooled).toMatchObject({ uplift: 0, cells: 2, with: { planned: 6 } });
  for (const row of [...report.perSkillAndModel, ...report.perSkill, ...report.perModel])
    expect(row.uplift).toBe(0);
  expect(report.cells).toEqual(reportOf({ one: [], two: [] }).cells);
  expect(report.trials.graded).toBe(trials.length);
  expect(report.headline).toContain("Uplift 0.0 points over 2 benchmark × model cell(s)");
  expect(report.headline).toContain("Left out as leaky: sample/one.");
  expect(sectionOf(report)).toContain(
    "| sample/one | a part of the reference stands in the fixtures | left out |",
  );
});

test("what the skill tells is marked and stays, with the uplift without it beside", () => {
  const report = reportOf({ one: ["told"], two: ["answer"] }, "exclude");
  expect(report.leaks.benchmarks.map(({ benchmark, leftOut }) => [benchmark, leftOut])).toEqual([
    ["one", false],
    ["two", true],
  ]);
  expect(report.pooled).toMatchObject({ uplift: 1, cells: 2 });
  expect(report.leaks.withoutTold).toMatchObject({ uplift: null, cells: 0 });
  expect(sectionOf(report)).toContain(
    "| without any in this list | unavailable | no trial graded | no trial graded | 0 |",
  );
});

test("where every benchmark is left out there is no uplift, and the lines of skills and models stay", () => {
  const report = reportOf({ one: ["how"], two: ["answer"] }, "exclude");
  expect(report.pooled).toMatchObject({ uplift: null, cells: 0 });
  expect(report.perModel.map(({ model, uplift }) => [model, uplift])).toEqual(
    inputs.models.map((model) => [model, null]),
  );
  expect(report.headline).toContain("Left out as leaky: sample/one, sample/two.");
  expect(renderMarkdown(report, sampleTimings())).toContain("| sample | all models | unavailable |");
});
