import { expect, test } from "vitest";
import { analysisSettingsSchema } from "../artefacts/analysis.ts";
import type { Canary } from "../artefacts/canary.ts";
import { type Plan, planFormat } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { Timings } from "../artefacts/timings.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { sampleCanary } from "../testing/canaries.ts";
import { sampleTimings } from "../testing/timings.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { makeReport } from "./make-report.ts";
import { makeTimings } from "./make-timings.ts";
import { moneyOf } from "./money.ts";
import { renderMarkdown } from "./markdown.ts";
import type { TrialOnDisk } from "./outcome.ts";

const inputs = sampleInputs();
const trials = planTrials(inputs, "recipe");
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
  benchmarks: [],
  trials,
};

function reportOf(
  entryOf: (planned: PlannedTrial) => Partial<TrialOnDisk>,
  over: Partial<Plan> = {},
  canaries: readonly Canary[] = [],
) {
  const entries = trials.map((planned) => ({
    planned,
    trial: null,
    verdict: null,
    voids: 0,
    ...entryOf(planned),
  }));
  return makeReport({
    plan: { ...plan, ...over },
    entries,
    canaries,
    judgeTrials: [],
    leaky: "include",
    sections: [],
  });
}

function timingsOf(canaries: readonly Canary[]): Timings {
  return makeTimings({
    plan,
    entries: [],
    canaries,
    evidenceHead: "e",
    setAside: [],
    money: moneyOf([], []),
  });
}

const skillHelpsOne = reportOf((planned) => ({
  trial: endedTrial(planned),
  verdict: verdictOf(planned.arm === "with_skill" && planned.benchmark === "one" ? "passed" : "failed"),
}));

test("uplift is the mean over cells, with its denominators beside it", () => {
  expect(skillHelpsOne.pooled).toEqual({
    uplift: 0.5,
    cells: 4,
    completeCells: 4,
    with: { passed: 6, graded: 12, planned: 12 },
    without: { passed: 0, graded: 12, planned: 12 },
  });
  expect(skillHelpsOne.headline).toBe(
    "Uplift +50.0 points over 4 benchmark × model cell(s): 6 of 12 with the skill, 0 of 12 without (24 of 24 planned trials graded).",
  );
});

test("what could not be graded leaves the denominator and is named with its reason", () => {
  const report = reportOf((planned) => {
    if (planned.n === 1) return { voids: 3 };
    if (planned.n === 2 && planned.model === "b/y")
      return { trial: endedTrial(planned), verdict: verdictOf("ungraded", "no judge") };
    return { trial: endedTrial(planned), verdict: verdictOf("passed") };
  });
  expect(report.trials).toEqual({ planned: 24, finished: 16, graded: 12 });
  expect(report.ungraded).toHaveLength(12);
  expect(new Set(report.ungraded.map(({ reason }) => reason))).toEqual(
    new Set(["void 3 time(s)", "no judge"]),
  );
  expect(report.cells.every(({ complete }) => !complete)).toBe(true);
  expect(report.voids).toHaveLength(4);
  for (const { lost, attempts } of report.voids) expect([lost, attempts]).toEqual([6, 10]);
  expect(report.warnings).toEqual([]);
  expect(renderMarkdown(report, sampleTimings())).toContain(
    "+0.0 points".replace("+", "") + " (trials missing)",
  );
});

test("nothing graded gives no uplift, never 0", () => {
  const report = reportOf(() => ({}));
  expect(report.pooled.uplift).toBeNull();
  expect(report.headline).toBe("No uplift yet: 0 of 24 planned trials graded, and no cell has both arms.");
});

test("an unknown figure is printed as unavailable, and a partly known one says of how many", () => {
  const report = reportOf((planned) => ({
    trial: endedTrial(planned, { usage: planned.n === 1 ? { outputTokens: 100 } : {} }),
    verdict: verdictOf("passed"),
  }));
  const [row] = report.usage;
  expect(row?.outputTokens).toEqual({ mean: 100, known: 2, of: 6 });
  expect(row?.costUsd).toEqual({ mean: null, known: 0, of: 6 });
  const markdown = renderMarkdown(report, sampleTimings());
  expect(markdown).toContain("100 (2 of 6)");
  expect(markdown).toContain("unavailable");
});

