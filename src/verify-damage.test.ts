import { appendFile, cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { CheckName } from "./artefacts/verification.ts";
import {
  checksOf,
  everything,
  failedTrial,
  honestCampaign,
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

test("what is not at hand is not compared, and said", async () => {
  await rm(join(scratch, "skills"), { recursive: true });
  await rm(join(scratch, "benchmarks"), { recursive: true });
  const { passed, checks } = await verifyBeside(campaign);
  expect(passed).toBe(true);
  const left = checks
    .filter(({ outcome }) => outcome === "not_compared")
    .map(({ name, words }) => [name, words]);
  expect(Object.fromEntries(left)).toEqual({
    "published-head": expect.stringContaining("--head HASH") as unknown,
    "skills-unchanged": expect.stringContaining("not at hand: sample") as unknown,
    "benchmarks-unchanged": expect.stringContaining("not at hand: sample/answer") as unknown,
    "report-bytes": expect.stringMatching(/pages not compared: (\d+) of \1, since the benchmark/) as unknown,
  });
});

test("verifying writes nothing, also where a kill left half a line of evidence", async () => {
  await appendFile(join(campaign, "evidence.jsonl"), '{"hash":"h","ki');
  const before = await everything(campaign);
  const verification = await verifyBeside(campaign);
  expect(verification.findings).toEqual([]);
  expect(wordsOf(verification, "chain-links")).toContain("a part of a line");
  expect(await everything(campaign)).toEqual(before);
});

/** What a folder may hold that no skillproof wrote. */
const damages: readonly {
  readonly what: string;
  readonly change: (by: Tamperer) => Promise<void>;
  readonly toldBy: CheckName;
}[] = [
  { what: "an empty verdict", change: (by) => by.put(`${failedTrial}/verdict.json`, ""), toldBy: "records" },
  {
    what: "a folder in the place of a trial",
    change: (by) => by.folderAt(`${failedTrial}/trial.json`),
    toldBy: "records",
  },
  {
    what: "a folder in the place of a transcript",
    change: (by) => by.folderAt(`${failedTrial}/transcript.jsonl`),
    toldBy: "records",
  },
  {
    what: "a folder in the place of the report",
    change: (by) => by.folderAt("report/report.json"),
    toldBy: "report-bytes",
  },
  {
    what: "a trial nested beyond reason",
    change: (by) =>
      by.edit(
        `${failedTrial}/trial.json`,
        /"sent": \{/,
        `"sent": {"x": ${"[".repeat(1e5)}${"]".repeat(1e5)},`,
      ),
    toldBy: "records",
  },
  {
    what: "a transcript of bytes that are no text",
    change: (by) =>
      by.put(`${failedTrial}/transcript.jsonl`, Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xc3, 0x28])),
    toldBy: "records",
  },
  {
    what: "a transcript of one long line",
    change: (by) => by.put(`${failedTrial}/transcript.jsonl`, "x".repeat(2 ** 20)),
    toldBy: "records",
  },
  {
    what: "a workspace that is no archive",
    change: (by) => by.put(`${failedTrial}/workspace.tar.gz`, "no"),
    toldBy: "snapshots",
  },
  {
    what: "a workspace that is gone",
    change: () => rm(join(campaign, failedTrial, "workspace.tar.gz")),
    toldBy: "snapshots",
  },
  {
    what: "a workspace that unpacks to gigabytes",
    change: (by) => by.put(`${failedTrial}/workspace.tar.gz`, gzipSync(Buffer.alloc(64 * 2 ** 20))),
    toldBy: "snapshots",
  },
  {
    what: "a member that no version knows",
    change: (by) => by.edit(`${failedTrial}/trial.json`, "{", '{"note": 1,'),
    toldBy: "records",
  },
  { what: "one more void attempt", change: (by) => by.folderAt(`${failedTrial}/voids/1`), toldBy: "records" },
  {
    what: "judges' trials from nowhere",
    change: (by) => by.put("judges/sample/answer.json", "{}"),
    toldBy: "settled",
  },
  { what: "a ledger that is no ledger", change: (by) => by.put("ledger.jsonl", "no\n"), toldBy: "settled" },
  { what: "a ledger that is gone", change: () => rm(join(campaign, "ledger.jsonl")), toldBy: "settled" },
  {
    what: "a canary that is gone",
    change: () => rm(join(campaign, "canaries/sample/with_skill/1.json")),
    toldBy: "records",
  },
  {
    what: "a canary that is cut off",
    change: (by) => by.put("canaries/sample/with_skill/1.json", '{"format"'),
    toldBy: "records",
  },
  {
    what: "evidence with other line ends",
    change: (by) => by.edit("evidence.jsonl", /\n/g, "\r\n"),
    toldBy: "chain-links",
  },
  { what: "no evidence at all", change: () => rm(join(campaign, "evidence.jsonl")), toldBy: "plan-frozen" },
  {
    what: "a mark before the report",
    change: (by) => by.edit("report/report.json", "{", "\uFEFF{"),
    toldBy: "report-numbers",
  },
  {
    what: "a report without its page",
    change: () => rm(join(campaign, "report/report.md")),
    toldBy: "report-bytes",
  },
  {
    what: "a skill's file that was changed",
    change: () => writeFile(join(scratch, "skills/sample/scripts/answer.sh"), "#!/usr/bin/env bash\n"),
    toldBy: "skills-unchanged",
  },
  {
    what: "a benchmark that is no bundle any more",
    change: () => rm(join(scratch, "benchmarks/sample/answer/task.md")),
    toldBy: "benchmarks-unchanged",
  },
];

test.each(damages)("$what is a finding", async ({ change, toldBy }) => {
  await change(new Tamperer(campaign));
  const verification = await verifyBeside(campaign);
  expect(verification.passed).toBe(false);
  expect(checksOf(verification)).toContain(toldBy);
});

test("a campaign under another name is not the one of its inputs", async () => {
  const moved = join(scratch, "out", "sample-0123456789ab");
  await rename(campaign, moved);
  const { findings } = await verifyBeside(moved);
  expect(findings).toEqual([
    {
      check: "plan-frozen",
      place: "the campaign's folder",
      expected: `the name ${basename(campaign)}`,
      came: "sample-0123456789ab",
    },
  ]);
});
