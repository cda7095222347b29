import type { AnalysisSettings, ArmCell } from "./artefacts/analysis.ts";
import type { ConclusionKind } from "./artefacts/conclusion-kind.ts";
import type { Tally } from "./artefacts/tally.ts";
import { type Assumptions, shiftFor } from "./campaign-assumptions.ts";
import { analyse } from "./conclude/analyse.ts";
import { settingsAt } from "./conclude/frontier.ts";
import { concludeAll } from "./conclude/conclude-from.ts";
import { type Random, randomFrom } from "./seed.ts";
import { normalQuantile } from "./statistics/distributions.ts";

export type Design = {
  /** Of each skill. */
  readonly benchmarks: number;
  readonly models: number;
  readonly trials: number;
  /** One when absent. The hypotheses about all of them are one family. */
  readonly skills?: number;
};

/** Shares of simulated campaigns, with their Monte-Carlo error. */
export type Power = Design & {
  /** That conclude *helps* (against the control) about tasks like these, and about this set, at the assumed uplift. */
  readonly tasks: number;
  readonly set: number;
  /** That conclude *helps* or *hurts* although the uplift is 0. */
  readonly wrongTasks: number;
  readonly wrongSet: number;
  readonly standardError: number;
};

function skillsOf({ skills = 1 }: Design): readonly string[] {
  return Array.from({ length: skills }, (_, at) => `simulated-${at}`);
}
type Simulation = {
  readonly settings: AnalysisSettings;
  readonly assumptions: Assumptions;
  readonly repetitions: number;
  readonly seed: number;
};

/** Shares of simulated campaigns. */
type Shares = Readonly<Record<"set" | "tasks", number>>;

/**
 * Simulates campaigns of a design and concludes each by the same analysis as a report. Throws `RangeError` for an
 * uplift that the assumptions leave no room for.
 */
export function powerOf(design: Design, uplift: number, simulation: Simulation): Power {
  const { assumptions, repetitions } = simulation;
  const found = findsOf(design, uplift, simulation);
  const idle = { ...simulation, assumptions: { ...assumptions, spread: 0 } };
  const wrong = sharesOf(design, 0, idle, (kind) => kind === "helps" || kind === "hurts");
  return {
    ...design,
    ...found,
    wrongTasks: wrong.tasks,
    wrongSet: wrong.set,
    // At the worst rate, a half.
    standardError: Math.sqrt(0.25 / repetitions),
  };
}

function findsOf(design: Design, uplift: number, simulation: Simulation): Shares {
  const shift = shiftFor(uplift, simulation.assumptions);
  if (shift === null) throw new RangeError(`uplift: no room for ${uplift} above the control's pass rates`);
  return sharesOf(design, shift, simulation, (kind) => kind === "helps");
}

/** The same draws for every shift, so that more uplift is not found less often. */
function sharesOf(
  design: Design,
  shift: number,
  { settings, assumptions, repetitions, seed }: Simulation,
  counts: (kind: ConclusionKind | null) => boolean,
): Shares {
  const quick = quickSettings(settings);
  const random = randomFrom(seed, "plan", design.benchmarks, design.models, design.trials);
  let [set, tasks] = [0, 0];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const outcome = outcomeOf(drawn(design, shift, assumptions, quick, random), quick);
    if (counts(outcome.set)) set++;
    if (counts(outcome.tasks)) tasks++;
  }
  return { set: set / repetitions, tasks: tasks / repetitions };
}

/** With looks the level of the last one, and no early stop: what a campaign that goes to its end can find. */
function quickSettings(settings: AnalysisSettings): AnalysisSettings {
  const { looks } = settings;
  const atEnd = looks === null ? settings : settingsAt(settings, looks.count);
  return { ...atEnd, placebo: null, bootstrap: { ...settings.bootstrap, resamples: 0 } };
}

/** What it comes to when every trial passes in the arm of the first comparison, and none in any other. */
function clearestOutcome(design: Design, settings: AnalysisSettings): ReturnType<typeof outcomeOf> {
  const { benchmarks, models, trials } = design;
  const { comparisons } = settings;
  const ids = new Set(comparisons.flatMap(({ arm, against }) => [arm, against]));
  const arms = [...ids].map((id) => {
    const passed = id === comparisons[0]?.arm ? trials : 0;
    return [id, { passed, graded: trials, planned: trials }] as const;
  });
  const cells = skillsOf(design).flatMap((skill) =>
    Array.from({ length: benchmarks * models }, (_, at): ArmCell => {
      const [benchmark, model] = [`b${Math.floor(at / models)}`, `m${at % models}`];
      return { skill, benchmark, model, arms: Object.fromEntries(arms) };
    }),
  );
  return outcomeOf(cells, quickSettings(settings));
}

