import { afterAll, describe, expect, test } from "vitest";
import type { AnalysisRow, ArmCell } from "../artefacts/analysis.ts";
import type { ConcludedRow } from "../artefacts/conclusion.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import type { Tally } from "../artefacts/tally.ts";
import { type Random, randomFrom } from "../seed.ts";
import { powerSimulated } from "../statistics/power.ts";
import { settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";
import { concludeAll } from "./conclude-from.ts";

// A world in which the truth is known: tasks are drawn, each with a pass rate per arm, and trials are coins.

const campaigns = 400;
const settings = settingsOf({ bootstrap: { resamples: 0 } });
const { alpha, delta } = settings;
/** An observed share may be off by this many of its standard errors. */
const allowed = 3;

type World = {
  readonly effect: number;
  /** Effects of single tasks lie within this around it, evenly. */
  readonly spread: number;
  /** Pass rates without the skill, evenly. */
  readonly baseline: readonly [number, number];
  readonly tasks: number;
  readonly trials: number;
  /** Share of trials that infrastructure takes. */
  readonly voids?: number;
};

type Campaign = {
  readonly row: AnalysisRow;
  readonly concluded: ConcludedRow;
  /** Mean true effect over the tasks that were drawn. */
  readonly setEffect: number;
  /** Mean difference when no trial is lost. */
  readonly wholeUplift: number;
};

type Drawn = { readonly cells: readonly ArmCell[]; readonly setEffect: number; readonly wholeUplift: number };

function tossed(
  rate: number,
  { trials, voids = 0 }: World,
  random: Random,
): Tally & { readonly whole: number } {
  let [passed, graded, whole] = [0, 0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const isPass = random() < rate;
    const isLost = random() < voids;
    if (isPass) whole++;
    if (!isLost) graded++;
    if (isPass && !isLost) passed++;
  }
  return { passed, graded, planned: trials, whole };
}

function drawn(world: World, random: Random, skill = "skill", placebo: number | null = null): Drawn {
  let [setEffect, wholeUplift] = [0, 0];
  const cells = Array.from({ length: world.tasks }, (_, at): ArmCell => {
    const [low, high] = world.baseline;
    const control = low + (high - low) * random();
    const effect = world.effect + world.spread * (2 * random() - 1);
    const arms = {
      with_skill: tossed(control + effect, world, random),
      without_skill: tossed(control, world, random),
      ...(placebo === null ? {} : { placebo: tossed(control + placebo, world, random) }),
    };
    setEffect += effect / world.tasks;
    wholeUplift += (arms.with_skill.whole - arms.without_skill.whole) / (world.trials * world.tasks);
    return { skill, benchmark: `t${at}`, model: "model", arms };
  });
  return { cells, setEffect, wholeUplift };
}

function simulated(name: string, world: World): readonly Campaign[] {
  const random = randomFrom(7, "simulated", name);
  return Array.from({ length: campaigns }, () => {
    const { cells, setEffect, wholeUplift } = drawn(world, random);
    const analysis = analyse(cells, settings);
    const row = analysis.rows.find(({ level }) => level === "skill")!;
    const concluded = concludeAll(analysis).find(({ level }) => level === "skill")!;
    return { row, concluded, setEffect, wholeUplift };
  });
}

const printed: string[] = [];

function shareOf<T>(all: readonly T[], is: (one: T) => boolean): number {
  return all.filter(is).length / all.length;
}

function print(what: string, share: number): void {
  const error = Math.sqrt((share * (1 - share)) / campaigns);
  printed.push(`${what}: ${(100 * share).toFixed(1)} % ± ${(100 * error).toFixed(1)} of ${campaigns}`);
}

/** At most `level`, but for the error of counting so few campaigns. */
function expectAtMost(what: string, share: number, level: number): void {
  print(what, share);
  expect(share, what).toBeLessThanOrEqual(level + allowed * Math.sqrt((level * (1 - level)) / campaigns));
}

function expectAtLeast(what: string, share: number, level: number): void {
  print(what, share);
  expect(share, what).toBeGreaterThanOrEqual(level - allowed * Math.sqrt((level * (1 - level)) / campaigns));
}

const tasksKind = ({ concluded }: Campaign): ConclusionKind => concluded.tasks!.kind;
const setKind = ({ concluded }: Campaign): ConclusionKind => concluded.set.kind;
const claims: readonly ConclusionKind[] = ["helps", "hurts"];
const isWithin = (interval: readonly [number, number], truth: number): boolean =>
  interval[0] <= truth && truth <= interval[1];

const size = { tasks: 16, trials: 5 };
const worlds: Readonly<Record<string, World>> = {
  "no effect anywhere": { effect: 0, spread: 0, baseline: [0.1, 0.9], ...size },
  "effects that cancel": { effect: 0, spread: 0.3, baseline: [0.3, 0.7], ...size },
  "+10 points": { effect: 0.1, spread: 0.1, baseline: [0.1, 0.8], ...size },
  "+40 points": { effect: 0.4, spread: 0.1, baseline: [0.1, 0.5], ...size },
  "−30 points": { effect: -0.3, spread: 0.1, baseline: [0.4, 0.9], ...size },
  "+10 points, many trials": { effect: delta, spread: 0, baseline: [0.1, 0.8], tasks: 40, trials: 20 },
  "no effect, many trials": { effect: 0, spread: 0.05, baseline: [0.1, 0.8], tasks: 40, trials: 20 },
  "no effect, trials lost": { effect: 0, spread: 0, baseline: [0.1, 0.9], voids: 0.05, ...size },
  "+40 points, trials lost": { effect: 0.4, spread: 0.1, baseline: [0.1, 0.5], voids: 0.05, ...size },
};

afterAll(() => {
  console.log(printed.join("\n"));
});

describe.for(Object.entries(worlds))("%s", ([name, world]) => {
  const all = simulated(name, world);
  const truth = Math.sign(world.effect);

  test("wrong conclusions are as rare as the settings say", () => {
    const isWrong = (kind: ConclusionKind, effect: number): boolean =>
      (kind === "helps" && effect <= 0) || (kind === "hurts" && effect >= 0);
    expectAtMost(
      `${name}: wrong about tasks like these`,
      shareOf(all, (one) => isWrong(tasksKind(one), truth)),
      alpha,
    );
    const wrongAboutSet = (one: Campaign): boolean =>
      isWrong(setKind(one), world.spread === 0 ? truth : one.setEffect);
    expectAtMost(`${name}: wrong about this set`, shareOf(all, wrongAboutSet), alpha);
  });

  test("what differs by the margin or more is hardly ever called equivalent", () => {
    const general = shareOf(all, ({ row }) => row.evidence!.tasks.equivalent);
    const ofSet = shareOf(all, ({ row }) => row.evidence!.set.equivalent);
    if (Math.abs(world.effect) >= delta) {
      expectAtMost(`${name}: called equivalent, tasks`, general, alpha);
      expectAtMost(`${name}: called equivalent, this set`, ofSet, alpha);
    }
    if (world.effect !== 0 || world.trials * world.tasks < 800) return;
    expect(Math.min(general, ofSet)).toBeGreaterThan(0.9);
    print(
      `${name}: no meaningful difference, tasks`,
      shareOf(all, (one) => tasksKind(one) === "no_meaningful_difference"),
    );
    expect(shareOf(all, (one) => tasksKind(one) === "no_meaningful_difference")).toBeGreaterThan(0.85);
  });

  test("intervals cover what they say", () => {
    const known = all.filter(({ row }) => row.evidence!.tasks.interval !== null);
    expect(known.length).toBeGreaterThan(0.99 * campaigns);
    const general = shareOf(known, ({ row }) => isWithin(row.evidence!.tasks.interval!, world.effect));
    expectAtLeast(`${name}: t interval covers`, general, 1 - alpha);
    const ofSet = shareOf(all, ({ row, setEffect }) => isWithin(row.evidence!.set.interval!, setEffect));
    expectAtLeast(`${name}: interval of the set covers`, ofSet, 1 - alpha);
  });

  test("bounds hold what complete trials would have shown", () => {
    for (const { row, wholeUplift } of all) {
      const low = row.imputed?.against.uplift ?? row.evidence!.uplift;
      const high = row.imputed?.inFavour.uplift ?? row.evidence!.uplift;
      expect(low).toBeLessThanOrEqual(wholeUplift + 1e-9);
      expect(high).toBeGreaterThanOrEqual(wholeUplift - 1e-9);
    }
    const missing = all.filter(({ row }) => row.imputed !== null).length;
    expect(missing > 0).toBe(world.voids !== undefined);
  });

  test("large effects are found", () => {
    const found = shareOf(all, (one) => tasksKind(one) === (truth > 0 ? "helps" : "hurts"));
    print(
      `${name}: right about tasks like these`,
      truth === 0 ? shareOf(all, (one) => !claims.includes(tasksKind(one))) : found,
    );
    if (Math.abs(world.effect) > 2 * delta) expect(found).toBeGreaterThan(0.9);
  });
});

test("an effect of +40 points is found at the planned power", () => {
  const design = { tasks: 10, trials: 3 };
  const rates = Array.from({ length: design.tasks }, (_, at) => 0.1 + (0.4 * at) / (design.tasks - 1)).map(
    (control) => ({
      control,
      treated: control + 0.4,
    }),
  );
  const planned = powerSimulated({
    tasks: rates,
    trialsPerArm: design.trials,
    alpha,
    sides: 2,
    repetitions: 10_000,
    seed: 7,
  });
  const random = randomFrom(7, "simulated", "power");
  const world = { effect: 0.4, spread: 0, baseline: [0, 0] as const, ...design };
  const found = Array.from({ length: campaigns }, () => {
    const cells = rates.map(({ control, treated }, at): ArmCell => {
      const arms = {
        with_skill: tossed(treated, world, random),
        without_skill: tossed(control, world, random),
      };
      return { skill: "skill", benchmark: `t${at}`, model: "model", arms };
    });
    return concludeAll(analyse(cells, settings)).find(({ level }) => level === "skill")!.tasks!.kind;
  });
  const power = shareOf(found, (kind) => kind === "helps");
  print(
    `+40 points, ${design.tasks} tasks × ${design.trials} trials, planned power ${(100 * planned.power).toFixed(1)} %: found`,
    power,
  );
  const error = Math.hypot(
    planned.monteCarloSE,
    Math.sqrt((planned.power * (1 - planned.power)) / campaigns),
  );
  expect(planned.power).toBeGreaterThan(0.5);
  expect(planned.power).toBeLessThan(0.99);
  expect(Math.abs(power - planned.power)).toBeLessThanOrEqual(allowed * error);
});

test("a family of skills without effect is wrong about any of them no more often than one", () => {
  const random = randomFrom(7, "simulated", "family");
  const world = worlds["no effect anywhere"]!;
  const wrong = Array.from({ length: campaigns }, () => {
    const cells = ["a", "b", "c"].flatMap((skill) => drawn(world, random, skill).cells);
    const skills = concludeAll(analyse(cells, settings)).filter(({ level }) => level === "skill");
    return {
      tasks: skills.some(({ tasks }) => claims.includes(tasks!.kind)),
      set: skills.some(({ set }) => claims.includes(set.kind)),
    };
  });
  expectAtMost(
    "three skills without effect, any wrong about tasks",
    shareOf(wrong, ({ tasks }) => tasks),
    alpha,
  );
  expectAtMost(
    "three skills without effect, any wrong about this set",
    shareOf(wrong, ({ set }) => set),
    alpha,
  );
});

test("a skill that is as good as its placebo helps vs none, and is hardly ever said to help", () => {
  const random = randomFrom(7, "simulated", "placebo");
  const world: World = { effect: 0.4, spread: 0, baseline: [0.1, 0.5], ...size };
  const labels = Array.from({ length: campaigns }, () => {
    const { cells } = drawn(world, random, "skill", world.effect);
    return concludeAll(analyse(cells, settings)).find(({ level }) => level === "skill")!.tasks!.label;
  });
  expectAtMost(
    "no better than the placebo, said to help",
    shareOf(labels, (label) => label === "helps"),
    alpha,
  );
  const modest = shareOf(labels, (label) => label === "helps vs none");
  print("no better than the placebo, said to help vs none", modest);
  expect(modest).toBeGreaterThan(0.9);
});
