import { afterAll, describe, expect, test } from "vitest";
import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import type { LookRules } from "../artefacts/looks.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { randomFrom } from "../seed.ts";
import { settingsOf } from "../testing/arm-cells.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { type Ending, type Frontier, frontierOf, settingsAt } from "./frontier.ts";

const everyCell = { counts: () => true };

function planOf(benchmarks: number, trials: number): readonly PlannedTrial[] {
  const inputs = sampleInputs({ models: ["a/x", "b/y", "c/z"], trials });
  const skills = inputs.skills.map((skill) => ({
    ...skill,
    benchmarks: Array.from({ length: benchmarks }, (_, at) => ({ id: `b${at}`, bundleHash: "h" })),
  }));
  return planTrials({ ...inputs, skills }, "recipe");
}

function looking(rules: Partial<LookRules> & Pick<LookRules, "count">, trials: number): AnalysisSettings {
  const looks = { boundary: "obrien-fleming", settle: null, ...rules, trials } as const;
  return settingsOf({ looks, delta: 0.15, bootstrap: { resamples: 0 } });
}

/** Makes what is released until nothing is left, as a campaign does. */
function followed(
  trials: readonly PlannedTrial[],
  settings: AnalysisSettings,
  make: (trial: PlannedTrial) => Ending,
): Frontier & { readonly made: ReadonlyMap<string, Ending> } {
  const made = new Map<string, Ending>();
  for (;;) {
    const frontier = frontierOf(trials, settings, {
      endingOf: ({ key }) => made.get(key) ?? null,
      ...everyCell,
    });
    const open = frontier.released.filter(({ key }) => !made.has(key));
    if (open.length === 0) return { ...frontier, made };
    for (const trial of open) made.set(trial.key, make(trial));
  }
}

const helped = ({ arm }: PlannedTrial): Ending => (arm === "with_skill" ? "passed" : "failed");

test("without looks everything is released at once", () => {
  const trials = planOf(2, 3);
  const { released, looks, ended } = frontierOf(trials, settingsOf({}), {
    endingOf: () => null,
    ...everyCell,
  });
  expect(released).toEqual(trials);
  expect([looks, ended]).toEqual([[], false]);
});

test("an early stop leaves a balanced table, and says what was not needed", () => {
  const trials = planOf(5, 5);
  const { looks, ended, made } = followed(trials, looking({ count: 5 }, 5), helped);
  expect(ended).toBe(true);
  expect(looks.length).toBeLessThan(5);
  expect(looks.at(-1)).toMatchObject({ stops: true, rows: [{ kind: "helps" }] });
  const perCell = new Map<string, number>();
  for (const { skill, benchmark, model, arm, key } of trials)
    if (made.has(key)) {
      const cell = [skill, benchmark, model, arm].join();
      perCell.set(cell, (perCell.get(cell) ?? 0) + 1);
    }
  expect(new Set(perCell.values())).toEqual(new Set([looks.length]));
  expect(made.size).toBeLessThan(trials.length);
});

test("the frontier follows from the endings, whatever the order they came in", () => {
  const trials = planOf(3, 4);
  const random = randomFrom(7, "endings");
  const endings = new Map(trials.map(({ key }) => [key, random() < 0.5 ? "passed" : "failed"] as const));
  const settings = looking({ count: 4 }, 4);
  const whole = followed(trials, settings, ({ key }) => endings.get(key) ?? "none");
  const reversed = frontierOf(trials.toReversed(), settings, {
    endingOf: ({ key }) => whole.made.get(key) ?? null,
    ...everyCell,
  });
  expect(reversed.looks).toEqual(whole.looks);
  expect(new Set(reversed.released.map(({ key }) => key))).toEqual(new Set(whole.made.keys()));
});

test("a look waits for every trial of its wave; one that is over without a verdict is waited for no longer", () => {
  const trials = planOf(2, 2);
  const settings = looking({ count: 2 }, 2);
  const [late] = trials;
  const upTo = (ending: Ending | null): Frontier =>
    frontierOf(trials, settings, {
      endingOf: (trial) => (trial === late ? ending : trial.n === 1 ? helped(trial) : null),
      ...everyCell,
    });
  expect(upTo(null)).toMatchObject({ looks: [], ended: false });
  expect(new Set(upTo(null).released.map(({ n }) => n))).toEqual(new Set([1]));
  expect(upTo("none").looks).toHaveLength(1);
  expect(upTo("none").released).toEqual(trials);
});

