import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";

/** What of a report a comparison rests on. */
export type ComparedReport = Pick<
  Report,
  "campaign" | "standIn" | "standInJudges" | "probe" | "trials" | "cells" | "conclusions" | "leaks" | "usage"
>;

/** What of a plan. */
export type ComparedPlan = Pick<Plan, "inputs" | "inputsHash" | "benchmarks" | "endpoints"> & {
  readonly image: Pick<Plan["image"], "recipe">;
  readonly analysis: AnalysisSettings | null;
};

/** One side of a comparison: an arm of a campaign. */
export type Compared = { readonly plan: ComparedPlan; readonly report: ComparedReport; readonly arm: string };

/** A is the baseline. */
export type Sides = {
  readonly a: Compared;
  readonly b: Compared;
  readonly control: string;
  /** Both are arms of one and the same campaign, so that the control's trials are the same trials. */
  readonly oneCampaign: boolean;
};
