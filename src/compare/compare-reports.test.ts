import { expect, test } from "vitest";
import { campaignComparisonSchema, type ChangeKind, type ComparedRow } from "../artefacts/comparison.ts";
import { randomFrom } from "../seed.ts";
import { normalQuantile } from "../statistics/distributions.ts";
import {
  alikeCells,
  arms,
  type CellTexts,
  compared,
  comparedSide,
  control,
  type TallyText,
} from "../testing/compared-sides.ts";
import { compareReports } from "./compare-reports.ts";

function rowAt(rows: readonly ComparedRow[], level: ComparedRow["level"]): ComparedRow {
  return rows.find((row) => row.level === level)!;
}

test.each<[string, CellTexts, CellTexts, ChangeKind, RegExp]>([
  [
    "every cell fell, the control stayed",
    alikeCells(4, arms("5/5", "0/5")),
    alikeCells(4, arms("0/5", "0/5")),
    "regression",
    /Pass rate −100\.0 points over 4 cells \(A passed 20 of 20 trials, B 0 of 20; 95 % interval −\d.*uplift −100\.0/,
  ],
  [
    "every cell rose",
    alikeCells(4, arms("0/5", "0/5")),
    alikeCells(4, arms("5/5", "0/5")),
    "improvement",
    /Pass rate \+100\.0 points/,
  ],
  [
    "the control fell as far, so that it is not the skill",
    alikeCells(4, arms("5/5", "5/5")),
    alikeCells(4, arms("0/5", "0/5")),
    "drift",
    /control moved as far/,
  ],
  [
    "one trial each",
    alikeCells(1, arms("1/1", "0/1")),
    alikeCells(1, arms("0/1", "0/1")),
    "cannot_tell",
    /So few trials cannot give a p below 1\.0, whatever they show/,
  ],
  [
    "many trials, all alike",
    alikeCells(8, arms("50/100", "20/100")),
    alikeCells(8, arms("50/100", "20/100")),
    "no_meaningful_difference",
    /Within ±10\.0 points/,
  ],
  [
    "a fall that missing trials could explain",
    alikeCells(4, arms("5/5", "0/5")),
    alikeCells(4, arms("1/2/5", "0/5")),
    "cannot_tell",
    /12 trials of the arm without a verdict.*for B, /,
  ],
  [
    "a fall that missing trials cannot explain",
    alikeCells(6, arms("8/8", "0/8")),
    alikeCells(6, arms("0/7/8", "0/8")),
    "regression",
    /B 0 of 42 \(48 planned\)/,
  ],
  [
    "no control on either side: the pass rate alone",
    alikeCells(4, { with_skill: "5/5" }),
    alikeCells(4, { with_skill: "0/5" }),
    "regression",
    /uplift unavailable, without a control on both sides/,
  ],
])("%s", (_name, a, b, kind, reason) => {
  const { rows } = compared(a, b);
  expect(rowAt(rows, "skill").verdict).toEqual({ kind, reason: expect.stringMatching(reason) as string });
  expect(rowAt(rows, "skill-model").verdict?.kind).toBe(kind);
});

test("nothing is concluded from one cell, however it fell; it is named as fallen", () => {
  const a = { ...alikeCells(2, arms("4/4", "0/4")), "task-3 m/x": arms("3/4", "0/4") };
  const b = {
    "task-1 m/x": arms("0/4", "0/4"),
    "task-2 m/x": arms("4/4", "0/4"),
    "task-3 m/x": arms("2/4", "0/4"),
  };
  const { rows, fell } = compared(a, b);
  expect(rows.filter(({ level }) => level === "cell").map(({ verdict }) => verdict)).toEqual([
    null,
    null,
    null,
  ]);
  expect(fell.map(({ benchmark, a: was, b: is }) => [benchmark, was.passed, is.passed])).toEqual([
    ["task-1", 4, 0],
    ["task-3", 3, 2],
  ]);
});

test("figures of one cell: uplifts, their difference with the variance of four rates, and Fisher's exact p", () => {
  const counts = { armA: [7, 10], noneA: [2, 10], armB: [4, 8], noneB: [3, 8] } as const;
  const text = ([k, n]: readonly [number, number]): TallyText => `${k}/${n}`;
  const { rows } = compared(
    { "t m/x": arms(text(counts.armA), text(counts.noneA)) },
    { "t m/x": arms(text(counts.armB), text(counts.noneB)) },
  );
  const row = rowAt(rows, "cell");
  const all = Object.values(counts);
  const shown = all.map(([k, n]) => (k * (n - k)) / (n * (n - 1)));
  const variance = (shown.reduce((sum, one) => sum + one, 0) + 2 * 0.25) / (all.length + 2);
  const error = Math.sqrt(variance * all.reduce((sum, [, n]) => sum + 1 / n, 0));
  const change = 4 / 8 - 3 / 8 - (7 / 10 - 2 / 10);
  expect(row.uplift?.a).toBeCloseTo(0.5, 12);
  expect(row.uplift?.b).toBeCloseTo(0.125, 12);
  expect(row.uplift?.change.estimate).toBeCloseTo(change, 12);
  expect(row.uplift?.change.set.standardError).toBeCloseTo(error, 12);
  expect(row.uplift?.change.set.interval[0]).toBeCloseTo(change - normalQuantile(0.975) * error, 12);
  expect(row.uplift?.change.set.interval[1]).toBeCloseTo(change + normalQuantile(0.975) * error, 12);
  const sharp = compared({ "t m/x": arms("5/5", "0/5") }, { "t m/x": arms("0/5", "0/5") });
  // Two of the C(10, 5) = 252 ways to label ten trials are as far apart as this one.
  expect(rowAt(sharp.rows, "cell").rate.change.set.p).toBeCloseTo(2 / 252, 12);
});

test("every task has one vote, whatever number of models and trials it has", () => {
  const a = { "one m/x": arms("0/4", "0/4"), "one m/y": arms("4/8", "0/8"), "two m/x": arms("4/4", "0/4") };
  const b = { "one m/x": arms("4/4", "0/4"), "one m/y": arms("4/8", "0/8"), "two m/x": arms("2/4", "0/4") };
  const { rows } = compared(a, b);
  const { rate, uplift, tasks, cells } = rowAt(rows, "skill");
  expect([cells, tasks]).toEqual([3, 2]);
  expect(rate.a).toBeCloseTo(((0 + 0.5) / 2 + 1) / 2, 12);
  expect(rate.b).toBeCloseTo(((1 + 0.5) / 2 + 0.5) / 2, 12);
  expect(uplift?.change.tasks).toMatchObject({
    count: 2,
    better: 1,
    worse: 1,
    same: 0,
    exact: true,
    interval: null,
  });
});

test("six tasks that all fell differently: the sign-flip test and an interval for tasks like these", () => {
  const a = alikeCells(6, arms("10/10", "0/10"));
  const b = Object.fromEntries(Object.keys(a).map((place, at) => [place, arms(`${at}/10`, "0/10")]));
  const tasks = rowAt(compared(a, b).rows, "skill").uplift?.change.tasks;
  expect(tasks?.p).toBeCloseTo(2 / 2 ** 6, 12);
  expect(tasks?.interval?.[1]).toBeLessThan(0);
});

test("exchanging A and B changes the sign of everything and nothing else", () => {
  const a = { "one m/x": arms("5/6", "1/6"), "two m/x": arms("2/5", "0/5"), "three m/x": arms("3/3", "1/3") };
  const b = { "one m/x": arms("2/6", "2/6"), "two m/x": arms("3/5", "1/5"), "three m/x": arms("0/3", "0/3") };
  const [there, back] = [rowAt(compared(a, b).rows, "skill"), rowAt(compared(b, a).rows, "skill")];
  for (const figure of ["rate", "uplift"] as const) {
    const [one, other] = [there[figure]!.change, back[figure]!.change];
    expect(one.estimate).toBeCloseTo(-other.estimate, 12);
    expect(one.set.interval[0]).toBeCloseTo(-other.set.interval[1], 12);
    expect(one.set.p).toEqual(other.set.p);
    expect([one.tasks?.better, one.tasks?.p]).toEqual([other.tasks?.worse, other.tasks?.p]);
  }
});

test("two arms of one campaign share the control, so that its chance is in no difference", () => {
  const cells = alikeCells(3, { without_skill: "1/4", "version-v1": "4/4", with_skill: "1/4" });
  const a = comparedSide(cells, { arm: "version-v1" });
  const { rows, sharedControl, sameInputs } = compareReports({
    a,
    b: { ...a, arm: "with_skill" },
    control,
    oneCampaign: true,
  });
  expect([sharedControl, sameInputs]).toEqual([true, false]);
  const { uplift, rate, verdict } = rowAt(rows, "skill");
  expect(uplift?.change).toEqual({ ...rate.change, set: { ...rate.change.set, pAdjusted: null } });
  expect([uplift?.a, uplift?.b]).toEqual([0.75, 0]);
  expect(verdict?.kind).toBe("regression");
});

test("several skills are one family: what one alone would prove, twenty together may not", () => {
  const before = arms("6/6", "0/6");
  const side = (skills: number, of: TallyText) => {
    const parts = Array.from({ length: skills }, (_, at) =>
      comparedSide({ "t m/x": at === 0 ? arms(of, "0/6") : before }, { skill: `s${at}` }),
    );
    const [first] = parts;
    const inputs = { ...first!.plan.inputs, skills: parts.flatMap(({ plan }) => plan.inputs.skills) };
    return {
      ...first!,
      plan: { ...first!.plan, inputs },
      report: { ...first!.report, cells: parts.flatMap(({ report }) => report.cells) },
    };
  };
  const rowsAmong = (skills: number) =>
    compareReports({ a: side(skills, "6/6"), b: side(skills, "0/6"), control, oneCampaign: false }).rows;
  const kindAmong = (skills: number) => rowsAmong(skills)[0]?.verdict?.kind;
  expect([kindAmong(1), kindAmong(40)]).toEqual(["regression", "cannot_tell"]);
  // Two of the C(12, 6) = 924 ways to label twelve trials are as far apart; the other skills did not change.
  expect(rowsAmong(40)[0]?.rate.change.set.pAdjusted).toBeCloseTo((40 * 2) / 924, 12);
});

test("of equal campaigns, hardly one in forty is called a regression", () => {
  const campaigns = 400;
  const random = randomFrom(7, "equal campaigns");
  const drawn = (rate: number): TallyText => {
    const passed = Array.from({ length: 6 }, random).filter((one) => one < rate).length;
    return `${passed}/6`;
  };
  const side = (): CellTexts =>
    Object.fromEntries(
      [0.2, 0.4, 0.5, 0.6, 0.9].map((rate, at) => [`t${at} m/x`, arms(drawn(rate), drawn(0.3))]),
    );
  const silent = { a: { report: { conclusions: null } }, b: { report: { conclusions: null } } };
  let called = 0;
  for (let at = 0; at < campaigns; at++) {
    if (rowAt(compared(side(), side(), silent).rows, "skill").verdict?.kind === "regression") called++;
  }
  const [rate, error] = [0.025, Math.sqrt((0.025 * 0.975) / campaigns)];
  expect(called / campaigns).toBeLessThanOrEqual(rate + 3 * error);
});

test("the same campaigns give the same comparison, which its own schema takes", () => {
  const comparison = compared(alikeCells(7, arms("3/5", "1/5")), alikeCells(7, arms("2/4", "1/5")));
  expect(campaignComparisonSchema.parse(JSON.parse(JSON.stringify(comparison)))).toEqual(comparison);
  expect(compared(alikeCells(7, arms("3/5", "1/5")), alikeCells(7, arms("2/4", "1/5")))).toEqual(comparison);
});
