import { expect, test } from "vitest";
import { type AnalysisSettings, analysisSettingsSchema } from "./artefacts/analysis.ts";
import type { Cell } from "./artefacts/report.ts";
import { type Assumptions, assumptionsFrom, shiftFor, usualAssumptions } from "./campaign-assumptions.ts";
import { detectableUplift, limitsOf, powerOf } from "./campaign-power.ts";
import { randomFrom } from "./seed.ts";
import { normalQuantile } from "./statistics/distributions.ts";

const settings: AnalysisSettings = analysisSettingsSchema.parse({});
const context = { settings, assumptions: usualAssumptions, repetitions: 200, seed: 7 };
/** Three Monte-Carlo errors. */
const slack = 3 * Math.sqrt(0.25 / context.repetitions);

test("power grows with benchmarks and trials, and the errors without an effect stay at the level", () => {
  const small = powerOf({ benchmarks: 8, models: 1, trials: 3 }, 0.3, context);
  const large = powerOf({ benchmarks: 24, models: 1, trials: 5 }, 0.3, context);
  expect(large.tasks).toBeGreaterThan(small.tasks);
  expect(large.tasks).toBeGreaterThan(0.9);
  for (const { wrongTasks, wrongSet } of [small, large]) {
    expect(wrongTasks).toBeLessThanOrEqual(settings.alpha + slack);
    expect(wrongSet).toBeLessThanOrEqual(settings.alpha + slack);
  }
});

test("five benchmarks never say anything about tasks like these, and the plan says so", () => {
  const design = { benchmarks: 5, models: 3, trials: 5 };
  const power = powerOf(design, 0.4, context);
  expect([power.tasks, power.wrongTasks]).toEqual([0, 0]);
  expect(power.set).toBeGreaterThan(0.9);
  expect(limitsOf(design, settings)[0]).toContain(
    "5 benchmarks of a skill cannot say anything about tasks like these",
  );
  expect(limitsOf({ benchmarks: 6, models: 1, trials: 1 }, { ...settings, alpha: 0.01 })).toEqual([
    "This design cannot reach significance about tasks like these: 6 benchmark(s) cannot, whatever they show.",
    expect.stringContaining("about this set: with 6 benchmark(s) × 1 model(s) × 1 trial(s) per arm not even"),
    "1 trial(s) per arm: fewer than 3 make every cell a coin toss. 5 is a good number.",
  ]);
  expect(limitsOf({ benchmarks: 10, models: 1, trials: 5 }, settings)).toEqual([]);
});

const placebo = { arm: "with_skill", against: "placebo" };
test.each<[string, Parameters<typeof limitsOf>[0], Partial<AnalysisSettings>, "set" | "tasks" | null]>([
  ["two trials of one cell", { benchmarks: 1, models: 1, trials: 2 }, {}, "set"],
  ["five trials of one cell", { benchmarks: 1, models: 1, trials: 5 }, {}, null],
  ["six tasks", { benchmarks: 6, models: 1, trials: 3 }, {}, null],
  ["six tasks of each of two skills", { benchmarks: 6, models: 1, trials: 3, skills: 2 }, {}, "tasks"],
  [
    "six tasks and two hypotheses",
    { benchmarks: 6, models: 1, trials: 3 },
    { comparisons: [...settings.comparisons, placebo] },
    "tasks",
  ],
  [
    "two hypotheses of one side",
    { benchmarks: 6, models: 1, trials: 3 },
    { comparisons: [...settings.comparisons, placebo], sides: 1 },
    null,
  ],
])("what no outcome can reach is said plainly: %s", (_name, design, over, about) => {
  const words = limitsOf(design, { ...settings, ...over }).filter((one) => one.includes("cannot reach"));
  const named = { set: "about this set", tasks: "about tasks like these" };
  expect(words).toEqual(about === null ? [] : [expect.stringContaining(named[about])]);
});

