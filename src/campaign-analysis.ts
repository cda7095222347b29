import type { AnalysisSettings, ArmCell, Comparison } from "./artefacts/analysis.ts";
import type { Conclusions } from "./artefacts/conclusion.ts";
import type { CampaignInputs } from "./artefacts/plan.ts";
import type { ArmUsage, Cell } from "./artefacts/report.ts";
import type { LookRules } from "./artefacts/looks.ts";
import type { Tally } from "./artefacts/tally.ts";
import { analyse } from "./conclude/analyse.ts";
import { concludeAll } from "./conclude/conclude-from.ts";
import { decide } from "./conclude/decide.ts";
import { UserError } from "./errors.ts";

/** What the YAML says of the analysis: hypotheses follow from the arms where it names none. */
export type AnalysisRules = Omit<AnalysisSettings, "comparisons" | "looks" | "marginAlpha"> & {
  readonly comparisons?: readonly Comparison[] | undefined;
  readonly looks: LookRules | null;
};

/** Blocks of a cell at most: those that other cells do not need may come to it. */
export function mostTrials(looks: LookRules | null, trials: number): number {
  return Math.max(trials, looks?.settle?.mostPairs ?? 0);
}

const control = "without_skill";

/** Ids of all arms, in the order of the plan; ablations may differ from skill to skill. */
export function armsIn({ skills }: CampaignInputs): readonly string[] {
  return [...new Set(skills.flatMap(({ arms }) => arms.map(({ id }) => id)))];
}

/**
 * The settings to freeze: every arm that delivers a skill against the arm without, or against the first arm where there
 * is none. Repeated arms (`X@label`) measure noise and are no hypothesis. Throws `UserError`, with every problem, for
 * a comparison or a placebo that names an arm which is not in the campaign, for a placebo that is compared as well, and
 * for looks that do not fit. `trials` are those per arm and cell. Null where the arms give no hypothesis (A/A, a probe).
 */
export function analysisFor(
  rules: AnalysisRules,
  arms: readonly string[],
  trials: number,
): AnalysisSettings | null {
  const { comparisons: named, looks, ...rest } = rules;
  const placebo = placeboAmong(arms, rules.placebo);
  const problems = [
    ...unknownArms("comparisons", named?.flatMap(({ arm, against }) => [arm, against]) ?? [], arms),
    ...unknownArms("placebo", placebo === null || placebo === usualPlacebo ? [] : [placebo], arms),
    ...comparedTwice(named ?? [], placebo),
    ...unfittingLooks(rules, trials),
  ];
  if (problems.length > 0) throw new UserError(problems.join("\n"));
  const against = arms.includes(control) ? control : arms[0];
  const derived = arms
    .filter((arm) => arm !== against && arm !== placebo && !arm.includes("@"))
    .flatMap((arm) => (against === undefined ? [] : [{ arm, against }]));
  const comparisons = named === undefined ? derived : [...named];
  const planned = looks === null ? null : { ...looks, trials };
  if (comparisons.length === 0 && planned !== null)
    throw new UserError("analysis.looks: these arms give no hypothesis to look at. Leave it out.");
  return comparisons.length === 0
    ? null
    : { ...rest, placebo, comparisons, looks: planned, marginAlpha: null };
}

/** What `analysis.placebo` is where nobody says it. */
const usualPlacebo = "placebo";

/** The arm that *helps* has to beat as well: where nobody says which, the only placebo, whatever it is called. */
function placeboAmong(arms: readonly string[], named: string | null): string | null {
  if (named !== usualPlacebo || arms.includes(named)) return named;
  const placebos = arms.filter((arm) => /^placebo[-@]/.test(arm));
  const first = placebos.filter((arm) => !arm.includes("@"));
  const [only, ...more] = first.length > 0 ? first : placebos;
  if (more.length > 0)
    throw new UserError(
      `analysis.placebo: say which of them *helps* has to beat: ${[only, ...more].join(", ")}.`,
    );
  return only ?? named;
}

function unknownArms(key: string, wanted: readonly string[], arms: readonly string[]): readonly string[] {
  const missing = [...new Set(wanted)].filter((arm) => !arms.includes(arm));
  if (missing.length === 0) return [];
  return [`analysis.${key}: ${missing.join(", ")}: no such arm. evaluation.arms has: ${arms.join(", ")}.`];
}

/** As a hypothesis of its own the comparison with the placebo would no longer be one that *helps* needs. */
function comparedTwice(comparisons: readonly Comparison[], placebo: string | null): readonly string[] {
  return comparisons.flatMap(({ arm, against }) => {
    const other = comparisons.find((one) => one.arm === arm && one.against !== against);
    if (against !== placebo || other === undefined) return [];
    return [
      `analysis.comparisons: ${arm} against ${against} stands beside ${arm} against ${other.against}, which needs it ` +
        "anyway: *helps* has to beat both. Leave it out, or set analysis.placebo: null.",
    ];
  });
}