export type Detectable = { readonly set: number | null; readonly tasks: number | null };

/** The smallest uplift of these that the design finds with the wanted power; null when none that there is room for. */
export function detectableUplift(
  design: Design,
  uplifts: readonly number[],
  simulation: Simulation,
): Detectable {
  const possible = uplifts.filter((uplift) => shiftFor(uplift, simulation.assumptions) !== null);
  const known = new Map<number, Shares>();
  const finds = (uplift: number, question: keyof Shares): boolean => {
    const shares = known.get(uplift) ?? findsOf(design, uplift, simulation);
    known.set(uplift, shares);
    return shares[question] >= simulation.settings.power;
  };
  return {
    set: firstOf(possible, (uplift) => finds(uplift, "set")),
    tasks: firstOf(possible, (uplift) => finds(uplift, "tasks")),
  };
}

/** By halving: what holds for one of the values, which rise, holds for all behind it. Null when for none. */
function firstOf(values: readonly number[], holds: (value: number) => boolean): number | null {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const value = values[middle];
    if (value !== undefined && holds(value)) high = middle;
    else low = middle + 1;
  }
  return values[low] ?? null;
}

/** Says plainly what a design cannot show, whatever it finds. */
export function limitsOf(design: Design, settings: AnalysisSettings): readonly string[] {
  const { benchmarks, models, trials } = design;
  const words: string[] = [];
  const clearest = clearestOutcome(design, settings);
  if (benchmarks < settings.minTasks) {
    words.push(
      `${benchmarks} benchmarks of a skill cannot say anything about tasks like these: at least ${settings.minTasks} are needed. They can say something about this set.`,
    );
  } else if (clearest.tasks !== "helps") {
    words.push(
      `This design cannot reach significance about tasks like these: ${benchmarks} benchmark(s) cannot, whatever they show.`,
    );
  }
  if (clearest.set !== "helps") {
    words.push(
      `This design cannot reach significance about this set: with ${benchmarks} benchmark(s) × ${models} model(s) × ${trials} ` +
        "trial(s) per arm not even every trial passing in one arm and none in the other would. Make more trials.",
    );
  }
  if (trials < 3)
    words.push(`${trials} trial(s) per arm: fewer than 3 make every cell a coin toss. 5 is a good number.`);
  return words;
}

function drawn(design: Design, ...how: DrawnBy): readonly ArmCell[] {
  return skillsOf(design).flatMap((skill) => drawnSkill(skill, design, ...how));
}

type DrawnBy = [
  shift: number,
  assumptions: Assumptions,
  settings: Pick<AnalysisSettings, "comparisons">,
  random: Random,
];

function drawnSkill(
  skill: string,
  { benchmarks, models, trials }: Design,
  ...[shift, { baseline, spread }, { comparisons }, random]: DrawnBy
): readonly ArmCell[] {
  const passed = (rate: number): Tally => {
    let count = 0;
    for (let trial = 0; trial < trials; trial++) if (random() < rate) count++;
    return { passed: count, graded: trials, planned: trials };
  };
  return Array.from({ length: benchmarks }, (_, benchmark) => {
    const effect = shift + spread * normal(random);
    return Array.from({ length: models }, (_model, model): ArmCell => {
      const control = baseline[Math.floor(random() * baseline.length)] ?? 0.5;
      const treated = Math.min(1, Math.max(0, control + effect));
      const arms = comparisons.flatMap(({ arm, against }) => [
        [against, passed(control)] as const,
        [arm, passed(treated)] as const,
      ]);
      return { skill, benchmark: `b${benchmark}`, model: `m${model}`, arms: Object.fromEntries(arms) };
    });
  }).flat();
}

type Kind = "helps" | "hurts" | "no_meaningful_difference" | "cannot_tell";

/** What the first comparison comes to for a skill as a whole. */
function outcomeOf(
  cells: readonly ArmCell[],
  settings: AnalysisSettings,
): { readonly tasks: Kind | null; readonly set: Kind } {
  const [first] = settings.comparisons;
  const row = concludeAll(analyse(cells, settings)).find(
    ({ level, comparison }) =>
      level === "skill" && comparison.arm === first?.arm && comparison.against === first.against,
  );
  return { tasks: row?.tasks?.kind ?? null, set: row?.set.kind ?? "cannot_tell" };
}

/** From the standard normal distribution. */
function normal(random: Random): number {
  return normalQuantile(Math.max(random(), Number.EPSILON));
}
