import type { Canary } from "../artefacts/canary.ts";
import type { Plan } from "../artefacts/plan.ts";
import { type Report, reportFormat } from "../artefacts/report.ts";
import type { Arm } from "../artefacts/trial.ts";
import { headline } from "./headline.ts";
import { groupBy } from "./group-by.ts";
import { outcomeOf, type TrialOnDisk, trialName } from "./outcome.ts";
import { cellsOf, pool } from "./uplift.ts";
import { usageOf } from "./usage.ts";

export type ReportInputs = {
  readonly plan: Plan;
  /** One entry per planned trial, in the plan's order. */
  readonly entries: readonly TrialOnDisk[];
  readonly canaries: readonly Canary[];
  readonly evidenceHead: string | null;
};

/** Every number of a report, from what is on disk and from nothing else. */
export function makeReport({ plan, entries, canaries, evidenceHead }: ReportInputs): Report {
  const cells = cellsOf(entries);
  const pooled = pool(cells);
  const trials = {
    planned: entries.length,
    finished: entries.filter(({ trial }) => trial !== null).length,
    graded: entries.filter((entry) => outcomeOf(entry).kind === "graded").length,
  };
  return {
    format: reportFormat,
    campaign: plan.campaign,
    headline: headline(pooled, trials),
    inputsHash: plan.inputsHash,
    evidenceHead,
    standIn: plan.standIn,
    standInJudges: entries.some(({ verdict }) => verdict?.standInJudges === true),
    trials,
    cells,
    perSkillAndModel: groupBy(cells, ({ skill, model }) => JSON.stringify([skill, model])).map((group) => ({
      skill: group[0].skill,
      model: group[0].model,
      ...pool(group),
    })),
    perSkill: groupBy(cells, ({ skill }) => skill).map((group) => ({
      skill: group[0].skill,
      ...pool(group),
    })),
    perModel: groupBy(cells, ({ model }) => model).map((group) => ({
      model: group[0].model,
      ...pool(group),
    })),
    pooled,
    usage: usageOf(entries),
    ...circumstances(entries),
    isolation: canaries.map(({ skill, arm, image, passed, searched, probes }) => ({
      skill,
      arm,
      image,
      passed,
      searched,
      probes,
    })),
    benchmarks: plan.benchmarks,
  };
}

/** How trials ended, what was lost and what could not be graded, per arm: a reader must see if arms differ. */
function circumstances(
  entries: readonly TrialOnDisk[],
): Pick<Report, "stops" | "ungraded" | "graderErrors" | "voids"> {
  const stopped = entries.flatMap(({ planned, trial }) =>
    trial?.outcome.kind === "ended" ? [{ arm: planned.arm, stop: trial.outcome.stop }] : [],
  );
  const ungraded = entries.flatMap((entry) => {
    const outcome = outcomeOf(entry);
    if (outcome.kind === "graded") return [];
    return [{ trial: trialName(entry.planned), arm: entry.planned.arm, reason: outcome.reason }];
  });
  const perArm = groupBy(entries, ({ planned }) => planned.arm);
  return {
    stops: groupBy(stopped, ({ arm, stop }) => `${arm} ${stop}`).map((group) => ({
      ...group[0],
      trials: group.length,
    })),
    ungraded,
    graderErrors: countPerArm(perArm, ({ verdict }) =>
      verdict?.reason?.startsWith("grader_error") === true ? 1 : 0,
    ).map(({ arm, count }) => ({ arm, trials: count })),
    voids: countPerArm(perArm, ({ voids }) => voids).map(({ arm, count }) => ({ arm, attempts: count })),
  };
}

function countPerArm(
  perArm: readonly (readonly [TrialOnDisk, ...TrialOnDisk[]])[],
  countOf: (entry: TrialOnDisk) => number,
): { arm: Arm; count: number }[] {
  return perArm.map((group) => ({
    arm: group[0].planned.arm,
    count: group.reduce((sum, entry) => sum + countOf(entry), 0),
  }));
}
