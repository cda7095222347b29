import { expect, test } from "vitest";
import type { ClaimAnswer, Regression } from "../../artefacts/honesty.ts";
import type { PlannedTrial } from "../../artefacts/trial.ts";
import { planTrials } from "../../evaluate/plan-trials.ts";
import { wilson } from "../../statistics/rate-intervals.ts";
import { sampleInputs } from "../../testing/benchmark.ts";
import { endedTrial, verdictOf } from "../../testing/trials.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { honestyOf } from "./honesty-rows.ts";
import { honestySection } from "./honesty-section.ts";

type Fate = {
  readonly verdict?: "passed" | "failed" | "ungraded" | null;
  readonly spoke?: boolean;
  readonly claim?: ClaimAnswer | "undecided";
  readonly outside?: boolean;
  readonly partial?: boolean;
  readonly regression?: Regression;
  readonly measured?: boolean;
};

const planned = planTrials(sampleInputs({ models: ["a/x"], trials: 4 }), "recipe");

/** By arm, what becomes of its trials one after the other; those beyond the list are not done. */
function entries(fates: Readonly<Record<string, readonly Fate[]>>): readonly TrialOnDisk[] {
  const done = new Map<string, number>();
  return planned.map((trial) => {
    const at = done.get(trial.arm) ?? 0;
    done.set(trial.arm, at + 1);
    return entryOf(trial, fates[trial.arm]?.[at]);
  });
}

function entryOf(trial: PlannedTrial, fate: Fate | undefined): TrialOnDisk {
  if (fate === undefined) return { planned: trial, trial: null, verdict: null, voids: 0 };
  const { verdict = "failed", spoke = true, claim, measured = true } = fate;
  const harm = {
    outside: fate.outside === true,
    partial: fate.partial === true,
    regression: fate.regression ?? null,
  };
  return {
    planned: trial,
    trial: { ...endedTrial(trial), spoke },
    verdict: verdict === null ? null : { ...verdictOf(verdict), ...(measured ? { harm } : {}) },
    claim: claim === undefined ? null : { answer: claim === "undecided" ? null : claim, standInJudges: true },
    voids: 0,
  };
}

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, ...rows].map((row) => row.join(" | ")).join("\n");

const without: readonly Fate[] = [
  { claim: "yes", outside: true },
  { claim: "yes" },
  { claim: "no", partial: true },
  { claim: "unclear" },
  { claim: "undecided" },
  { spoke: false },
  {},
  { verdict: "passed" },
];

test("each figure of a row is a count of its trials", () => {
  const { rows, standInJudges } = honestyOf(
    entries({ without_skill: without, with_skill: [{ verdict: "ungraded", outside: true, claim: "yes" }] }),
  );
  expect(rows).toHaveLength(2);
  expect(rows.find(({ arm }) => arm === "without_skill")).toEqual({
    ...{ skill: "sample", model: "a/x", arm: "without_skill", graded: 8, failed: 7 },
    ...{ withMessage: 6, classified: 4, unclear: 1, undecided: 1, unasked: 1 },
    claimed: { k: 2, n: 4, interval: wilson({ k: 2, n: 4 }) },
    outside: { k: 1, n: 8, interval: wilson({ k: 1, n: 8 }) },
    outsidePartial: 1,
    regression: { k: 0, n: 0, interval: null },
    ...{ regressionTimeouts: 0, regressionLost: 0 },
  });
  expect(rows.find(({ arm }) => arm === "with_skill")).toMatchObject({
    ...{ graded: 0, failed: 0, withMessage: 0, classified: 0, unasked: 0 },
    claimed: { n: 0, interval: null },
    outside: { n: 0, interval: null },
  });
  expect(standInJudges).toBe(true);
});

test("existing tests count where they came to an end; what was not measured counts nowhere", () => {
  const fates: readonly Fate[] = [
    { regression: "passed" },
    { regression: "failed", verdict: "passed" },
    { regression: "timeout" },
    { regression: "lost" },
    { measured: false },
  ];
  const [row] = honestyOf(entries({ with_skill: fates })).rows.filter(({ arm }) => arm === "with_skill");
  expect(row).toMatchObject({
    graded: fates.length,
    outside: { k: 0, n: fates.length - 1 },
    regression: { k: 2, n: 3 },
    regressionTimeouts: 1,
    regressionLost: 1,
  });
});

test("arms are compared with the one without a skill, and only where both have trials", () => {
  const honesty = honestyOf(
    entries({
      without_skill: [{ claim: "yes" }, { claim: "no", outside: true }],
      with_skill: [{ claim: "yes" }, { claim: "yes" }],
    }),
  );
  expect(honesty.differences).toEqual([
    {
      ...{ skill: "sample", model: "a/x", arm: "with_skill", against: "without_skill" },
      ...{ claimed: 1 / 2, outside: -1 / 2, regression: null },
    },
  ]);
  const words = honestySection(honesty, table);
  const [more, less] = ["with_skill", "without_skill"].map((arm) =>
    honesty.rows.find((row) => row.arm === arm),
  );
  const counts = (of: "claimed" | "outside"): string =>
    [more, less].map((row) => `${row?.[of].k} of ${row?.[of].n}`).join(" less ");
  expect(words).toContain(
    `with_skill less without_skill | +50.0 points (${counts("claimed")}) | −50.0 points (${counts("outside")}) | unavailable`,
  );
  expect(words).toContain("exploratory");
});

test.each<[string, Readonly<Record<string, readonly Fate[]>>, readonly string[], readonly string[]]>([
  ["nothing graded", {}, [], ["Honesty"]],
  [
    "nobody asked",
    { without_skill: [{}, { spoke: false }], with_skill: [{ verdict: "passed" }] },
    ["Not classified: 2 failed trial(s), 1 of them with a final message.", "`judge.claims: true`"],
    ["| unclear |"],
  ],
  [
    "nothing to ask about",
    { without_skill: [{ spoke: false }] },
    ["Not classified: 1 failed trial(s), 0 of them with a final message."],
    ["judge.claims"],
  ],
  ["all passed", { with_skill: [{ verdict: "passed" }] }, ["No graded trial failed."], ["Not classified"]],
  [
    "nothing measured",
    { with_skill: [{ measured: false }] },
    ["Not measured: 1 graded trial(s) of an earlier version."],
    ["outside the outputs |"],
  ],
  [
    "asked and measured",
    { without_skill: without },
    ["2 of 4 (15 to 85 %)", "1 of 8 (2 to 47 %); 1 with a snapshot", "no command", "by a stand-in"],
    ["unavailable", "Not "],
  ],
])("the section says what is known: %s", (_what, fates, present, absent) => {
  const words = honestySection(honestyOf(entries(fates)), table);
  for (const some of present) expect(words).toContain(some);
  for (const some of absent) expect(words).not.toContain(some);
});
