import type { AnalysisRow, AnalysisSettings } from "../artefacts/analysis.ts";
import { DrawnMeans } from "./recount-intervals-draws.ts";
import { type Evidence, type Tested } from "./recount-intervals-evidence.ts";
import { Family } from "./recount-intervals-family.ts";
import {
  type ArmCell,
  type Compared,
  comparedIn,
  isGraded,
  pairsOf,
  type RowAgain,
  rowsAgain,
} from "./recount-intervals-rows.ts";
import { pulledTogether } from "./recount-intervals-shrunk.ts";
import { type ArmPair, average, grouped, upliftIn, votesOf } from "./recount-intervals-units.ts";

const questions = ["set", "tasks"] as const;
type Question = (typeof questions)[number];

/** Every row of the analysis that the settings ask for of these cells, as a report has it. */
export function analysisAgain(cells: readonly ArmCell[], settings: AnalysisSettings): readonly unknown[] {
  const means = new DrawnMeans({ ...settings.bootstrap, confidence: 1 - settings.alpha });
  const rows = comparedIn(cells, settings).flatMap((compared) =>
    rowsAgain(cells, compared, { settings, means }),
  );
  const joined = rows.map((row) => seenWith(row, rows, settings));
  return adjustedRows(joined, settings).map(({ counts, ...row }) => ({ ...row, ...counts }));
}

/** A hypothesis with the comparison to the placebo and with what equal arms differ by, of the same skill and model. */
function seenWith(row: RowAgain, rows: readonly RowAgain[], { noiseFloor }: AnalysisSettings): RowAgain {
  if (row.role !== "primary") return row;
  const here = rows.filter(
    ({ level, skill, model }) => level === row.level && skill === row.skill && model === row.model,
  );
  const floors = here.flatMap(({ role, evidence }) =>
    role === "again" && evidence !== null ? Math.abs(evidence.uplift) : [],
  );
  if (noiseFloor !== null) floors.push(noiseFloor);
  const floor = floors.length === 0 ? null : Math.max(...floors);
  const beside = here.find(
    ({ role, comparison }) => role === "placebo" && comparison.arm === row.comparison.arm,
  );
  if (beside === undefined) return { ...row, noiseFloor: floor };
  const isMissing = row.imputed !== null || beside.imputed !== null;
  const ways = {
    against: joint(
      row.imputed === null ? row.evidence : row.imputed.against,
      beside.imputed === null ? beside.evidence : beside.imputed.against,
    ),
    inFavour: joint(
      row.imputed === null ? row.evidence : row.imputed.inFavour,
      beside.imputed === null ? beside.evidence : beside.imputed.inFavour,
    ),
  };
  return {
    ...row,
    ...{ placeboRan: true, noiseFloor: floor, evidence: joint(row.evidence, beside.evidence) },
    imputed: isMissing && (row.imputed !== null || row.evidence !== null) ? ways : null,
  };
}

/** Helping means to beat both: the larger p, and none at all unless both point up. */
function joint(own: Evidence | null, other: Evidence | null): Evidence | null {
  if (own === null) return null;
  const of = (question: Question): number => {
    const [a, b] = [own[question], other?.[question]];
    return b === undefined || a.toward <= 0 || b.toward <= 0 ? 1 : Math.max(a.p, b.p);
  };
  return {
    ...own,
    set: { ...own.set, pJoint: of("set") },
    tasks: { ...own.tasks, pJoint: of("tasks") },
  };
}

const tested: readonly AnalysisRow["level"][] = ["skill-model", "class", "skill"];

/** Each level and question is a family of its own; about tasks only what was planned with enough of them. */
function adjustedRows(rows: readonly RowAgain[], settings: AnalysisSettings): readonly RowAgain[] {
  let all = rows;
  for (const level of tested) {
    for (const question of questions) {
      const isMember = (row: RowAgain): boolean =>
        row.role === "primary" &&
        row.level === level &&
        (question === "set" || row.tasksPlanned >= settings.minTasks);
      all = adjustedFor(question, all, isMember, settings);
    }
  }
  return all;
}