test("the smallest effect that a design finds is one that it finds with the wanted power", () => {
  const design = { benchmarks: 16, models: 1, trials: 5 };
  const found = detectableUplift(design, [0.1, 0.2, 0.3, 0.4], context);
  expect(found.set).not.toBeNull();
  expect(powerOf(design, found.set ?? 0, context).set).toBeGreaterThanOrEqual(settings.power);
  expect(detectableUplift({ benchmarks: 5, models: 1, trials: 3 }, [0.4], context).tasks).toBeNull();
});

test("the smallest uplift is the one that trying them all finds, for both questions", () => {
  const uplifts = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35];
  const design = { benchmarks: 16, models: 1, trials: 3 };
  const powers = uplifts.map((uplift) => powerOf(design, uplift, context));
  const first = (question: "set" | "tasks"): number | undefined =>
    uplifts[powers.findIndex((power) => power[question] >= settings.power)];
  const found = detectableUplift(design, uplifts, context);
  expect(found).toEqual({ set: first("set"), tasks: first("tasks") });
  expect(found.set).toBeLessThan(found.tasks ?? 0);
});

test.each<[number, Assumptions]>([
  [0.2, usualAssumptions],
  [0.4, usualAssumptions],
  [0.1, { ...usualAssumptions, baseline: [0.02], spread: 0.4 }],
  [0.3, { ...usualAssumptions, baseline: [0.5, 0.9], spread: 0 }],
])("campaigns are drawn whose benchmarks rise by what is said, %d", (uplift, assumptions) => {
  const shift = shiftFor(uplift, assumptions) ?? NaN;
  const random = randomFrom(1, "rates");
  const { baseline, spread } = assumptions;
  const rises = Array.from({ length: 40_000 }, () => {
    const rate = baseline[Math.floor(random() * baseline.length)] ?? NaN;
    return Math.min(1, Math.max(0, rate + shift + spread * normalQuantile(random()))) - rate;
  });
  const mean = rises.reduce((sum, one) => sum + one, 0) / rises.length;
  const sd = Math.sqrt(rises.reduce((sum, one) => sum + (one - mean) ** 2, 0) / rises.length);
  expect(Math.abs(mean - uplift)).toBeLessThan(4 * (sd / Math.sqrt(rises.length)) + 1e-9);
});

test("there is no power for more than the control's failures leave room for", () => {
  expect(shiftFor(0.6, usualAssumptions)).toBeNull();
  expect(() => powerOf({ benchmarks: 6, models: 1, trials: 1 }, 0.6, context)).toThrow(RangeError);
  expect(detectableUplift({ benchmarks: 1, models: 1, trials: 1 }, [0.4, 0.9], context).set).toBeNull();
});

test("the same seed gives the same figures", () => {
  const design = { benchmarks: 8, models: 2, trials: 3 };
  expect(powerOf(design, 0.2, context)).toEqual(powerOf(design, 0.2, context));
  expect(powerOf(design, 0.2, { ...context, seed: 8 })).not.toEqual(powerOf(design, 0.2, context));
});

test("a pilot gives baselines, and a spread without the noise of its few trials", () => {
  const cell = (benchmark: string, treated: number, control: number, of = 100): Cell => ({
    skill: "s",
    benchmark,
    model: "m",
    arms: {
      with_skill: { passed: treated, graded: of, planned: of },
      without_skill: { passed: control, graded: of, planned: of },
    },
    uplift: null,
    complete: true,
  });
  const pilot = assumptionsFrom([cell("a", 60, 40), cell("b", 60, 40), cell("c", 60, 40)], settings);
  expect(pilot).toMatchObject({ spread: 0, words: "3 cells of the pilot" } satisfies Partial<Assumptions>);
  expect(pilot?.baseline[0]).toBeCloseTo(40.5 / 101, 12);
  expect(assumptionsFrom([cell("a", 90, 10), cell("b", 10, 90)], settings)?.spread).toBeGreaterThan(1);
  expect(assumptionsFrom([], settings)).toBeNull();
});