test("a stand-in is named in the first line that is shown", () => {
  const shown = (report: Report): string | undefined =>
    renderMarkdown(report, sampleTimings())
      .split("\n")
      .find((line) => line !== "" && !line.startsWith("<!--"));
  expect(shown(reportOf(() => ({}), { standIn: true }))).toContain("stand-in, not a model");
  expect(shown(skillHelpsOne)).toBe("# sample-0123");
});

test.each([
  ["house-style-0123456789ab", "house-style"],
  ["house-style-fedcba987654", "house-style"],
  ["a--b-0123456789ab", "a--b"],
  ["x -->\n<script>-0123456789ab", "x--script"],
])("the comment of campaign %j is found again by its name", (campaign, name) => {
  const [first] = renderMarkdown({ ...skillHelpsOne, campaign }, sampleTimings()).split("\n");
  expect(first).toBe(`<!-- skillproof:${name} -->`);
});

test("text from outside cannot become markup or break a table", () => {
  const report = reportOf((planned) => ({
    trial: endedTrial(planned),
    verdict: verdictOf("ungraded", "a | b\n<img src=x> [link](http://x)"),
  }));
  const line = renderMarkdown(report, sampleTimings())
    .split("\n")
    .find((text) => text.startsWith("- `sample/one"));
  expect(line).toContain("a \\| b \\<img src=x\\> \\[link\\](http:\u2060//x)");
});

test("stops, grader errors and voids are counted per arm", () => {
  const report = reportOf((planned) => ({
    trial: endedTrial(planned, { stop: planned.arm === "with_skill" ? "turn_limit" : "finished" }),
    verdict: verdictOf("failed", planned.n === 1 ? "grader_error: exit 7" : null),
  }));
  expect(report.stops).toContainEqual({ arm: "with_skill", stop: "turn_limit", trials: 12 });
  expect(report.graderErrors).toContainEqual({ arm: "without_skill", trials: 4 });
});

test("isolation is shown probe by probe with what was found, failed canaries too", () => {
  const canaries = [
    sampleCanary({ answered: "eth0, lo", passed: false }),
    sampleCanary({ answered: "lo", passed: true }),
  ];
  const report = reportOf(() => ({}), {}, canaries);
  expect(report.isolation.map(({ arm, passed }) => [arm, passed])).toEqual([["without_skill", false]]);
  const [, section] = renderMarkdown(report, timingsOf(canaries)).split("## Isolation");
  expect(section).toContain("0 of 1 probes passed in 1 arm(s); 2 probe container(s)");
  expect(section).toContain("1 of them failed");
  expect(section).toContain("sample, without\\_skill: 12 files (3400 bytes) and 3 processes looked at");
  expect(section).toContain("| sample | without\\_skill | interfaces | lo | eth0, lo | failed |");
});

test("where there are several engines, each canary says on which it was sent", () => {
  const canaries = [sampleCanary({}, "tcp://a:2376"), sampleCanary({}, "tcp://b:2376")];
  const report = reportOf(() => ({}), {}, canaries);
  expect(JSON.stringify(report)).not.toContain("tcp://");
  const [, section] = renderMarkdown(report, timingsOf(canaries)).split("## Isolation");
  expect(section).toContain("1 of 1 probes passed in 1 arm(s); 2 probe container(s) on 2 engine(s)");
  expect(section).toContain("| sample | without\\_skill | interfaces | lo | lo | passed |");
  expect(section).toContain("- sample, without\\_skill, tcp://a:2376: 12 files");
});

