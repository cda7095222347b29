import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { CheckName } from "./artefacts/verification.ts";
import { reportCampaign } from "./campaign-report.ts";
import { UserError } from "./errors.ts";
import { EvidenceChain } from "./store/evidence.ts";
import { measureFiles } from "./store/file-hash.ts";
import { markedPage } from "./store/pages.ts";
import { settledFiles } from "./store/settled-files.ts";
import {
  checksOf,
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

const page = `report/${failedTrial}.html`;
const arm = "arms/sample/with_skill.json";

/** Nobody ever writes into it. */
async function pipeAt(path: string): Promise<void> {
  await rm(join(campaign, path), { recursive: true, force: true });
  await mkdir(dirname(join(campaign, path)), { recursive: true });
  execFileSync("mkfifo", [join(campaign, path)]);
}

type Row = {
  readonly what: string;
  readonly change: (by: Tamperer) => Promise<void>;
  readonly check: CheckName;
  readonly place: string;
  readonly came: string;
};

const rows: readonly Row[] = [
  {
    what: "a trial's page with other words",
    change: (by) => by.edit(page, "failed", "passed"),
    check: "report-bytes",
    place: `${page}:3`, // behind the mark and the doctype
    came: "<html",
  },
  {
    what: "a trial's page with other words, its own hash made to fit",
    change: async (by) => {
      const text = await readFile(join(campaign, page), "utf8");
      const [first = "", hash = ""] = /^<!-- made of (\w+), .*\n/.exec(text) ?? [];
      await by.put(page, markedPage(hash, text.slice(first.length).replace("failed", "passed")));
    },
    check: "report-bytes",
    place: `${page}:1`,
    came: "made of",
  },
  {
    what: "a trial's page taken away",
    change: () => rm(join(campaign, page)),
    check: "report-bytes",
    place: page,
    came: "nothing",
  },
  {
    what: "a page of a trial that nobody planned",
    change: (by) => by.put("report/trials/sample/more.html", "x"),
    check: "report-bytes",
    place: "report/trials/sample/more.html",
    came: "another file",
  },
  {
    what: "a file beside the report",
    change: (by) => by.put("report/summary.html", "x"),
    check: "report-bytes",
    place: "report/summary.html",
    came: "another file",
  },
  {
    what: "a link to a folder below the report",
    change: () => symlink(tmpdir(), join(campaign, "report/more")),
    check: "report-bytes",
    place: "report/more",
    came: "another file",
  },
  {
    what: "a link in the place of a file of the report, to the same text",
    change: async () => {
      await rename(join(campaign, "report/badge.svg"), join(scratch, "badge.svg"));
      await symlink(join(scratch, "badge.svg"), join(campaign, "report/badge.svg"));
    },
    check: "report-bytes",
    place: "report/badge.svg",
    came: "not a regular file",
  },
  {
    what: "an arm's prompt",
    change: (by) => by.edit(arm, /("prompt": ")/, "$1x"),
    check: "settled",
    place: arm,
    came: "it was changed",
  },
  {
    what: "an arm's record taken away",
    change: () => rm(join(campaign, arm)),
    check: "settled",
    place: arm,
    came: "it was taken away",
  },
  {
    what: "a trial that nobody planned",
    change: (by) => by.put(`${dirname(failedTrial)}/99/trial.json`, "{}"),
    check: "records",
    place: `${dirname(failedTrial)}/99`,
    came: "not in plan.json",
  },
  {
    what: "trials of a skill that nobody planned",
    change: (by) => by.put("trials/other/one/m/with_skill/1/trial.json", "{}"),
    check: "records",
    place: "trials/other",
    came: "not in plan.json",
  },
];

test.each(rows)("$what is a finding", async ({ change, check, place, came }) => {
  await change(new Tamperer(campaign));
  const { findings } = await verifyBeside(campaign);
  expect(findings).toEqual([
    expect.objectContaining({ check, place, came: expect.stringContaining(came) as unknown }),
  ]);
});

test("an arm that is not planned is neither settled nor of the plan", async () => {
  const by = new Tamperer(campaign);
  await by.put("arms/sample/other.json", await readFile(join(campaign, arm)));
  const { findings } = await verifyBeside(campaign);
  expect(findings.map(({ check, place, came }) => [check, place, came])).toEqual([
    ["settled", "arms/sample/other.json", expect.stringContaining("bound by nothing")],
    ["settled", "arms/sample/other.json", "one that is not planned"],
  ]);
});

test("an arm that gives something else than planned is told although all evidence was made to fit", async () => {
  const by = new Tamperer(campaign);
  await by.edit(arm, /("delivered": ")[^"]+/, "$1other");
  await by.rewriteChain();
  await reportCampaign(campaign);
  const { findings } = await verifyBeside(campaign);
  expect(findings).toEqual([
    expect.objectContaining({ check: "settled", place: `${arm}: delivered`, came: "other" }),
  ]);
});

test("what systems and kills leave between our files is no finding", async () => {
  const by = new Tamperer(campaign);
  await by.put("report/.nojekyll", "");
  await by.put("trials/.DS_Store", "");
  await by.put("report/report.json.1234.0f9c3c5e-0000-4000-8000-000000000000.tmp", "{");
  await by.put(`${dirname(failedTrial)}/99.unfinished/transcript.jsonl`, "");
  const verification = await verifyBeside(campaign);
  expect(verification.findings).toEqual([]);
});

test("pages that were made where the benchmarks are not at hand hold, here and there", async () => {
  await reportCampaign(campaign);
  const here = await verifyBeside(campaign);
  expect(here.findings).toEqual([]);
  await rm(join(scratch, "benchmarks"), { recursive: true });
  const there = await verifyBeside(campaign);
  for (const verification of [here, there])
    expect(wordsOf(verification, "report-bytes")).toMatch(
      / and ([1-9]\d*) of \1 page\(s\) of trials against the same made anew in memory$/,
    );
});

test("a report of an earlier line is one finding, whatever came behind it", async () => {
  const chain = new EvidenceChain(join(campaign, "evidence.jsonl"));
  const before = (await chain.read()).lines.length;
  const files = await measureFiles(campaign, await settledFiles(campaign));
  await chain.append({ kind: "settled", files });
  await new Tamperer(campaign).edit("report/report.json", /("graded": )\d+/g, "$177");
  const stale = await verifyBeside(campaign);
  const words = `the report is of line ${before} of ${before + 1}: make it again with skillproof report`;
  expect(stale.findings).toEqual([
    expect.objectContaining({ check: "report-head", came: expect.stringContaining(words) as unknown }),
  ]);
  for (const name of ["report-numbers", "conclusions-follow", "report-bytes"] as const) {
    expect(stale.checks.find((check) => check.name === name)?.outcome).toBe("not_compared");
    expect(wordsOf(stale, name)).toContain(`the report is of an earlier line, ${before} of ${before + 1}`);
  }
  await reportCampaign(campaign);
  expect((await verifyBeside(campaign)).findings).toEqual([]);
});

test.each([
  ...["transcript.jsonl", "trial.json", "verdict.json", "grader.log", "workspace.tar.gz", "claim.json"].map(
    (name) => ({ path: `${failedTrial}/${name}`, check: "records" as const }),
  ),
  { path: "canaries/sample/with_skill/1.json", check: "records" as const },
  { path: "ledger.jsonl", check: "settled" as const },
  { path: arm, check: "settled" as const },
  { path: "report/report.json", check: "report-bytes" as const },
  { path: "report/timings.json", check: "report-bytes" as const },
  { path: page, check: "report-bytes" as const },
])("a pipe as $path is a finding and nothing waits for it", async ({ path, check }) => {
  await pipeAt(path);
  const verification = await verifyBeside(campaign);
  expect(checksOf(verification)).toContain(check);
  const came = verification.findings.filter((finding) => finding.place.startsWith(path));
  expect(JSON.stringify(came)).toMatch(/not a regular file|taken away/);
});

test.each(["plan.json", "evidence.jsonl"])("a pipe as %s is for the user to mend", async (path) => {
  await pipeAt(path);
  await expect(verifyBeside(campaign)).rejects.toThrow(`${path}: not a regular file`);
  await expect(verifyBeside(campaign)).rejects.toBeInstanceOf(UserError);
});

test.each(["transcript.jsonl", "workspace.tar.gz"])(
  "a report is made beside a pipe as %s, and says so",
  async (name) => {
    await pipeAt(`${failedTrial}/${name}`);
    await reportCampaign(campaign);
    expect(await readFile(join(campaign, page), "utf8")).toContain(`${name} is not a regular file`);
  },
);