test("cells whose verdicts are all alike give their trials to the others, up to the cap and the budget", () => {
  const most = 6;
  const trials = planOf(4, most);
  const settings = looking({ count: 3, settle: { after: 2, mostPairs: most } }, 3);
  const random = randomFrom(7, "coins");
  const { made, settledCells, cells, ended } = followed(trials, settings, ({ benchmark }) =>
    benchmark === "b0" || benchmark === "b1" ? "passed" : random() < 0.5 ? "passed" : "failed",
  );
  expect(ended).toBe(true);
  const blocksOf = (benchmark: string): number[] => {
    const blocks = trials.filter((trial) => trial.benchmark === benchmark && made.has(trial.key));
    return [...new Set(blocks.map(({ n }) => n))];
  };
  expect([blocksOf("b0"), blocksOf("b1")]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(Math.max(...blocksOf("b2"), ...blocksOf("b3"))).toBeGreaterThan(3);
  expect(made.size / 2).toBeLessThanOrEqual(cells * 3);
  expect(settledCells).toBeGreaterThanOrEqual(6);
});

test("each look decides by its own level, and never by an easier one than the last", () => {
  const settings = looking({ count: 3 }, 3);
  const levels = [1, 2, 3].map((look) => settingsAt(settings, look));
  expect(levels.map(({ alpha }) => alpha)).toEqual(
    levels.map(({ alpha }) => alpha).toSorted((a, b) => a - b),
  );
  for (const { alpha, marginAlpha } of levels) {
    expect(alpha).toBeLessThan(0.05);
    expect(marginAlpha).toBeCloseTo(alpha / 2, 12);
  }
  expect(() => settingsAt(settings, 4)).toThrow(RangeError);
});

describe("a simulated world of 15 cells and 3 trials", () => {
  const campaigns = 400;
  const printed: string[] = [];
  const trials = { 3: planOf(5, 3), 6: planOf(5, 6) };
  const plans = {
    "looks, O'Brien–Fleming": [trials[3], looking({ count: 3 }, 3)],
    "looks, Pocock": [trials[3], looking({ count: 3, boundary: "pocock" }, 3)],
    "settle and reallocate": [trials[6], looking({ count: 3, settle: { after: 2, mostPairs: 6 } }, 3)],
  } as const;

  function simulated(name: keyof typeof plans, uplift: number) {
    const [planned, settings] = plans[name];
    const random = randomFrom(7, "looks", name, uplift);
    return Array.from({ length: campaigns }, () => {
      const rates = new Map<string, number>();
      const endingOf = ({ benchmark, model, arm }: PlannedTrial): Ending => {
        const cell = `${benchmark} ${model}`;
        const rate = rates.get(cell) ?? random() * (1 - Math.abs(uplift));
        rates.set(cell, rate);
        return random() < (arm === "with_skill" ? rate + uplift : rate) ? "passed" : "failed";
      };
      const { looks, released } = frontierOf(planned, settings, { endingOf, ...everyCell });
      const kind: ConclusionKind = looks.at(-1)?.rows[0]?.kind ?? "cannot_tell";
      return { kind, trials: released.length };
    });
  }

  afterAll(() => {
    console.log(printed.join("\n"));
  });

  test.for(Object.keys(plans) as (keyof typeof plans)[])("%s", (name) => {
    const budget = 5 * 3 * 3 * 2;
    const [none, large] = [simulated(name, 0), simulated(name, 0.4)];
    const share = (all: typeof none, kinds: readonly ConclusionKind[]): number =>
      all.filter(({ kind }) => kinds.includes(kind)).length / campaigns;
    const mean = (all: typeof none): number => all.reduce((sum, one) => sum + one.trials, 0) / campaigns;
    const wrong = share(none, ["helps", "hurts"]);
    const found = share(large, ["helps"]);
    printed.push(
      `${name}: wrong at 0 points ${(100 * wrong).toFixed(1)} %, +40 points found ${(100 * found).toFixed(1)} %, ` +
        `trials ${mean(none).toFixed(1)} and ${mean(large).toFixed(1)} of ${budget}, ${campaigns} campaigns each`,
    );
    expect(wrong).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / campaigns));
    expect(found).toBeGreaterThan(0.9);
    expect(mean(large)).toBeLessThan(0.9 * budget);
    expect(Math.max(...[...none, ...large].map((one) => one.trials))).toBeLessThanOrEqual(budget);
  });
});