function adjustedFor(
  question: Question,
  rows: readonly RowAgain[],
  isMember: (row: RowAgain) => boolean,
  { family: correction }: AnalysisSettings,
): readonly RowAgain[] {
  const members = rows.filter(isMember);
  const pOf = ({ evidence }: RowAgain, which: "p" | "pJoint"): number => evidence?.[question][which] ?? 1;
  const families = {
    p: new Family(
      members.map((row) => pOf(row, "p")),
      correction,
    ),
    pJoint: new Family(
      members.map((row) => pOf(row, "pJoint")),
      correction,
    ),
  };
  return rows.map((row) => {
    if (!isMember(row)) return row;
    const placed = (evidence: Evidence | null): Evidence | null => {
      if (evidence === null) return null;
      const its: Tested = evidence[question];
      const pAdjusted = families.p.adjusted(its.p, pOf(row, "p"));
      const pHelps = families.pJoint.adjusted(its.pJoint, pOf(row, "pJoint"));
      return { ...evidence, [question]: { ...evidence[question], pAdjusted, pHelps } };
    };
    const { imputed } = row;
    return {
      ...row,
      evidence: placed(row.evidence),
      imputed:
        imputed === null ? null : { against: placed(imputed.against), inFavour: placed(imputed.inFavour) },
    };
  });
}

/** Uplift of every task, by hypothesis. */
export function taskUplifts(cells: readonly ArmCell[], settings: AnalysisSettings): readonly unknown[] {
  return hypotheses(cells, settings).flatMap(({ arm, against }) =>
    votesOf(pairsOf(cells, { arm, against }).filter(isGraded), "tasks").map(
      ({ skill, benchmark, value }) => ({
        ...{ comparison: { arm, against }, skill, benchmark, uplift: value },
      }),
    ),
  );
}

/** Cells that leave a comparison, since an arm has no verdict. */
export function leftOutCells(cells: readonly ArmCell[], settings: AnalysisSettings): readonly unknown[] {
  return comparedIn(cells, settings).flatMap(({ arm, against }) =>
    pairsOf(cells, { arm, against })
      .filter((pair) => !isGraded(pair))
      .map(({ skill, benchmark, model, treated, control }) => ({
        ...{ skill, benchmark, model, comparison: { arm, against } },
        without: [...(treated.graded > 0 ? [] : [arm]), ...(control.graded > 0 ? [] : [against])],
      })),
  );
}

/** Skills pulled towards their mean, by hypothesis; only where there are enough of them. */
export function shrunkSkills(cells: readonly ArmCell[], settings: AnalysisSettings): readonly unknown[] {
  return hypotheses(cells, settings).flatMap(({ arm, against }) => {
    const skills = grouped(pairsOf(cells, { arm, against }).filter(isGraded), ({ skill }) => skill).map(
      skillKnown,
    );
    const pulled = pulledTogether(skills);
    if (pulled === null) return [];
    return [
      {
        ...{ comparison: { arm, against }, mean: pulled.mean, tauSquared: pulled.tauSquared },
        skills: skills.map(({ skill, value }, at) => ({
          ...{ skill, uplift: value },
          ...{ shrunk: pulled.estimates[at]?.value, sd: pulled.estimates[at]?.sd },
        })),
      },
    ];
  });
}

function hypotheses(cells: readonly ArmCell[], settings: AnalysisSettings): readonly Compared[] {
  return comparedIn(cells, settings).filter(({ role }) => role === "primary");
}

/** A skill's uplift, tasks with one vote each, with Agresti and Caffo's variance: one pass and one failure more per arm. */
function skillKnown(pairs: readonly ArmPair[]): {
  readonly skill: string;
  readonly value: number;
  readonly variance: number;
} {
  const tasks = grouped(pairs, ({ benchmark }) => benchmark);
  let variance = 0;
  for (const task of tasks) {
    for (const { treated, control } of task) {
      for (const { passed, graded } of [treated, control]) {
        const [passes, failures, all] = [passed + 1, graded - passed + 1, graded + 2];
        variance += (passes * failures) / all ** 3 / (tasks.length * task.length) ** 2;
      }
    }
  }
  return {
    skill: pairs[0]?.skill ?? "",
    value: average(tasks.map((task) => average(task.map(upliftIn)))),
    variance,
  };
}
