import type { AnalysisRow, AnalysisSettings, Comparison } from "../artefacts/analysis.ts";
import type { ConcludedRow } from "../artefacts/conclusion.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import type { Report } from "../artefacts/report.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type CellCount, CellCounts } from "./cell-counts.ts";
import { compareAnalysis } from "./check-figures.ts";
import { countedOf } from "./counted.ts";
import type { CampaignFound } from "./found.ts";
import type { Look } from "./look.ts";
import type { Check } from "./observer.ts";

/**
 * Every row of the analysis counted again from the trials by other code, effects, p, intervals and what a family makes
 * of them; and that what is concluded about a skill, or a skill with one model, follows from its row.
 */
export const checkConclusions: Check = (found) => {
  const cells = new CellCounts();
  return {
    see: (one) => {
      if (found.released.has(one.planned.key)) cells.see(countedOf(one));
    },
    look: () => compareConclusions(found, cells.all()),
  };
};

function compareConclusions(found: CampaignFound, cells: readonly CellCount[]): Look {
  const report = found.report.report.kind === "there" ? found.report.report.value : null; // else told by report-numbers
  if (report === null) return { differences: [], words: "nothing: there is no report", partial: true };
  const { conclusions } = report;
  if (conclusions === null) return withoutConclusions(found, report);
  const place = "report/report.json: conclusions";
  const rows = conclusions.analysis.rows.filter(
    ({ level, role }) => role === "primary" && (level === "skill" || level === "skill-model"),
  );
  const analysis = compareAnalysis(found, cells, report);
  const differences = [
    ...settingsKept(found, conclusions.settings),
    ...analysis.differences,
    ...rows.flatMap((row) =>
      follows(row, conclusions.rows, conclusions.settings).map(at(`${place} of ${nameOf(row)}`)),
    ),
  ];
  const words =
    `${analysis.leaves} figures of ${conclusions.analysis.rows.length} comparisons counted again from the trials, ` +
    `and what is concluded from ${rows.length} of them`;
  return { differences, words };
}

const questions = ["set", "tasks"] as const;
const named = { set: "this set", tasks: "tasks like these" } as const;

type Unlike = Omit<Difference, "place"> & { readonly what: string };

function at(place: string): (unlike: Unlike) => Difference {
  return ({ what, expected, came }) => ({ place: `${place}: ${what}`, expected, came });
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

function nameOf({ skill, model, comparison }: AnalysisRow): string {
  return `${skill ?? "all skills"}${model === null ? "" : ` with ${model}`}, ${comparison.arm} against ${comparison.against}`;
}
