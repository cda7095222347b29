import type { Canary } from "../artefacts/canary.ts";
import type { Conclusions } from "../artefacts/conclusion.ts";
import type { JudgeTrials } from "../artefacts/judges.ts";
import type { Money } from "../artefacts/money.ts";
import type { LeakyHandling, Plan } from "../artefacts/plan.ts";
import { type ArmUsage, type Cell, type Report, reportFormat } from "../artefacts/report.ts";
import { activationOf } from "./activation.ts";
import { circumstancesOf } from "./circumstances.ts";
import { headline } from "./headline.ts";
import { groupBy } from "./group-by.ts";
import { judgesOf } from "./judges.ts";
import { countedCells, leftOutWords } from "./leaks.ts";
import { outcomeOf, type TrialOnDisk } from "./outcome.ts";
import { cellsOf, pool } from "./uplift.ts";
import { usageOf } from "./usage.ts";
import { warningsOf } from "./warnings.ts";

export type ReportInputs = {
  readonly plan: Plan;
  /** One entry per planned trial, in the plan's order. */
  readonly entries: readonly TrialOnDisk[];
  readonly canaries: readonly Canary[];
  readonly evidenceHead: string | null;
  /** How the judges did on sentinels, per benchmark that has them. */
  readonly judgeTrials: readonly JudgeTrials[];
  /** What its ledger adds up to. */
  readonly money: Money;
  /** Whether benchmarks that give an answer or the skill's how away are counted. */
  readonly leaky: LeakyHandling;
};

/** What the plan's hypotheses come to, from the cells that count; null where it has none. */
export type Conclude = (cells: readonly Cell[], usage: readonly ArmUsage[]) => Conclusions | null;

/** Every number of a report, from what is on disk and from nothing else. */
export function makeReport(inputs: ReportInputs, conclude: Conclude = () => null): Report {
  const { plan, entries, canaries, evidenceHead, judgeTrials, money, leaky } = inputs;
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
    headline: `${headline(means.pooled, trials)}${leftOutWords(counted.leaks)}`,
    inputsHash: plan.inputsHash,
    evidenceHead,
    standIn: plan.standIn,
    standInJudges: entries.some(({ verdict }) => verdict?.standInJudges === true),
    replayed: plan.inputs.replay !== null,
    probe: plan.inputs.probe,
    excluded: plan.inputs.excluded,
    trials,
    conclusions: conclude(counted.cells, usage),
    cells,
    ...means,
    leaks: counted.leaks,
    usage,
    activation: [...activationOf(entries)],
    ...circumstancesOf(entries),
    warnings: warningsOf(entries),
    isolation: canaries.map(({ skill, arm, endpoint, image, passed, searched, probes }) => ({
      skill,
      arm,
      endpoint,
      image,
      passed,
      searched,
      probes,
    })),
    endpoints: plan.endpoints,
    judges: judgesOf(
      entries.flatMap(({ verdict }) => verdict ?? []),
      judgeTrials,
    ),
    money,
    benchmarks: plan.benchmarks,
  };
}

/** A skill or model whose cells are all left out keeps its line, without an uplift. */
function meansOf(
  cells: readonly Cell[],
  counted: readonly Cell[],
): Pick<Report, "perSkillAndModel" | "perSkill" | "perModel" | "pooled"> {
  const pooled = (group: readonly Cell[]) => pool(group.filter((cell) => counted.includes(cell)));
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
