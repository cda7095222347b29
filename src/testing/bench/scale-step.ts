import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CampaignInputs } from "../../artefacts/plan.ts";
import { takeStock } from "../../campaign-plan.ts";
import { reportCampaign } from "../../campaign-report.ts";
import { keepHeapSmall } from "../../cli/heap.ts";
import { CampaignStore } from "../../store/campaign.ts";
import { openLedger } from "../../store/ledger.ts";
import { verifyCampaign } from "../../verify-campaign.ts";
import { viewCampaign } from "../../view-campaign.ts";
import { layCampaign, scaleInputs, scalePlan } from "./scale-campaign.ts";
import type { StepFigures } from "./scale.ts";

/**
 * One step of a large campaign, alone in its process so that its peak memory is its own:
 * `node scale-step.js <step> <folder> <trials> <benchmarks per skill>` prints its figures as JSON.
 */
async function act(step: string, folder: string, inputs: CampaignInputs): Promise<number> {
  const store = new CampaignStore(folder);
  switch (step) {
    case "plan": {
      const plan = scalePlan(inputs);
      await store.writePlan(plan);
      return plan.trials.length;
    }
    case "lay": {
      layCampaign(folder, await store.readPlan());
      return 0;
    }
    case "resume": {
      const { finished } = await takeStock(await store.readPlan(), store);
      return finished.length;
    }
    case "ledger": {
      const ledger = await openLedger(store.ledgerFile, { limitNanoUsd: null, now: Date.now });
      ledger.close();
      return ledger.total().all.attempts;
    }
    case "report":
      return (await reportCampaign(folder)).trials.graded;
    case "verify": {
      const nowhere = { folder: join(folder, "none"), benchmarks: join(folder, "none") };
      const { findings } = await verifyCampaign(folder, { publishedHead: null, placesOf: () => nowhere });
      const [first] = findings;
      if (first !== undefined)
        throw new Error(`${findings.length} finding(s): ${first.place}: ${first.expected}, ${first.came}`);
      return (await store.readPlan()).trials.length;
    }
    case "view": {
      const viewer = viewCampaign(folder, () => Promise.resolve(null));
      const pages = [await viewer.start(), await viewer.reportFile("index.html"), await viewer.cells()];
      if (pages.some((page) => page === null || page.text === "")) throw new Error("a page is missing");
      return (await store.readPlan()).trials.length;
    }
    default:
      throw new Error(`no step ${step}`);
  }
}

/** Of this process alone: the figure of getrusage also knows the process that started it. */
function peakRssMb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

const [, , step = "", folder = "", trials = "", benchmarksPerSkill = ""] = process.argv;
keepHeapSmall(); // as the command does
const begun = performance.now();
const before = process.cpuUsage();
const counted = await act(step, folder, scaleInputs(Number(trials), Number(benchmarksPerSkill)));
const { user, system } = process.cpuUsage(before);
const figures: StepFigures = {
  seconds: (performance.now() - begun) / 1000,
  cpuSeconds: (user + system) / 1e6,
  rssMb: peakRssMb(),
  counted,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