test("what snapshots left out is named with its trial, of how many", () => {
  const leftOut =
    "left out, with what lies below: 3 beyond 268435456 bytes in all, 1 more than 100 folders deep";
  const isOver = ({ arm, n, model, benchmark }: PlannedTrial): boolean =>
    arm === "with_skill" && n === 1 && model === "b/y" && benchmark === "two";
  const report = reportOf((planned) => {
    if (planned.n === 3) return {};
    const trial = endedTrial(planned);
    if (!isOver(planned) || trial.outcome.kind !== "ended") return { trial, verdict: verdictOf("passed") };
    const snapshot = { ...trial.outcome.snapshot, leftOut };
    return { trial: { ...trial, outcome: { ...trial.outcome, snapshot } }, verdict: verdictOf("passed") };
  });
  const over = trials.filter(isOver);
  expect(over).toHaveLength(1);
  expect(report.leftOut.snapshots).toBe(trials.filter(({ n }) => n !== 3).length);
  expect(report.leftOut.trials).toEqual([
    { trial: "sample/two/b/y/with_skill/1", arm: "with_skill", words: leftOut },
  ]);
  const [, section] = renderMarkdown(report, sampleTimings()).split("### Snapshots over a limit\n\n");
  expect(section).toContain(`1 of ${report.leftOut.snapshots} snapshots were over a limit of the sandbox.`);
  expect(section?.split("\n")[4]).toBe(`| sample/two/b/y/with\\_skill/1 | with\\_skill | ${leftOut} |`);
});

test("snapshots that hold all say so", () => {
  expect(renderMarkdown(skillHelpsOne, sampleTimings())).toContain(
    "None of 24 snapshots was over a limit of the sandbox.",
  );
});

test("a campaign without canaries does not claim isolation", () => {
  expect(
    renderMarkdown(
      reportOf(() => ({})),
      sampleTimings(),
    ),
  ).toContain("is not proven for this campaign");
});

test("a trial whose folder cannot be used is not counted, and named with its reason", () => {
  const [first, second] = trials;
  const report = reportOf((planned) => {
    if (planned === first) return { torn: "trial.json is missing", voids: 1 };
    const trial = endedTrial(planned);
    if (planned === second) return { trial, torn: "verdict.json is not JSON" };
    return { trial, verdict: verdictOf("passed") };
  });
  expect(report.trials).toEqual({
    planned: trials.length,
    finished: trials.length - 1,
    graded: trials.length - 2,
  });
  expect(report.ungraded.map(({ cause, reason }) => [cause, reason])).toEqual([
    ["missing", "cannot be used: trial.json is missing"],
    ["missing", "cannot be used: verdict.json is not JSON"],
  ]);
  expect(report.warnings[0]).toMatch(/^2 trial\(s\) have a folder that cannot be used and are not counted/);
});

test.each([
  ["include", "include", true],
  ["exclude", "exclude", true],
  ["include", "exclude", false],
  ["exclude", "include", false],
] as const)(
  "planned to %s leaky benchmarks, a report that says %s concludes: %s",
  (planned, leaky, concludes) => {
    const settings = analysisSettingsSchema.parse({ bootstrap: { resamples: 0 } });
    const entries = trials.map((trial) => ({
      ...{ planned: trial, trial: endedTrial(trial), voids: 0 },
      verdict: verdictOf(trial.arm === "with_skill" ? "passed" : "failed"),
    }));
    const report = makeReport(
      { plan: { ...plan, leaky: planned }, entries, canaries: [], judgeTrials: [], leaky, sections: [] },
      (cells, usage) => concludeCampaign(cells, usage, settings),
    );
    expect(report.conclusions !== null).toBe(concludes);
    expect(report.warnings.some((words) => words.includes("nothing is concluded"))).toBe(!concludes);
  },
);

test.each([
  ["a mention", "@everyone look", "@\u2060everyone look"],
  ["a link", "https://x.example www.x.example", "https:\u2060//x.example www\u2060.x.example"],
  ["directional marks", "a\u202egpj.exe\u2066b", "a gpj.exe b"],
  ["orders to a terminal", "a\u001b[31mb\u0007", "a \\[31mb "],
  ["entities, issues, strikes", "&lt;b&gt; #1 ~~x~~", "\\&lt;b\\&gt; \\#1 \\~\\~x\\~\\~"],
])("a title that an author wrote is no more than text on a pull request: %s", (_what, title, words) => {
  const benchmark = { skill: "sample", benchmark: "one", judged: false, checks: [], leaks: [] };
  const report = reportOf(() => ({}), {
    benchmarks: [{ ...benchmark, title, standInJudges: false, backend: null, isolated: null }],
  });
  expect(renderMarkdown(report, timingsOf([]))).toContain(`| sample/one | ${words} |`);
});
