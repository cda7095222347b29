import type { AnalysisRow, AnalysisSettings, Comparison } from "../artefacts/analysis.ts";
import type { ConcludedRow } from "../artefacts/conclusion.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import { type Report, reportSchema } from "../artefacts/report.ts";
import type { Difference } from "../artefacts/verification.ts";
import { dealtOut, type PairCount, signsFlipped, type TwoPs } from "./exact-p.ts";
import { type CampaignFound, valueOf } from "./found.ts";
import type { Look } from "./look.ts";

/** Where there are more cells than this the exact distribution takes too long to be counted twice. */
const mostCells = 2000;

/**
 * Every hypothesis about a skill, or a skill with one model: its effect and its exact p counted again from the trials by
 * other code, its adjusted p from those of its family, and that what is concluded follows from them.
 */
export function checkConclusions(found: CampaignFound): Look {
  const report = readReport(found);
  if (report === null) return { differences: [], words: "nothing: there is no report", partial: true };
  const { conclusions } = report;
  if (conclusions === null) return withoutConclusions(found, report);
  const place = "report/report.json: conclusions";
  const rows = conclusions.analysis.rows.filter(
    ({ level, role }) => role === "primary" && (level === "skill" || level === "skill-model"),
  );
  const compared = rows.filter(({ cells }) => cells <= mostCells);
  const differences = [
    ...settingsKept(found, conclusions.settings),
    ...compared.flatMap((row) =>
      countedAgain(row, pairsIn(found, report, row)).map(at(`${place} of ${nameOf(row)}`)),
    ),
    ...rows.flatMap((row) =>
      adjustedAgain(row, rows, conclusions.settings).map(at(`${place} of ${nameOf(row)}`)),
    ),
    ...rows.flatMap((row) =>
      follows(row, conclusions.rows, conclusions.settings).map(at(`${place} of ${nameOf(row)}`)),
    ),
  ];
  return {
    differences,
    partial: compared.length < rows.length,
    words: `${compared.length} of ${rows.length} hypotheses counted again from the trials, all of them against what is concluded`,
  };
}

const questions = ["set", "tasks"] as const;
const named = { set: "this set", tasks: "tasks like these" } as const;

type Unlike = Omit<Difference, "place"> & { readonly what: string };

function at(place: string): (unlike: Unlike) => Difference {
  return ({ what, expected, came }) => ({ place: `${place}: ${what}`, expected, came });
}

function readReport({ report }: CampaignFound): Report | null {
  const text = report["report.json"] ?? null;
  if (text === null) return null;
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null; // told by report-numbers
  }
}

function withoutConclusions({ plan, released }: CampaignFound, { looks }: Report): Look {
  const isBetweenLooks = looks !== null && !looks.ended;
  if (plan.analysis === null || isBetweenLooks)
    return { differences: [], words: "nothing is concluded, as the plan has it" };
  const expected = `a conclusion about ${released.size} trials, as the plan has hypotheses`;
  return {
    differences: [{ place: "report/report.json: conclusions", expected, came: "none" }],
    words: expected,
  };
}

/** A look has its own level; nothing else may differ from what was frozen. */
function settingsKept({ plan }: CampaignFound, settings: AnalysisSettings): readonly Difference[] {
  const plain = (one: AnalysisSettings | null): string =>
    JSON.stringify(one?.looks == null ? one : { ...one, alpha: null, marginAlpha: null });
  if (plain(plan.analysis) === plain(settings)) return [];
  const expected = "the settings that the plan froze";
  return [{ place: "report/report.json: conclusions.settings", expected, came: "others" }];
}

type Graded = { readonly passed: number; readonly graded: number };
type CellPair = PairCount & { readonly benchmark: string; readonly model: string };

/** Cells of a row that have a verdict in both arms, counted from the trials. */
function pairsIn(found: CampaignFound, { leaks }: Report, row: AnalysisRow): readonly CellPair[] {
  const leftOut = new Set(
    leaks.benchmarks.flatMap((one) => (one.leftOut ? [`${one.skill}/${one.benchmark}`] : [])),
  );
  const cells = new Map<string, { benchmark: string; model: string; arms: Map<string, Graded> }>();
  for (const { planned, trial, verdict } of found.trials) {
    const { skill, benchmark, model, arm } = planned;
    const isOfRow = skill === row.skill && (row.model === null || row.model === model);
    if (!isOfRow || leftOut.has(`${skill}/${benchmark}`) || !found.released.has(planned.key)) continue;
    const said = valueOf(trial)?.outcome.kind === "ended" ? valueOf(verdict)?.verdict : undefined;
    if (said !== "passed" && said !== "failed") continue;
    const cell = cells.get(`${benchmark} ${model}`) ?? { benchmark, model, arms: new Map<string, Graded>() };
    cells.set(`${benchmark} ${model}`, cell);
    const count = cell.arms.get(arm) ?? { passed: 0, graded: 0 };
    cell.arms.set(arm, { passed: count.passed + (said === "passed" ? 1 : 0), graded: count.graded + 1 });
  }
  return [...cells.values()].flatMap(({ benchmark, model, arms }) => {
    const [treated, control] = [arms.get(row.comparison.arm), arms.get(row.comparison.against)];
    return treated === undefined || control === undefined ? [] : [{ benchmark, model, treated, control }];
  });
}

