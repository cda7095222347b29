import type { AnalysisSettings, ArmCell } from "./artefacts/analysis.ts";
import type { Cell } from "./artefacts/report.ts";
import type { Tally } from "./artefacts/tally.ts";
import { analyse } from "./conclude/analyse.ts";
import { settingsAt } from "./conclude/frontier.ts";
import { concludeAll } from "./conclude/conclude-from.ts";
import { type Random, randomFrom } from "./seed.ts";
import { normalQuantile } from "./statistics/distributions.ts";

/** What is assumed of the world before it is looked at. Fractions. */
export type Assumptions = {
  /** Pass rates of the control, one drawn per benchmark × model. */
  readonly baseline: readonly number[];
  /** Standard deviation of the true uplift between benchmarks. */
  readonly spread: number;
  /** Where they come from, for people. */
  readonly words: string;
};

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
/** Half of what a pilot could say at the least, so that a rate of 0 of 3 is not taken for certain. */
const pseudo = 0.5;

/** Tasks differ: half of them in the middle, the others near either end. */
export const usualAssumptions: Assumptions = {
  baseline: [0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95],
  spread: 0.18,
  words:
    "no pilot: control pass rates from 5 to 95 %, true uplifts that differ by 18 points between benchmarks",
};

/** From the cells of an earlier campaign. Null when none of them has trials of both arms. */
export function assumptionsFrom(cells: readonly Cell[], settings: AnalysisSettings): Assumptions | null {
  const [comparison] = settings.comparisons;
  const pairs = cells.flatMap(({ arms }) => {
    const tallies = new Map<string, Tally | undefined>(Object.entries(arms));
    const treated = tallies.get(comparison?.arm ?? "");
    const control = tallies.get(comparison?.against ?? "");
    if (treated === undefined || control === undefined || treated.graded === 0 || control.graded === 0)
      return [];
    return [{ treated, control }];
  });
  if (pairs.length === 0) return null;
  const rate = ({ passed, graded }: Tally): number => passed / graded;
  const uplifts = pairs.map(({ treated, control }) => rate(treated) - rate(control));
  const mean = uplifts.reduce((sum, one) => sum + one, 0) / uplifts.length;
  const variance =
    uplifts.length < 2 ? 0 : uplifts.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (uplifts.length - 1);
  const noise =
    pairs.reduce((sum, { treated, control }) => sum + noiseOf(treated) + noiseOf(control), 0) / pairs.length;
  return {
    baseline: pairs.map(({ control }) => (control.passed + pseudo) / (control.graded + 2 * pseudo)),
    // The spread of what was seen, without what chance within a cell adds to it.
    spread: Math.sqrt(Math.max(0, variance - noise)),
    words: `${pairs.length} cells of the pilot`,
  };
}

/** Of a rate, estimated without bias where it can be. */
function noiseOf({ passed, graded }: Tally): number {
  if (graded < 2) return 0.25 / Math.max(1, graded);
  return (passed * (graded - passed)) / (graded * graded * (graded - 1));
}

/** Simulates campaigns of a design and concludes each by the same analysis as a report. */
export function powerOf(
  design: Design,
  uplift: number,
  {
    settings,
    assumptions,
    repetitions,
    seed,
  }: {
    readonly settings: AnalysisSettings;
    readonly assumptions: Assumptions;
    readonly repetitions: number;
    readonly seed: number;
  },
): Power {
  const quick = quickSettings(settings);
  const random = randomFrom(seed, "plan", design.benchmarks, design.models, design.trials);
  const counts = { tasks: 0, set: 0, wrongTasks: 0, wrongSet: 0 };
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const helped = outcomeOf(drawn(design, uplift, assumptions, quick, random), quick);
    if (helped.tasks === "helps") counts.tasks++;
    if (helped.set === "helps") counts.set++;
    const idle = outcomeOf(drawn(design, 0, { ...assumptions, spread: 0 }, quick, random), quick);
    if (idle.tasks === "helps" || idle.tasks === "hurts") counts.wrongTasks++;
    if (idle.set === "helps" || idle.set === "hurts") counts.wrongSet++;
  }
  const share = (count: number): number => count / repetitions;
  return {
    ...design,
    tasks: share(counts.tasks),
    set: share(counts.set),
    wrongTasks: share(counts.wrongTasks),
    wrongSet: share(counts.wrongSet),
    // At the worst rate, a half.
    standardError: Math.sqrt(0.25 / repetitions),
  };
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

/** The smallest uplift of these that the design finds with the wanted power; null when none of them. */
export function detectableUplift(
  design: Design,
  uplifts: readonly number[],
  context: Parameters<typeof powerOf>[2],
): { readonly set: number | null; readonly tasks: number | null } {
  const powers = uplifts.map((uplift) => ({ uplift, power: powerOf(design, uplift, context) }));
  const first = (question: "set" | "tasks"): number | null =>
    powers.find(({ power }) => power[question] >= context.settings.power)?.uplift ?? null;
  return { set: first("set"), tasks: first("tasks") };
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
  uplift: number,
  assumptions: Assumptions,
  settings: Pick<AnalysisSettings, "comparisons">,
  random: Random,
];

function drawnSkill(
  skill: string,
  { benchmarks, models, trials }: Design,
  ...[uplift, { baseline, spread }, { comparisons }, random]: DrawnBy
): readonly ArmCell[] {
  const passed = (rate: number): Tally => {
    let count = 0;
    for (let trial = 0; trial < trials; trial++) if (random() < rate) count++;
    return { passed: count, graded: trials, planned: trials };
  };
  return Array.from({ length: benchmarks }, (_, benchmark) => {
    const effect = uplift + spread * normal(random);
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
