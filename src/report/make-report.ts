import type { Canary } from "../artefacts/canary.ts";
import type { Conclusions } from "../artefacts/conclusion.ts";
import type { JudgeTrials } from "../artefacts/judges.ts";
import type { ReportedLooks } from "../artefacts/looks.ts";
import type { LeakyHandling, Plan } from "../artefacts/plan.ts";
import { type ArmUsage, type Cell, type Report, reportFormat } from "../artefacts/report.ts";
import { activationOf } from "./activation.ts";
import { circumstancesOf } from "./circumstances.ts";
import { insteadOfUplift } from "./equal-arms.ts";
import { furtherOf } from "./further/further.ts";
import { headline } from "./headline.ts";
import { groupBy } from "./group-by.ts";
import { honestyOf } from "./honesty/honesty-rows.ts";
import { judgesOf } from "./judges.ts";
import { countedCells, leftOutWords } from "./leaks.ts";
import { outcomeOf, type TrialOnDisk } from "./outcome.ts";
import { mapSections, type SectionsFound } from "./section-map/map-sections.ts";
import { cellsOf, pool } from "./uplift.ts";
import { usageOf } from "./usage.ts";
import { warningsOf } from "./warnings.ts";

export type ReportInputs = {
  readonly plan: Plan;
  /** One entry per planned trial, in the plan's order. */
  readonly entries: readonly TrialOnDisk[];
  readonly canaries: readonly Canary[];
  /** How the judges did on sentinels, per benchmark that has them. */
  readonly judgeTrials: readonly JudgeTrials[];
  /** Whether benchmarks that give an answer or the skill's how away are counted. */
  readonly leaky: LeakyHandling;
  /** The sections that were kept of each skill, in the order of the plan. */
  readonly sections: readonly SectionsFound[];
  /** What looks did to the campaign; null or absent where none were planned. */
  readonly looks?: ReportedLooks | null;
};

/** What the plan's hypotheses come to, from the cells that count; null where it has none, or concludes nothing yet. */
export type Conclude = (cells: readonly Cell[], usage: readonly ArmUsage[]) => Conclusions | null;

/** Every number of a report, from what is on disk and from nothing else. */
export function makeReport(inputs: ReportInputs, conclude: Conclude = () => null): Report {
  const { plan, entries, canaries, judgeTrials, leaky, sections, looks = null } = inputs;
  const cells = cellsOf(entries);
  const counted = countedCells(cells, plan.benchmarks, leaky);
  const means = meansOf(cells, counted.cells);
  const usage = usageOf(entries);
  const trials = {
    planned: entries.length,
    finished: entries.filter(({ trial }) => trial !== null).length,
    graded: entries.filter((entry) => outcomeOf(entry).kind === "graded").length,
  };
  return {
    format: reportFormat,
    campaign: plan.campaign,
    headline: `${headline(means.pooled, trials, insteadOfUplift(counted.cells))}${leftOutWords(counted.leaks)}`,
    inputsHash: plan.inputsHash,
    standIn: plan.standIn,
    standInJudges: entries.some(({ verdict }) => verdict?.standInJudges === true),
    probe: plan.inputs.probe,
    excluded: plan.inputs.excluded,
    settings: settingsOf(plan.inputs),
    trials,
    looks,
    // Whoever leaves out by another rule than the plan's has seen what it changes.
    conclusions: leaky === plan.leaky ? conclude(counted.cells, usage) : null,
    cells,
    ...means,
    leaks: counted.leaks,
    sections: mapSections(sections, counted.cells, plan),
    usage,
    activation: [...activationOf(entries)],
    further: furtherOf(plan, entries, counted.cells),
    ...circumstancesOf(entries),
    warnings: [...leakyWarning(leaky, plan), ...warningsOf(entries)],
    isolation: isolationOf(canaries),
    endpoints: plan.endpoints,
    judges: judgesOf(
      entries.flatMap(({ verdict }) => verdict ?? []),
      judgeTrials,
    ),
    honesty: honestyOf(entries),
    benchmarks: plan.benchmarks,
  };
}

function leakyWarning(leaky: Plan["leaky"], plan: Pick<Plan, "leaky">): readonly string[] {
  if (leaky === plan.leaky) return [];
  const here = leaky === "exclude" ? "left out of" : "counted in";
  return [
    `leaky benchmarks are ${here} this report, and the plan froze it otherwise: every figure is exploratory, and nothing is concluded`,
  ];
}

function settingsOf({ seed, trials, delivery, limits, models, judges }: Plan["inputs"]): Report["settings"] {
  return { seed, trials, delivery, limits, models, judges };
}

function isolationOf(canaries: readonly Canary[]): Report["isolation"] {
  return groupBy(canaries, ({ skill, arm }) => JSON.stringify([skill, arm])).map((group) => {
    const { skill, arm, probes } = group.findLast(({ passed }) => !passed) ?? group.at(-1) ?? group[0];
    const passed = group.every((canary) => canary.passed);
    return { skill, arm, passed, probes: probes.map((one) => ({ probe: one.probe, passed: one.passed })) };
  });
}

/** A skill or model whose cells are all left out keeps its line, without an uplift. */
function meansOf(
  cells: readonly Cell[],
  counted: readonly Cell[],
): Pick<Report, "perSkillAndModel" | "perSkill" | "perModel" | "pooled"> {
  const isCounted = new Set(counted);
  const pooled = (group: readonly Cell[]) => pool(group.filter((cell) => isCounted.has(cell)));
  return {
    perSkillAndModel: groupBy(cells, ({ skill, model }) => JSON.stringify([skill, model])).map((group) => ({
      skill: group[0].skill,
      model: group[0].model,
      ...pooled(group),
    })),
    perSkill: groupBy(cells, ({ skill }) => skill).map((group) => ({
      skill: group[0].skill,
      ...pooled(group),
    })),
    perModel: groupBy(cells, ({ model }) => model).map((group) => ({
      model: group[0].model,
      ...pooled(group),
    })),
    pooled: pooled(cells),
  };
}
