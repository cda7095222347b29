import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { CheckName } from "./artefacts/verification.ts";
import { parseDraft } from "./author/draft.ts";
import { reportCampaign } from "./campaign-report.ts";
import { readBundle } from "./store/benchmarks.ts";
import {
  checksOf,
  failedTrial,
  honestCampaign,
  type Note,
  Tamperer,
  verifyBeside,
  wordsOf,
} from "./testing/tampered-campaign.ts";

/** Made once; the tests change copies. */
let honest: { readonly folder: string; readonly campaign: string };
let scratch: string;
let campaign: string;

beforeAll(async () => {
  honest = await honestCampaign();
});
afterAll(() => rm(honest.folder, { recursive: true }));
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "verify-"));
  campaign = join(scratch, "out", basename(honest.campaign));
  await cp(honest.folder, scratch, { recursive: true });
});
afterEach(() => rm(scratch, { recursive: true }));

test("an honest campaign holds, wholly with the head that was published", async () => {
  const { head } = await verifyBeside(honest.campaign);
  const verification = await verifyBeside(campaign, head);
  expect(verification.findings).toEqual([]);
  expect(verification.checks.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  expect(verification.passed).toBe(true);
  expect(wordsOf(verification, "records")).toContain("4 trials of 4 planned, 4 verdicts and 2 canaries");
  expect(wordsOf(verification, "prices")).toContain("8 estimated cost(s)");
});

/** What somebody changes, and how it is told. Paths are below the campaign's folder. */
type Tampering = {
  readonly what: string;
  readonly change: (by: Tamperer) => Promise<void>;
  /** Of evidence.jsonl, which somebody puts the hashes right in that he knows of. */
  readonly touches: (note: Note) => boolean;
  /** What tells it then, and what tells it still when every later line and the report were made to fit as well. */
  readonly toldBy: readonly CheckName[];
  readonly toldByRecords: readonly CheckName[];
};

const tamperings: readonly Tampering[] = [
  {
    what: "a flipped verdict",
    change: (by) => by.edit(`${failedTrial}/verdict.json`, '"verdict": "failed"', '"verdict": "passed"'),
    touches: ({ kind, trial }) => kind === "verdict" && failedTrial.endsWith(trial ?? "none"),
    toldBy: ["chain-links", "verdicts-follow", "report-numbers", "conclusions-follow", "report-bytes"],
    toldByRecords: ["verdicts-follow"],
  },
  {
    what: "a verdict flipped with its assertions and exit code",
    change: async (by) => {
      await by.edit(`${failedTrial}/verdict.json`, '"verdict": "failed"', '"verdict": "passed"');
      await by.edit(`${failedTrial}/verdict.json`, '"passed": false', '"passed": true');
      await by.edit(`${failedTrial}/verdict.json`, '"exitCode": 1', '"exitCode": 0');
    },
    touches: ({ kind, trial }) => kind === "verdict" && failedTrial.endsWith(trial ?? "none"),
    toldBy: ["chain-links", "report-numbers", "conclusions-follow", "report-bytes"],
    toldByRecords: [],
  },
  {
    what: "an edited transcript",
    change: (by) => by.edit(`${failedTrial}/transcript.jsonl`, "left", "tidy"),
    touches: ({ kind, trial }) => kind === "trial" && failedTrial.endsWith(trial ?? "none"),
    toldBy: ["chain-links", "report-bytes"],
    toldByRecords: [],
  },
  {
    what: "a task that reads otherwise in the transcript",
    change: (by) => by.edit(`${failedTrial}/transcript.jsonl`, "Write the answer", "Write any answer"),
    touches: ({ kind, trial }) => kind === "trial" && failedTrial.endsWith(trial ?? "none"),
    toldBy: ["chain-links", "same-task", "report-bytes"],
    toldByRecords: ["same-task"],
  },
  {
    what: "a swapped benchmark file, its gate record made to fit",
    change: async () => {
      const folder = join(scratch, "benchmarks/sample/answer");
      await writeFile(join(folder, "fixtures/notes.txt"), "another fixture\n");
      const { hash } = await readBundle(folder, parseDraft);
      const gate = await readFile(join(folder, "gate.json"), "utf8");
      await writeFile(
        join(folder, "gate.json"),
        gate.replace(/"bundleHash": "\w+"/, `"bundleHash": "${hash}"`),
      );
    },
    touches: () => false,
    toldBy: ["benchmarks-unchanged"],
    toldByRecords: ["benchmarks-unchanged"],
  },
  {
    what: "a changed price",
    change: (by) => by.edit("plan.json", /"prompt": "[^"]+"/, '"prompt": "0.000001"'),
    touches: ({ kind }) => kind === "plan",
    toldBy: ["chain-links", "prices", "report-numbers", "report-bytes"],
    toldByRecords: ["prices"],
  },
  {
    what: "a changed cost in the ledger",
    change: (by) => by.edit("ledger.jsonl", /("costNanoUsd":)\d+/, "$17"),
    touches: ({ kind }) => kind === "settled",
    toldBy: ["prices", "report-head", "report-numbers", "report-bytes"],
    toldByRecords: ["prices"],
  },
  {
    what: "a dropped trial, with its lines of evidence",
    change: async (by) => {
      await rm(join(campaign, failedTrial), { recursive: true });
      await by.dropLines((note) => failedTrial.endsWith(note.trial ?? "none"));
    },
    touches: () => false,
    toldBy: ["chain-links", "report-numbers", "conclusions-follow", "report-bytes"],
    toldByRecords: [],
  },
  {
    what: "a dropped trial that was never planned, as it seems",
    change: async (by) => {
      await rm(join(campaign, failedTrial), { recursive: true });
      await by.dropLines((note) => failedTrial.endsWith(note.trial ?? "none"));
      await by.editJson("plan.json", (plan) => {
        const trials = plan["trials"] as readonly { arm: string; n: number }[];
        return { ...plan, trials: trials.filter(({ arm, n }) => arm !== "without_skill" || n !== 1) };
      });
    },
    touches: ({ kind }) => kind === "plan",
    toldBy: ["chain-links", "plan-frozen", "prices", "report-numbers", "conclusions-follow", "report-bytes"],
    // Its page is still there.
    toldByRecords: ["plan-frozen", "prices", "report-numbers", "report-bytes"],
  },
  {
    what: "a plan edited after freezing: more turns",
    change: (by) => by.edit("plan.json", /"turns": \d+/, '"turns": 4000'),
    touches: ({ kind }) => kind === "plan",
    // Report and page show the limits that were planned.
    toldBy: ["chain-links", "plan-frozen", "report-numbers", "report-bytes"],
    toldByRecords: ["plan-frozen"],
  },
  {
    what: "a plan edited after freezing: how leaky benchmarks are counted",
    change: (by) => by.edit("plan.json", '"leaky": "include"', '"leaky": "exclude"'),
    touches: ({ kind }) => kind === "plan",
    toldBy: ["chain-links", "report-numbers", "report-bytes"],
    toldByRecords: [],
  },
  {
    what: "a number of report.json typed by hand",
    change: (by) => by.edit("report/report.json", /("perSkill"[^]*?"uplift": )[^,]+/, "$10.25"),
    touches: () => false,
    toldBy: ["report-numbers", "report-bytes"],
    toldByRecords: ["report-numbers", "report-bytes"],
  },
  {
    what: "a number of report.md typed by hand",
    change: (by) => by.edit("report/report.md", "+100.0 points", "+99.0 points"),
    touches: () => false,
    toldBy: ["report-bytes"],
    toldByRecords: ["report-bytes"],
  },
];

test.each(tamperings)("$what is refused although its own hashes were made to fit", async (tampering) => {
  const by = new Tamperer(campaign);
  await tampering.change(by);
  expect(checksOf(await verifyBeside(campaign)).length).toBeGreaterThan(0);
  await by.rewriteLines(tampering.touches);
  expect(checksOf(await verifyBeside(campaign))).toEqual(tampering.toldBy);
});

test.each(tamperings)(
  "$what is refused by the published head when the whole chain and the report were written anew",
  async ({ what, change, toldByRecords }) => {
    const by = new Tamperer(campaign);
    const isOfReport = what.startsWith("a number of report");
    if (!isOfReport) await change(by);
    await by.rewriteChain();
    await reportCampaign(campaign);
    if (isOfReport) await change(by);
    expect(checksOf(await verifyBeside(campaign))).toEqual(toldByRecords);
    const { head } = await verifyBeside(honest.campaign);
    const verification = await verifyBeside(campaign, head);
    expect(verification.passed).toBe(false);
    const isRewritten = verification.head !== head;
    expect(checksOf(verification)).toEqual([...(isRewritten ? ["published-head"] : []), ...toldByRecords]);
  },
);

test("a trial that was paid for and left nothing is said, where the rest was made to fit", async () => {
  const by = new Tamperer(campaign);
  await rm(join(campaign, failedTrial), { recursive: true });
  await by.dropLines((note) => failedTrial.endsWith(note.trial ?? "none"));
  await by.rewriteChain();
  await reportCampaign(campaign);
  const verification = await verifyBeside(campaign);
  expect(verification.checks.find(({ name }) => name === "records")?.outcome).toBe("not_compared");
  expect(wordsOf(verification, "records")).toContain(
    `answered by a model and left nothing: ${failedTrial.slice("trials/".length)}`,
  );
});