/** The table of boundaries is for equally spaced looks at a two-sided 5 %. */
function unfittingLooks({ looks, alpha, sides }: AnalysisRules, trials: number): readonly string[] {
  if (looks === null) return [];
  return [
    ...(alpha === 0.05 ? [] : [`analysis.alpha: looks have boundaries for 0.05 alone, not for ${alpha}.`]),
    ...(sides === 2 ? [] : ["analysis.sides: looks have boundaries for two-sided tests alone."]),
    ...(looks.settle !== null || trials % looks.count === 0
      ? []
      : [
          `analysis.looks.count: ${looks.count} looks cannot be equally spaced over evaluation.trials: ${trials}. ` +
            "Make one a multiple of the other, or give `settle`.",
        ]),
  ];
}

/**
 * What a campaign's cells let one say, by the settings of its plan. `headings` names the sections of a skill that a
 * benchmark was made from; none where nobody knows.
 */
export function concludeCampaign(
  cells: readonly Cell[],
  usage: readonly ArmUsage[],
  settings: AnalysisSettings,
  headings: (skill: string, benchmark: string) => readonly string[] = () => [],
): Conclusions {
  const analysis = analyse(cells.map(armCellOf), settings);
  const rows = concludeAll(analysis);
  const [first] = settings.comparisons;
  const skills = [
    ...new Set(rows.flatMap(({ level, skill }) => (level === "skill" && skill !== null ? skill : []))),
  ];
  const decisions = skills.map((skill) => {
    const own = rows.filter((row) => row.skill === skill && isOf(row.comparison, first));
    const row = analysis.rows.find(
      ({ level, skill: of, role, comparison }) =>
        level === "skill" && of === skill && role === "primary" && isOf(comparison, first),
    );
    const ground = {
      skill,
      concluded: own,
      uplift: row?.evidence?.uplift ?? null,
      tasks: analysis.tasks
        .filter((task) => task.skill === skill && isOf(task.comparison, first))
        .map(({ benchmark, uplift }) => ({ benchmark, uplift, sections: headings(skill, benchmark) })),
      ...pricesOf(skill, { cells, usage, comparison: first }),
    };
    return { skill, decision: decide(ground, settings) };
  });
  return { settings, analysis, rows: [...rows], decisions };
}

function armCellOf({ skill, benchmark, model, arms }: Cell): ArmCell {
  const planned = Object.entries(arms).flatMap(([arm, tally]) =>
    tally === undefined ? [] : [[arm, tally] as const],
  );
  return { skill, benchmark, model, arms: Object.fromEntries(planned) };
}

function isOf(comparison: Comparison, wanted: Comparison | undefined): boolean {
  return comparison.arm === wanted?.arm && comparison.against === wanted.against;
}

type Bought = {
  readonly cells: readonly Cell[];
  readonly usage: readonly ArmUsage[];
  readonly comparison: Comparison | undefined;
};

/** Tokens, and dollars per correct, of the arm ÷ of the control; null where a trial did not say. */
function pricesOf(
  skill: string,
  { cells, usage, comparison }: Bought,
): { readonly tokenRatio: number | null; readonly costPerCorrectRatio: number | null } {
  const sumOf = (
    arm: string | undefined,
    figure: (row: ArmUsage) => ArmUsage["inputTokens"],
  ): number | null => {
    const rows = usage.filter((row) => row.skill === skill && row.arm === arm).map(figure);
    const known = rows.length > 0 && rows.every(({ mean, known: told, of }) => mean !== null && told === of);
    return known ? rows.reduce((sum, { mean, of }) => sum + (mean ?? 0) * of, 0) : null;
  };
  const tokens = (arm: string | undefined): number | null => {
    const [input, output] = [sumOf(arm, (row) => row.inputTokens), sumOf(arm, (row) => row.outputTokens)];
    return input === null || output === null ? null : input + output;
  };
  const perCorrect = (arm: string | undefined): number | null => {
    const cost = sumOf(arm, (row) => row.costUsd);
    const passes = cells
      .filter((cell) => cell.skill === skill)
      .reduce((sum, cell) => sum + (tallyOf(cell, arm)?.passed ?? 0), 0);
    return cost === null || passes === 0 ? null : cost / passes;
  };
  return {
    tokenRatio: ratio(tokens(comparison?.arm), tokens(comparison?.against)),
    costPerCorrectRatio: ratio(perCorrect(comparison?.arm), perCorrect(comparison?.against)),
  };
}

function tallyOf(cell: Cell, arm: string | undefined): Tally | undefined {
  return Object.entries(cell.arms).find(([name]) => name === arm)?.[1];
}

function ratio(treated: number | null, base: number | null): number | null {
  return treated === null || base === null || base === 0 ? null : treated / base;
}
