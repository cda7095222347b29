import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { settledAttempts, sumLedger } from "../../artefacts/ledger.ts";
import type { Plan } from "../../artefacts/plan.ts";
import { takeStock } from "../../campaign-plan.ts";
import { remakeReport } from "../../campaign-report.ts";
import { makeReport } from "../../report/make-report.ts";
import { moneyOf } from "../../report/money.ts";
import type { TrialOnDisk } from "../../report/outcome.ts";
import { CampaignStore } from "../../store/campaign.ts";
import { openLedger, readAttempts, readLedger } from "../../store/ledger.ts";
import { fateOf, layCampaign, scaleInputs, scalePlan } from "./scale-campaign.ts";

let folder: string;
let plan: Plan;
let store: CampaignStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "scale-campaign-"));
  plan = { ...scalePlan(scaleInputs(400)), analysis: null };
  store = new CampaignStore(folder);
  layCampaign(folder, plan);
  await store.writePlan(plan);
});
afterAll(() => rm(folder, { recursive: true }));

test("a resumed campaign finds what was laid down, sets nothing aside and adds no evidence", async () => {
  const head = await store.evidenceHead();
  const fates = plan.trials.map(fateOf);
  const { left, finished, setAside } = await takeStock(plan, store);
  expect(plan.trials).toHaveLength(400);
  expect(setAside).toEqual([]);
  expect(finished.map(({ trial }) => trial)).toEqual(plan.trials.filter((_, at) => fates[at]?.done));
  expect(left).toEqual(plan.trials.filter((_, at) => !(fates[at]?.done === true && fates[at].graded)));
  expect(await store.evidenceHead()).toBe(head);
});

test("a report that holds only what it counts says the same as one that holds everything", async () => {
  const entries: TrialOnDisk[] = [];
  for await (const { planned, trial, verdict, voids } of store.survey(plan.trials)) {
    const spoke = trial !== null && (trial.finalMessage ?? "").trim() !== "";
    entries.push({ planned, trial: trial === null ? null : { ...trial, spoke }, verdict, voids });
  }
  const ledger = await readLedger(store.ledgerFile);
  const whole = makeReport({
    plan,
    entries,
    canaries: await store.readCanaries(),
    judgeTrials: [],
    leaky: plan.leaky,
    sections: [],
  });
  const { report, timings } = await remakeReport(folder);
  expect(report).toEqual(whole);
  expect(report.judges.questions).toBe(3 * entries.filter(({ verdict }) => verdict?.answers.length).length);
  expect(report.judges.questions).toBeGreaterThan(0);
  expect(timings.money).toEqual(moneyOf(ledger, plan.trials));
  expect(timings.money.all.attempts).toBe(2 * plan.trials.length);
});

test("a ledger that is added up line by line comes to the same as its lines at once", async () => {
  const lines = await readLedger(store.ledgerFile);
  const attempts = [];
  for await (const some of readAttempts(store.ledgerFile)) attempts.push(...some);
  expect(attempts).toEqual(settledAttempts(lines));
  const ledger = await openLedger(store.ledgerFile, { limitNanoUsd: null, now: () => 0 });
  expect(ledger.total()).toEqual(sumLedger(lines));
  ledger.close();
});
