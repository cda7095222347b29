import type { LeakyHandling } from "./artefacts/plan.ts";
import type { Report } from "./artefacts/report.ts";
import { makeReport } from "./report/make-report.ts";
import { renderMarkdown } from "./report/markdown.ts";
import { CampaignStore } from "./store/campaign.ts";
import { readAllJudgeTrials } from "./store/judges.ts";
import { readLedger } from "./store/ledger.ts";

/**
 * Every number again from what is on disk; writes report.json and report.md. Leaky benchmarks are counted as the plan
 * froze it, or as `leaky` says, and named in any case.
 */
export async function reportCampaign(folder: string, leaky?: LeakyHandling): Promise<Report> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlan();
  const entries = [];
  for (const planned of plan.trials) {
    const [trial, verdict, voids] = await Promise.all([
      store.readTrial(planned),
      store.readVerdict(planned),
      store.countVoids(planned),
    ]);
    entries.push({ planned, trial, verdict, voids });
  }
  const [canaries, evidenceHead, judgeTrials, ledger] = await Promise.all([
    store.readCanaries(),
    store.evidenceHead(),
    readAllJudgeTrials(folder),
    readLedger(store.ledgerFile),
  ]);
  const found = { plan, entries, canaries, evidenceHead, judgeTrials, ledger };
  const report = makeReport({ ...found, leaky: leaky ?? plan.leaky });
  await store.writeReport({
    "report.json": `${JSON.stringify(report, null, 2)}\n`,
    "report.md": renderMarkdown(report),
  });
  return report;
}
