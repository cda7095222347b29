import { analysisRulesSchema } from "../artefacts/analysis.ts";
import { type CampaignComparison, comparisonFormat, type ComparedSide } from "../artefacts/comparison.ts";
import { circumstancesBeside, conclusionsBeside, deliveredBeside, usageBeside } from "./beside.ts";
import { rateOf } from "./change.ts";
import type { Compared, Sides } from "./compared.ts";
import { type FittingCell, fittingCells } from "./fitting.ts";
import { comparedRows } from "./rows.ts";

/** Two arms of one campaign, or of two: what fits is compared, all else is named. Pure. No rows when nothing fits. */
export function compareReports(sides: Sides): CampaignComparison {
  const { a, b, control, oneCampaign: sharedControl } = sides;
  const { cells, leftOut } = fittingCells(sides);
  const settings = settingsOf(a);
  const rows = [...comparedRows(cells, { ...settings, seed: a.plan.inputs.seed, sharedControl })];
  const skills = deliveredBeside(sides, [...new Set(cells.map(({ skill }) => skill))]);
  const comparison: Omit<CampaignComparison, "warnings"> = {
    format: comparisonFormat,
    a: sideOf(a),
    b: sideOf(b),
    control,
    sharedControl,
    sameInputs: a.plan.inputsHash === b.plan.inputsHash && a.arm === b.arm,
    settings,
    rows,
    fell: fellIn(cells, settings.harmedFrom),
    conclusions: conclusionsBeside(sides, rows),
    usage: usageBeside(sides, { rows, leftOut: [...leftOut] }),
    skills,
    leftOut: [...leftOut],
  };
  return { ...comparison, warnings: [...warningsOf(comparison, sides)] };
}

function sideOf({ plan, report, arm }: Compared): ComparedSide {
  const { campaign, standIn, standInJudges, trials } = report;
  const { planned, finished, graded } = trials;
  return {
    ...{ campaign, name: plan.inputs.name, arm, inputsHash: plan.inputsHash, standIn, standInJudges },
    trials: { planned, finished, graded },
  };
}

/** The baseline's, since they were frozen before B was known. */
function settingsOf({ plan }: Compared): CampaignComparison["settings"] {
  const { alpha, delta, minTasks, decision } = plan.analysis ?? analysisRulesSchema.parse({});
  return { alpha, delta, minTasks, harmedFrom: decision.harmedFrom, frozen: plan.analysis !== null };
}

const rounding = 1e-9;

function fellIn(cells: readonly FittingCell[], harmedFrom: number): CampaignComparison["fell"] {
  return cells
    .filter(({ arm }) => rateOf(arm.a) - rateOf(arm.b) >= harmedFrom - rounding)
    .map(({ skill, benchmark, model, arm }) => ({ skill, benchmark, model, a: arm.a, b: arm.b }));
}

function* warningsOf(comparison: Omit<CampaignComparison, "warnings">, sides: Sides): Generator<string> {
  const { a, b, sameInputs, sharedControl, skills, control, rows } = comparison;
  if (sameInputs)
    yield "A/A: both have the same inputs, so whatever differs is noise or drift, and not the skill.";
  if (a.standIn || b.standIn)
    yield `${sidesWhere(a.standIn, b.standIn)} asked a stand-in, not a model: nothing here says anything about a model.`;
  if (a.standInJudges || b.standInJudges)
    yield `${sidesWhere(a.standInJudges, b.standInJudges)} had judged questions answered by a stand-in.`;
  for (const [name, { trials }] of [
    ["A", a],
    ["B", b],
  ] as const) {
    if (trials.finished < trials.planned)
      yield `${name} is not finished: ${trials.finished} of ${trials.planned} planned trials; its figures can still change.`;
  }
  const alphas = [sides.a.plan.analysis?.alpha, sides.b.plan.analysis?.alpha];
  if (alphas.every((one) => one !== undefined) && alphas[0] !== alphas[1])
    yield `The plans froze different levels (α ${alphas[0]} in A, ${alphas[1]} in B); A's is used.`;
  if (!comparison.settings.frozen) yield "A's plan has no hypothesis; α and margins are the defaults.";
  const without = rows.filter(
    ({ level, upliftCells, cells }) => level === "cell" && upliftCells < cells,
  ).length;
  if (without > 0) {
    const of = rows.filter(({ level }) => level === "cell").length;
    yield `${without} of ${of} cells have no verdict of ${control} on both sides: their uplift is unavailable.`;
  }
  const same = skills.filter(({ sameDelivered }) => sameDelivered === true).map(({ skill }) => skill);
  if (same.length > 0 && !sameInputs)
    yield `The arms deliver the same bytes in A and B for ${same.join(", ")}: what differs there is not its text.`;
  const differ = sharedControl || sameInputs ? [] : circumstancesBeside(sides);
  if (differ.length > 0) yield `Besides skills and benchmarks, these differ: ${differ.join("; ")}.`;
}

function sidesWhere(a: boolean, b: boolean): string {
  if (a && b) return "A and B";
  return a ? "A" : "B";
}
