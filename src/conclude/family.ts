import type { AnalysisRow, AnalysisSettings, Evidence } from "../artefacts/analysis.ts";
import { benjaminiHochberg, holm } from "../statistics/multiple-testing.ts";
import { confirmatory } from "./scopes.ts";

type Question = "set" | "tasks";

/** Whether a row is a hypothesis about tasks like these, by what was planned and not by what survived. */
export function generalises(row: Pick<AnalysisRow, "tasksPlanned">, { minTasks }: AnalysisSettings): boolean {
  return row.tasksPlanned >= minTasks;
}

/**
 * Adjusts p of every hypothesis over its family: rows of one level, all comparisons of the plan, each question by
 * itself. A hypothesis without a usable cell stays in its family with p = 1. The joint p makes *helps* one hypothesis
 * ("beats every control"), whose p is the largest of theirs, so that the family stays as large as it was planned.
 */
export function adjusted(rows: readonly AnalysisRow[], settings: AnalysisSettings): readonly AnalysisRow[] {
  return confirmatory.reduce((all, level) => {
    const isMember = (row: AnalysisRow): boolean => row.role === "primary" && row.level === level;
    const forSet = adjust(all, isMember, { question: "set", settings });
    return adjust(forSet, (row) => isMember(row) && generalises(row, settings), {
      question: "tasks",
      settings,
    });
  }, rows);
}

function adjust(
  rows: readonly AnalysisRow[],
  isMember: (row: AnalysisRow) => boolean,
  { question, settings }: { readonly question: Question; readonly settings: AnalysisSettings },
): readonly AnalysisRow[] {
  const members = rows.filter(isMember);
  const over = settings.family === "holm" ? holm : benjaminiHochberg;
  const family = {
    p: members.map((row) => row.evidence?.[question].p ?? 1),
    pJoint: members.map((row) => row.evidence?.[question].pJoint ?? 1),
  };
  /** With the member's own p in place of what the family has there, e.g. that of an imputed table. */
  const placed = (evidence: Evidence, at: number): Evidence => {
    const of = (which: "p" | "pJoint"): number => {
      const own = evidence[question][which];
      const all = family[which];
      return over(all.with(at, own))[at] ?? 1;
    };
    return { ...evidence, [question]: { ...evidence[question], pAdjusted: of("p"), pHelps: of("pJoint") } };
  };
  return rows.map((row) => {
    const at = members.indexOf(row);
    if (at === -1) return row;
    const { evidence, imputed } = row;
    return {
      ...row,
      evidence: evidence === null ? null : placed(evidence, at),
      imputed:
        imputed === null
          ? null
          : { against: placed(imputed.against, at), inFavour: placed(imputed.inFavour, at) },
    };
  });
}
