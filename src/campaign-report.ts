import type { LeakyHandling } from "./artefacts/plan.ts";
import { concludeCampaign } from "./campaign-analysis.ts";
import { type FileText, jsonText, wholeText } from "./artefacts/file-text.ts";
import type { Report } from "./artefacts/report.ts";
import type { Timings } from "./artefacts/timings.ts";
import { analysisAt, frontierOnDisk, releasedOf, reportedLooks } from "./campaign-looks.ts";
import { entryMaker } from "./report/counted.ts";
import { badgeOf } from "./report/files/badge.ts";
import { junitPieces } from "./report/files/junit.ts";
import { csvPieces } from "./report/files/trials-csv.ts";
import { makeReport } from "./report/make-report.ts";
import { renderReportPage } from "./report/html/report-page.ts";
import { trialRowOf } from "./report/html/trial-row.ts";
import { makeTimings } from "./report/make-timings.ts";
import { renderMarkdown } from "./report/markdown.ts";
import { MoneyTally } from "./report/money.ts";
import type { TrialOnDisk } from "./report/outcome.ts";
import { sectionFiles } from "./report/section-map/files.ts";
import { headingsOf } from "./report/section-map/map-sections.ts";
import { CampaignStore } from "./store/campaign.ts";
import { readAllJudgeTrials } from "./store/judges.ts";
import { readAttempts } from "./store/ledger.ts";
import { findSections } from "./store/sections.ts";
import { mostTrialPages, writeTrialPages } from "./trial-pages.ts";
import { type FindBundle, nowhere } from "./trial-view.ts";

/** A report and its files by name. */
export type MadeReport = {
  readonly report: Report;
  readonly timings: Timings;
  readonly files: Readonly<Record<string, FileText>>;
  /** Whether its trials are few enough to have pages of their own. */
  readonly listed: boolean;
};

type ReportOptions = {
  readonly leaky?: LeakyHandling | undefined;
  /** Gives the fixtures that the trials' pages compare workspaces with. */
  readonly findBundle?: FindBundle;
};

/**
 * Every number again from what is on disk; writes report.json, timings.json, report.md and what else people read. Leaky
 * benchmarks are counted as the plan froze it, or as `leaky` says, and named in any case.
 */
export async function reportCampaign(
  folder: string,
  { leaky, findBundle = nowhere }: ReportOptions = {},
): Promise<Report> {
  const { report, files, listed } = await remakeReport(folder, leaky);
  await new CampaignStore(folder).writeReport(files);
  // Asked here, because a plan of many trials need not be read a second time to hear that they are too many.
  if (listed) await writeTrialPages(folder, findBundle);
  return report;
}

/** The same without writing anything. */
export async function remakeReport(folder: string, leaky?: LeakyHandling): Promise<MadeReport> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  const all: TrialOnDisk[] = [];
  const entryOf = entryMaker();
  for await (const found of store.survey(plan.trials)) all.push(entryOf(found));
  const frontier = frontierOnDisk(plan, all);
  const entries = frontier.released.length === all.length ? all : releasedOf(all, frontier);
  const money = new MoneyTally(plan.trials);
  for await (const attempts of readAttempts(store.ledgerFile)) {
    for (const attempt of attempts) money.add(attempt);
  }
  const [canaries, evidenceHead, setAside, judgeTrials] = await Promise.all([
    store.readCanaries(),
    store.evidenceHead(),
    store.setAsides(),
    readAllJudgeTrials(folder),
  ]);
  const found = { plan, entries, canaries };
  const looks = reportedLooks(plan, frontier);
  const analysis = analysisAt(plan, frontier);
  const sections = await Promise.all(plan.sections.map((planned) => findSections(folder, planned)));
  const report = makeReport(
    { ...found, looks, judgeTrials, sections, leaky: leaky ?? plan.leaky },
    (cells, usage) =>
      analysis === null ? null : concludeCampaign(cells, usage, analysis, headingsOf(sections)),
  );
  const timings = makeTimings({ ...found, evidenceHead, setAside, money: money.money() });
  const listed = plan.trials.length <= mostTrialPages;
  const rows = listed ? entries.map((entry) => trialRowOf(entry, true)) : [];
  const files = {
    "report.json": jsonText(report),
    "timings.json": jsonText(timings),
    "report.md": wholeText(() => renderMarkdown(report, timings)),
    "index.html": wholeText(() => renderReportPage(report, timings, rows)),
    "junit.xml": () => junitPieces(plan.campaign, all, new Set(entries)),
    "trials.csv": () => csvPieces(all, new Set(entries)),
    "badge.svg": wholeText(() => badgeOf(report)),
    ...sectionFiles(report.sections, sections),
  };
  return { report, timings, files, listed };
}
