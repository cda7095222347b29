import { join } from "node:path";
import type { CampaignComparison } from "./artefacts/comparison.ts";
import type { Plan } from "./artefacts/plan.ts";
import { type Report, reportFormat, reportSchema } from "./artefacts/report.ts";
import { remakeReport } from "./campaign-report.ts";
import { compareReports } from "./compare/compare-reports.ts";
import type { Compared } from "./compare/compared.ts";
import { comparisonMarkdown } from "./compare/markdown.ts";
import { UserError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import { readArtefactIfThere } from "./store/artefact.ts";
import { CampaignStore } from "./store/campaign.ts";
import { namesIn } from "./store/record.ts";

/** One side as it is asked for: a campaign's folder and an arm of it. */
export type AskedSide = { readonly folder: string; readonly arm: string };

export type ComparedCampaigns = {
  readonly comparison: CampaignComparison;
  readonly markdown: string;
  /** What B concluded for itself stands in it. */
  readonly reportOfB: Compared["report"];
};

/**
 * Reads both campaigns and compares the two arms, A being the baseline. Writes nothing. Throws `UserError` for what cannot
 * be compared at all: a probe, an arm that is not there, another version's files, no common cell.
 */
export async function compareCampaigns(
  asked: { readonly a: AskedSide; readonly b: AskedSide },
  control: string,
): Promise<ComparedCampaigns> {
  const campaigns = new Map<string, Promise<Omit<Compared, "arm">>>();
  const sideOf = async ({ folder, arm }: AskedSide): Promise<Compared> => {
    const found = campaigns.get(folder) ?? readCampaign(folder);
    campaigns.set(folder, found);
    const { plan, report } = await found;
    return { plan, report, arm: armIn(report.campaign, plan.inputs, arm) };
  };
  const a = await sideOf(asked.a);
  const b = await sideOf(asked.b);
  const oneCampaign = asked.a.folder === asked.b.folder;
  if (oneCampaign && a.arm === b.arm) {
    throw new UserError(
      `${harmless(a.report.campaign)}: ${a.arm} against itself. Name two arms: --arms A,B.`,
    );
  }
  const comparison = compareReports({ a, b, control, oneCampaign });
  if (comparison.rows.length === 0) throw new UserError(nothingCommon(comparison));
  return { comparison, markdown: comparisonMarkdown(comparison), reportOfB: b.report };
}

const shown = 10;

/** A folder may come from elsewhere: its names must not give orders to a terminal. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}

function nothingCommon({ a, b, leftOut }: CampaignComparison): string {
  const lines = leftOut.slice(0, shown).map(({ skill, benchmark, model, reason }) => {
    const place = [skill, benchmark, model].filter((part) => part !== null).join("/");
    return harmless(`  ${place === "" ? "all cells" : place}: ${reason}`);
  });
  const more = leftOut.length > shown ? [`  and ${leftOut.length - shown} more of ${leftOut.length}`] : [];
  const why = lines.length === 0 ? ["  neither has a cell"] : lines;
  return [
    harmless(`${a.campaign} and ${b.campaign} have no cell in common that can be compared:`),
    ...why,
    ...more,
    "Compare campaigns on the same benchmarks, models, delivery and limits, with trials that have a verdict.",
  ].join("\n");
}

/**
 * A report counted again from the trials where they are there; from report.json in a folder that was kept or downloaded
 * without them.
 */
async function readCampaign(folder: string): Promise<Omit<Compared, "arm">> {
  const plan = await new CampaignStore(folder).readPlan();
  if (plan.inputs.probe !== null) {
    throw new UserError(
      `${folder}: its trials are a probe's, which choose benchmarks and are counted nowhere else. Name a campaign that eval made.`,
    );
  }
  const report =
    (await namesIn(join(folder, "trials"))).length > 0
      ? (await remakeReport(folder)).report
      : await readReport(folder, plan);
  return { plan, report };
}

async function readReport(folder: string, plan: Plan): Promise<Report> {
  const path = join(folder, "report", "report.json");
  const remedy = `This version reads ${reportFormat}. Make it again where the trials are: skillproof report`;
  const report = await readArtefactIfThere(path, reportSchema, remedy);
  if (report === null) {
    throw new UserError(
      `${folder}: has neither trials nor report/report.json, so there is nothing to compare yet. Finish it: skillproof eval`,
    );
  }
  if (report.inputsHash !== plan.inputsHash) {
    throw new UserError(
      `${path}: is of other inputs (${report.inputsHash.slice(0, 12)}) than plan.json beside it (${plan.inputsHash.slice(0, 12)}). ${remedy}`,
    );
  }
  return report;
}

/** An arm by its id, or as `version:v1` where the id is `version-v1`. */
function armIn(campaign: string, { skills }: Plan["inputs"], asked: string): string {
  const ids = [...new Set(skills.flatMap(({ arms }) => arms.map(({ id }) => id)))];
  const found = [asked, asked.replace(":", "-")].find((id) => ids.includes(id));
  if (found !== undefined) return found;
  const [meant] = nearest(asked, ids);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UserError(`${harmless(campaign)}: no arm ${asked}; it has ${ids.join(", ")}.${hint}`);
}