function countedAgain(row: AnalysisRow, pairs: readonly CellPair[]): readonly Unlike[] {
  if (row.evidence === null || pairs.length !== row.cells)
    return unlike("cells", pairs.length, row.evidence === null ? 0 : row.cells);
  const { uplift, set, tasks } = row.evidence;
  const byTask = new Map<string, number[]>();
  for (const { benchmark, treated, control } of pairs) {
    const difference = treated.passed / treated.graded - control.passed / control.graded;
    byTask.set(benchmark, [...(byTask.get(benchmark) ?? []), difference]);
  }
  const differences = [...byTask.values()].map(
    (one) => one.reduce((sum, value) => sum + value, 0) / one.length,
  );
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  const ofTasks = tasks.exact ? signsFlipped(differences) : null;
  return [
    ...unlike("uplift", mean, uplift),
    ...psUnlike("this set", dealtOut(pairs), set),
    ...(ofTasks === null ? [] : psUnlike("tasks like these", ofTasks, tasks)),
  ];
}

function psUnlike(
  question: string,
  { twoSided, greater }: TwoPs,
  came: { readonly pTwoSided: number; readonly pGreater: number },
): readonly Unlike[] {
  return [
    ...unlike(`${question}, two-sided p`, twoSided, came.pTwoSided),
    ...unlike(`${question}, one-sided p`, greater, came.pGreater),
  ];
}

/** Each question is a family of its own: the hypotheses of one level that ask it. */
function adjustedAgain(
  row: AnalysisRow,
  rows: readonly AnalysisRow[],
  { family: correction, minTasks, midP, sides }: AnalysisSettings,
): readonly Unlike[] {
  return questions.flatMap((question): readonly Unlike[] => {
    const isAsked = (one: AnalysisRow): boolean =>
      one.level === row.level && (question === "set" || one.tasksPlanned >= minTasks);
    const its = row.evidence?.[question];
    if (its === undefined || !isAsked(row)) return [];
    const chosen = sides === 2 ? its.pTwoSided : its.pGreater;
    const decides = midP ? [] : unlike(`${named[question]}, the p that decides`, chosen, its.p);
    if (correction !== "holm") return decides;
    const family = rows.filter(isAsked).map((one) => one.evidence?.[question].p ?? 1);
    // Holm: the largest, over all p up to this one, of p × the number that are not smaller.
    const steps = family.filter((p) => p <= its.p).map((p) => p * family.filter((one) => one >= p).length);
    const adjusted = Math.min(1, Math.max(...steps));
    return [...decides, ...unlike(`${named[question]}, adjusted p`, adjusted, its.pAdjusted ?? NaN)];
  });
}

/** What is concluded follows from its figures; only a doubt, about missing trials or the noise, may withhold it. */
function follows(
  row: AnalysisRow,
  concluded: readonly ConcludedRow[],
  settings: AnalysisSettings,
): readonly Unlike[] {
  const its = concluded.find(
    (one) =>
      one.level === row.level &&
      one.skill === row.skill &&
      one.model === row.model &&
      isSame(one.comparison, row.comparison),
  );
  if (its === undefined) return [{ what: "this set", expected: "a conclusion", came: "none" }];
  const isDoubted = row.imputed !== null || row.noiseFloor !== null;
  return questions.flatMap((question): readonly Unlike[] => {
    const kind = its[question]?.kind;
    if (kind === undefined) return [];
    const given = kindGiven(row, question, settings);
    if (kind === given || (kind === "cannot_tell" && isDoubted)) return [];
    return [{ what: named[question], expected: `${given}, by its p, effect and margin`, came: kind }];
  });
}

/** Without regard to doubts. */
function kindGiven(
  { evidence }: AnalysisRow,
  question: (typeof questions)[number],
  { alpha, sides }: AnalysisSettings,
): ConclusionKind {
  if (evidence === null) return "cannot_tell";
  const { pAdjusted, toward, equivalent } = evidence[question];
  const isSignificant = (pAdjusted ?? 1) <= alpha + 1e-12;
  if (isSignificant && sides === 2 && toward < 0 && evidence.uplift < 0) return "hurts";
  if (isSignificant && toward > 0 && evidence.uplift > 0) return "helps";
  return equivalent ? "no_meaningful_difference" : "cannot_tell";
}

function isSame(a: Comparison, b: Comparison): boolean {
  return a.arm === b.arm && a.against === b.against;
}

function unlike(what: string, expected: number, came: number): readonly Unlike[] {
  if (Math.abs(expected - came) <= 1e-9 * Math.max(1, Math.abs(expected))) return [];
  return [{ what, expected: String(expected), came: String(came) }];
}

function nameOf({ skill, model, comparison }: AnalysisRow): string {
  return `${skill ?? "all skills"}${model === null ? "" : ` with ${model}`}, ${comparison.arm} against ${comparison.against}`;
}
