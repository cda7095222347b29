import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Analysis, AnalysisRow, ArmCell } from "../artefacts/analysis.ts";
import { bootstrapExact } from "../statistics/bootstrap-exact.ts";
import { costPerCorrect } from "../statistics/cost-per-correct.ts";
import { fraction } from "../statistics/fraction.ts";
import { powerExact } from "../statistics/power.ts";
import { wilson } from "../statistics/rate-intervals.ts";
import { requiredTasks } from "../statistics/required-tasks.ts";
import { expectGolden, goldenGroup } from "../testing/golden-stats.ts";
import { nearly, settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";
import { concludeAll, headlineOf } from "./conclude-from.ts";

const count = z.number().int();
const byArm = z.record(z.string(), z.number());
const moves = z.object({ better: count, worse: count, same: count.optional() });
const data = z
  .object({
    arms: z.array(z.string()),
    runsPerTask: count,
    tasks: z.record(z.string(), z.object({ kind: z.string(), hiddenTests: count, passes: z.array(count) })),
    exchangeable: z.array(z.tuple([z.string(), z.string()])),
    page: z.object({
      passed: byArm,
      failedOf8: byArm,
      failedRuns: count,
      failedRunsClaimingSuccess: count,
      hiddenTests: count,
      separatingTasks: count,
      pocockUpliftPoints: z.number(),
      pocockIntervalPoints: z.tuple([z.number(), z.number()]),
      holmP: z.number(),
      placeboP: z.number(),
      pocockAgainstNone: moves,
      pocockAgainstPlacebo: moves,
      superpowersAgainstPlacebo: moves,
      tasksNeeded: count,
      tasksNeededForPoints: count,
      placeboMovedTasksByOneRun: count,
      meanCostUsd: byArm,
      totalCostUsd: z.number(),
      costPerCorrectUsd: byArm,
      dearerPerCorrect: z.number(),
      medianSeconds: byArm,
      slower: z.number(),
    }),
    partings: z.record(z.string(), z.string()),
  })
  .parse(load(readFileSync(join(import.meta.dirname, "../testing/worked/controlled-trial.yaml"), "utf8")));
const { arms, page, partings, runsPerTask } = data;

type Table = Readonly<Record<string, readonly number[]>>;
const table: Table = Object.fromEntries(
  Object.entries(data.tasks).map(([task, { passes }]) => [task, passes]),
);

/** Every table that the page's statements allow. */
const tables = data.exchangeable.reduce<readonly Table[]>(
  (all, [one, other]) =>
    all.flatMap((rows) => [rows, { ...rows, [one]: rows[other] ?? [], [other]: rows[one] ?? [] }]),
  [table],
);

function cellsOf(rows: Table): readonly ArmCell[] {
  return Object.entries(rows).map(([benchmark, passes]) => ({
    skill: "packs",
    benchmark,
    model: "model",
    arms: Object.fromEntries(
      arms.map((arm, at) => [arm, { passed: passes[at] ?? 0, graded: runsPerTask, planned: runsPerTask }]),
    ),
  }));
}

const packs = ["superpowers", "pocock"];
/** The page's plan: two packs against no skills, one-sided, Holm over the two. */
const settings = settingsOf({
  sides: 1,
  comparisons: packs.map((arm) => ({ arm, against: "none" })),
});
const analysis = analyse(cellsOf(table), settings);

function row(arm: string, against: string, of: Analysis = analysis): AnalysisRow {
  return of.rows.find(
    ({ level, comparison }) => level === "skill" && comparison.arm === arm && comparison.against === against,
  )!;
}
const pocock = row("pocock", "none").evidence!.tasks;
const differences = Object.values(table).map(
  ([none = 0, , , withPocock = 0]) => (withPocock - none) / runsPerTask,
);
const perCorrect = (arm: string): number =>
  costPerCorrect(
    [
      {
        costUsd: page.meanCostUsd[arm]! * runsPerTask * Object.keys(table).length,
        passes: page.passed[arm]!,
      },
    ],
    [],
  ).costPerCorrect!;
const totalOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const printed: [figure: string, page: string, ours: string][] = [];
function print(figure: string, ofPage: unknown, ours: unknown): void {
  printed.push([figure, String(ofPage), String(ours)]);
}

test("the table fulfils what the page says of it", () => {
  for (const rows of tables) {
    for (const [at, arm] of arms.entries())
      expect(totalOf(Object.values(rows).map((passes) => passes[at]!)), arm).toBe(page.passed[arm]);
    const runs = runsPerTask * arms.length;
    for (const [task, failed] of Object.entries(page.failedOf8))
      expect(runs - totalOf(rows[task]!)).toBe(failed);
    const failures = Object.values(rows).map((passes) => runs - totalOf(passes));
    expect(totalOf(failures)).toBe(page.failedRuns);
    expect(failures.filter((failed) => failed > 0 && failed < runs)).toHaveLength(page.separatingTasks);
  }
  expect(totalOf(Object.values(data.tasks).map(({ hiddenTests }) => hiddenTests))).toBe(page.hiddenTests);
  print("tasks that separate the arms", page.separatingTasks, page.separatingTasks);
});

test("uplift, interval and p follow from it", () => {
  expect(100 * pocock.mean).toBeCloseTo(page.pocockUpliftPoints, 1);
  const exact = bootstrapExact(differences.map((value) => fraction(value * runsPerTask, runsPerTask)))!;
  expect(exact.ci.map((end) => Number((100 * end).toFixed(1)))).toEqual(page.pocockIntervalPoints);
  expect(pocock.bootstrap!.map((end) => Number((100 * end).toFixed(1)))).toEqual(page.pocockIntervalPoints);
  expect(pocock.pAdjusted!.toFixed(2)).toBe((page.holmP - 0.001).toFixed(2));
  expect(pocock.pAdjusted).toBe(0.375);
  expect({ better: pocock.better, worse: pocock.worse, same: pocock.same }).toEqual(page.pocockAgainstNone);
  print("Pocock against none, points", page.pocockUpliftPoints, (100 * pocock.mean).toFixed(1));
  print(
    "its 95 % interval",
    page.pocockIntervalPoints,
    exact.ci.map((end) => (100 * end).toFixed(1)),
  );
  print("its Holm p, one-sided", page.holmP, pocock.pAdjusted);
});

test("comparisons with the placebo follow, and are no hypotheses", () => {
  for (const [arm, wanted] of [
    ["pocock", page.pocockAgainstPlacebo],
    ["superpowers", page.superpowersAgainstPlacebo],
  ] as const) {
    const { tasks } = row(arm, "placebo").evidence!;
    expect({ better: tasks.better, worse: tasks.worse }).toEqual(wanted);
    expect(tasks.pAdjusted).toBeNull();
  }
  const best = row("pocock", "placebo").evidence!.tasks;
  expect(2 * best.pGreater).toBe(page.placeboP);
  print("Pocock against placebo, p at best", page.placeboP, 2 * best.pGreater);
});

test("cost per correct follows from rounded mean costs", () => {
  for (const [arm, usd] of Object.entries(page.costPerCorrectUsd))
    expect(perCorrect(arm).toFixed(3), arm).toBe(usd.toFixed(3));
  expect(perCorrect("superpowers") / perCorrect("none")).toBeCloseTo(page.dearerPerCorrect, 1);
  expect(Math.round(totalOf(arms.map((arm) => page.meanCostUsd[arm]! * 32)))).toBe(page.totalCostUsd);
  for (const arm of arms)
    print(
      `cost per correct, ${arm}`,
      page.costPerCorrectUsd[arm] ?? "not printed",
      perCorrect(arm).toFixed(4),
    );
});

test("failed runs that claimed success have an interval", () => {
  const [low, high] = wilson({ k: page.failedRunsClaimingSuccess, n: page.failedRuns })!;
  expect([low, high].map((end) => Math.round(100 * end))).toEqual([79, 98]);
  print(
    "failed runs that claimed success",
    "28/30",
    `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} %`,
  );
});

const power = (tasks: number, sides: 1 | 2): number =>
  powerExact({
    tasks,
    pUp: pocock.better / pocock.count,
    pDown: pocock.worse / pocock.count,
    alpha: 0.05,
    sides,
  });

test("roughly 60 tasks would be needed, one-sided", () => {
  const enough = Array.from({ length: 100 }, (_, at) => at + 1).find((tasks) => power(tasks, 1) >= 0.8)!;
  expect(Math.abs(enough - page.tasksNeeded)).toBeLessThanOrEqual(5);
  const delta = page.tasksNeededForPoints / 100;
  const formula = requiredTasks(differences, { delta, alpha: 0.05, power: 0.8, sides: 1 })!.tasks;
  expect(Math.abs(formula - page.tasksNeeded)).toBeLessThanOrEqual(5);
  print("tasks needed", page.tasksNeeded, `${enough} (exact test), ${formula} (formula)`);
  print("power of 16 tasks, one-sided", "not printed", power(16, 1).toFixed(2));
});

test("page and arithmetic part where the data say they do", () => {
  const twoSided = analyse(cellsOf(table), { ...settings, sides: 2 });
  const { p, pAdjusted } = row("pocock", "none", twoSided).evidence!.tasks;
  const t = pocock.interval!.map((end) => (100 * end).toFixed(1));
  const moved = Object.values(table).map(([none = 0, placebo = 0]) => Math.abs(placebo - none));
  const byOne = moved.filter((by) => by === 1).length;
  const slower = page.medianSeconds["superpowers"]! / page.medianSeconds["none"]!;
  const found: Readonly<Record<string, readonly (string | number)[]>> = {
    sidedness: [p, pAdjusted!],
    chance: [pocock.pGreater.toFixed(2), pocock.pTwoSided],
    placeboMoves: [],
    interval: t.map((end) => (Number(end) < 0 ? end.replace("-", "−") : `+${end}`)),
    tasksNeeded: [`${Math.round(100 * power(page.tasksNeeded, 2))} %`],
    slower: [slower.toFixed(1)],
    notRecomputed: [],
  };
  expect(Object.keys(partings)).toEqual(Object.keys(found));
  for (const [name, values] of Object.entries(found))
    for (const value of values) expect(partings[name], name).toContain(String(value));
  expect(slower.toFixed(1)).not.toBe(page.slower.toFixed(1));
  for (const rows of tables) {
    const odd = Object.values(rows).filter(([none = 0, placebo = 0]) => (placebo - none) % 2 !== 0).length;
    expect(odd % 2).toBe(Math.abs(page.passed["placebo"]! - page.passed["none"]!) % 2);
  }
  expect(page.placeboMovedTasksByOneRun % 2).toBe(0);
  expect([byOne, moved.filter((by) => by === 2).length]).toEqual([3, 1]);
  print("tasks that the placebo moved by one run", page.placeboMovedTasksByOneRun, byOne);
  print("Superpowers takes times as long", page.slower, slower.toFixed(2));
  console.log(printed.map(([figure, ofPage, ours]) => `${figure}: page ${ofPage}, ours ${ours}`).join("\n"));
  console.log(
    Object.entries(partings)
      .map(([name, text]) => `${name}: ${text}`)
      .join("\n"),
  );
});

test("all four tables give the same analysis", () => {
  expect(tables).toHaveLength(4);
  const figures = (rows: Table): unknown => analyse(cellsOf(rows), settings).rows;
  for (const other of tables) expect(figures(other)).toEqual(nearly(figures(table)));
});

test("nothing may be concluded from it, and what it would take is said", () => {
  const concluded = concludeAll(analysis).filter(({ level }) => level === "skill");
  expect(concluded.map((one) => [one.comparison.arm, headlineOf(one).kind])).toEqual(
    packs.map((arm) => [arm, "cannot_tell"]),
  );
  const { take, reason } = headlineOf(concluded[1]!);
  expect(reason).toContain("+9.4 points");
  expect(take).toMatch(/^About \d+ tasks/);
  console.log(
    concluded
      .map((one) => `${headlineOf(one).label}. ${headlineOf(one).reason} ${headlineOf(one).take ?? ""}`)
      .join("\n"),
  );
});

test.for(goldenGroup("seed000"))("golden report: $id", ({ input, expected, tolerance }) => {
  const given = z
    .object({ arms: z.array(z.string()), runsPerTask: count, passes: z.record(z.string(), z.array(count)) })
    .parse(input);
  expect(given).toEqual({ arms, runsPerTask, passes: table });
  const compared = z.record(z.string(), z.record(z.string(), z.number())).parse(expected["comparisons"]);
  for (const [name, wanted] of Object.entries(compared)) {
    const [arm = "", against = ""] = name.split("-");
    const { better, worse, same, mean, pGreater, pTwoSided } = row(arm, against).evidence!.tasks;
    expectGolden(
      { better, worse, same, meanDifference: mean, pOneSided: pGreater, pTwoSided },
      wanted,
      tolerance,
    );
  }
  const holm = packs.map((arm) => [arm, row(arm, "none").evidence!.tasks.pAdjusted] as const);
  expectGolden(
    Object.fromEntries(holm),
    z.record(z.string(), z.number()).parse(expected["holmOneSided"]),
    tolerance,
  );
  const named = (is: (passes: readonly number[]) => boolean): readonly string[] =>
    Object.keys(table).filter((task) => is(table[task]!));
  const all = (value: number) => (passes: readonly number[]) => passes.every((one) => one === value);
  const got = {
    passed: Object.fromEntries(
      arms.map((arm, at) => [arm, totalOf(Object.values(table).map((row) => row[at]!))]),
    ),
    runsPerArm: runsPerTask * Object.keys(table).length,
    failedRuns: page.failedRuns,
    allPassTasks: named(all(runsPerTask)),
    allFailTasks: named(all(0)),
    separatingTasks: named((passes) => !all(0)(passes) && !all(runsPerTask)(passes)),
    pocockCi95: pocock.bootstrap,
    failedRunsClaimingSuccess: { k: page.failedRunsClaimingSuccess, n: page.failedRuns },
  };
  expectGolden(got, expected, tolerance);
  expect(Object.keys({ ...got, comparisons: 0, holmOneSided: 0 }).toSorted()).toEqual(
    Object.keys(expected).toSorted(),
  );
});
