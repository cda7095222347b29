import type { LeakyHandling } from "./artefacts/plan.ts";
import { concludeCampaign } from "./campaign-analysis.ts";
import type { Report } from "./artefacts/report.ts";
import { entryMaker } from "./report/counted.ts";
import { makeReport } from "./report/make-report.ts";
import { renderMarkdown } from "./report/markdown.ts";
import { MoneyTally } from "./report/money.ts";
import type { TrialOnDisk } from "./report/outcome.ts";
import { CampaignStore } from "./store/campaign.ts";
import { readAllJudgeTrials } from "./store/judges.ts";
import { readAttempts } from "./store/ledger.ts";

/** A report and its files by name. */
export type MadeReport = { readonly report: Report; readonly files: Readonly<Record<string, string>> };

/**
 * Every number again from what is on disk; writes report.json and report.md. Leaky benchmarks are counted as the plan
 * froze it, or as `leaky` says, and named in any case.
 */
export async function reportCampaign(folder: string, leaky?: LeakyHandling): Promise<Report> {
  const { report, files } = await remakeReport(folder, leaky);
  await new CampaignStore(folder).writeReport(files);
  return report;
}

/** The same without writing anything. */
export async function remakeReport(folder: string, leaky?: LeakyHandling): Promise<MadeReport> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  const entries: TrialOnDisk[] = [];
  const entryOf = entryMaker();
  for await (const found of store.survey(plan.trials)) entries.push(entryOf(found));
  const money = new MoneyTally(plan.trials);
  for await (const attempts of readAttempts(store.ledgerFile)) {
    for (const attempt of attempts) money.add(attempt);
  }
  const [canaries, evidenceHead, judgeTrials] = await Promise.all([
    store.readCanaries(),
    store.evidenceHead(),
    readAllJudgeTrials(folder),
  ]);
  const found = { plan, entries, canaries, evidenceHead, judgeTrials, money: money.money() };
  const { analysis } = plan;
  const report = makeReport({ ...found, leaky: leaky ?? plan.leaky }, (cells, usage) =>
    analysis === null ? null : concludeCampaign(cells, usage, analysis),
  );
  const json = `${JSON.stringify(report, null, 2)}\n`;
  return { report, files: { "report.json": json, "report.md": renderMarkdown(report) } };
}
