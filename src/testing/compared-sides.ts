import { analysisSettingsSchema } from "../artefacts/analysis.ts";
import type { CampaignComparison } from "../artefacts/comparison.ts";
import type { CampaignInputs } from "../artefacts/plan.ts";
import type { ArmUsage, Cell } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { compareReports } from "../compare/compare-reports.ts";
import type { Compared, ComparedReport } from "../compare/compared.ts";
import { hashJson } from "../hash.ts";
import { sampleInputs } from "./benchmark.ts";

/** `5/8` or, with trials that have no verdict, `5/8/10`: passed, graded, planned. */
export type TallyText = `${number}/${number}` | `${number}/${number}/${number}`;

/** Tallies by `benchmark model`, then by arm. */
export type CellTexts = Readonly<Record<string, Readonly<Record<string, TallyText>>>>;

export type SideOptions = {
  readonly skill?: string;
  readonly arm?: string;
  readonly inputs?: Partial<CampaignInputs>;
  readonly report?: Partial<ComparedReport>;
  readonly plan?: Partial<Compared["plan"]>;
  /** Hash of what `with_skill` delivers. */
  readonly delivered?: string;
};

/** One side of a comparison, made of its cells: skills, benchmarks and models follow from them. */
export function comparedSide(texts: CellTexts, options: SideOptions = {}): Compared {
  const { skill = "sample", arm = "with_skill", delivered = "d" } = options;
  const cells = Object.entries(texts).map(([place, arms]) => cellOf(skill, place, arms));
  const arms = [...new Set(cells.flatMap((cell) => Object.keys(cell.arms)))];
  const inputs = sampleInputs({
    skills: [
      {
        id: skill,
        treeHash: delivered,
        arms: arms.map((id) =>
          id === "without_skill"
            ? { id, treatment: { kind: "without_skill" }, delivered: null }
            : { id, treatment: { kind: "with_skill" }, delivered: `${delivered} ${id}` },
        ),
        benchmarks: [...new Set(cells.map(({ benchmark }) => benchmark))].map((id) => ({
          id,
          bundleHash: `of ${id}`,
        })),
      },
    ],
    models: [...new Set(cells.map(({ model }) => model))],
    ...options.inputs,
  });
  const analysis = analysisSettingsSchema.parse({ bootstrap: { resamples: 0 } });
  const planned = cells.flatMap((cell) => Object.values(cell.arms)).flatMap((tally) => tally ?? []);
  const graded = planned.reduce((sum, tally) => sum + tally.graded, 0);
  const inputsHash = hashJson(inputs);
  return {
    arm,
    plan: {
      ...{ inputs, inputsHash, benchmarks: [], endpoints: [], image: { recipe: "r" }, analysis },
      ...options.plan,
    },
    report: {
      campaign: `${inputs.name}-${inputsHash.slice(0, 12)}`,
      standIn: false,
      standInJudges: false,
      probe: null,
      trials: { planned: planned.reduce((sum, tally) => sum + tally.planned, 0), finished: graded, graded },
      cells,
      conclusions: options.report?.conclusions === null ? null : concludeCampaign(cells, [], analysis),
      leaks: { handling: "include", benchmarks: [], without: null, withoutTold: null },
      usage: [],
      ...options.report,
    },
  };
}

function cellOf(skill: string, place: string, texts: Readonly<Record<string, TallyText>>): Cell {
  const [benchmark = "", model = ""] = place.split(" ");
  const arms = Object.fromEntries(Object.entries(texts).map(([arm, text]) => [arm, tallyOf(text)]));
  const complete = Object.values(arms).every(({ graded, planned }) => graded === planned);
  return { skill, benchmark, model, arms, uplift: null, complete };
}

function tallyOf(text: TallyText): Tally {
  const [passed = 0, graded = 0, planned = graded] = text.split("/").map(Number);
  return { passed, graded, planned };
}

/** The same tallies in cells of as many benchmarks, on one model. */
export function alikeCells(benchmarks: number, arms: Readonly<Record<string, TallyText>>): CellTexts {
  return Object.fromEntries(Array.from({ length: benchmarks }, (_, at) => [`task-${at + 1} m/x`, arms]));
}

type Known = readonly [mean: number | null, known: number, of: number];

/** Usage of one arm on one model, with tokens and cost as given and nothing else known. */
export function usageRow(arm: string, tokens: Known, cost: Known): ArmUsage {
  const mean = ([value, known, of]: Known): ArmUsage["costUsd"] => ({ mean: value, known, of });
  const none = mean([null, 0, tokens[2]]);
  return {
    ...{
      skill: "sample",
      model: "m/x",
      arm,
      inputTokens: mean(tokens),
      costUsd: mean(cost),
      outputTokens: none,
    },
    ...{ uncachedInputTokens: none, cachedInputTokens: none, modelCalls: none, toolCalls: none },
    peakContextTokens: none,
  };
}

export const control = "without_skill";

/** Tallies of the two arms that most comparisons are about. */
export function arms(with_skill: TallyText, without_skill: TallyText): Record<string, TallyText> {
  return { with_skill, without_skill };
}

/** Two campaigns held against each other. */
export function compared(
  a: CellTexts,
  b: CellTexts,
  options: { readonly a?: SideOptions; readonly b?: SideOptions } = {},
): CampaignComparison {
  const sides = { a: comparedSide(a, options.a), b: comparedSide(b, options.b) };
  return compareReports({ ...sides, control, oneCampaign: false });
}
