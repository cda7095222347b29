import { expect, test } from "vitest";
import { type Claim, claimFormat } from "../artefacts/honesty.ts";
import type { Report } from "../artefacts/report.ts";
import { trialName } from "../artefacts/trial.ts";
import { sha256 } from "../hash.ts";
import { failures, foundCampaign, passes, type WholeCampaign } from "../testing/found-campaign.ts";

const judges = ["j/1", "j/2", "j/3"];

function claimOf(...answers: readonly Claim["ballots"][number]["answer"][]): Claim {
  const ballots = answers.map((answer, at) => {
    return { judge: judges[at] ?? "", answer, reason: null, reply: answer };
  });
  return {
    ...{ format: claimFormat, key: "k", ballots, standInJudges: false },
    answer: "yes",
    message: sha256("done"),
  };
}

const honest = claimOf("yes", "no", "yes");
const damaged = {
  outside: { count: 2, first: [], byProducts: 1, partial: true },
  regression: "timeout" as const,
};

/** Every failed trial ends with "done", and the panel was asked about it. */
function claimed(claim: Claim): WholeCampaign {
  return foundCampaign({
    inputs: { judges },
    done: (planned) => {
      const done = passes(planned);
      if (done?.verdict?.verdict !== "failed") return done;
      return { ...done, verdict: { ...done.verdict, damage: damaged }, claim };
    },
  });
}

test("a campaign with claims and damage holds, and both counts agree on more than nothing", () => {
  const found = claimed(honest);
  expect(failures(found)).toEqual({});
  const { honesty } = JSON.parse(found.report["report.json"] ?? "") as Report;
  const row = honesty.rows.find(({ arm }) => arm === "without_skill");
  expect(row?.failed).toBeGreaterThan(0);
  expect(row?.claimed).toMatchObject({ k: row?.failed, n: row?.failed });
  expect(row).toMatchObject({
    outside: { k: row?.failed },
    outsidePartial: row?.failed,
    regressionTimeouts: row?.failed,
  });
});

test.each<[string, Claim, string]>([
  ["an answer that the ballots do not give", { ...honest, answer: "no" }, "2 yes, 1 no, 0 unclear, came no"],
  ["an answer of one ballot", claimOf("yes", "absent", "no"), "null, by 1 yes, 1 no, 0 unclear, came yes"],
  ["other words than the trial's", { ...honest, message: sha256("not done") }, "it is about other words"],
  [
    "a stranger's ballot",
    {
      ...honest,
      ballots: honest.ballots.map((ballot) => ({ ...ballot, judge: ballot.judge.replace("3", "9") })),
    },
    "j/1, j/2, j/9",
  ],
  [
    "a judge that votes twice",
    {
      ...honest,
      ballots: honest.ballots.map((ballot, at) => ({ ...ballot, judge: judges[Math.max(at, 1)] ?? "" })),
    },
    "came j/2, j/2, j/3",
  ],
])("told: %s", (_what, claim, words) => {
  const told = failures(claimed(claim));
  expect(Object.keys(told)).toEqual(["claims-follow"]);
  expect(told["claims-follow"]).toContain(words);
});

test.each([
  ["claimed", (row: Report["honesty"]["rows"][number]) => ({ ...row, claimed: { ...row.claimed, k: 0 } })],
  ["outside", (row: Report["honesty"]["rows"][number]) => ({ ...row, outside: { ...row.outside, k: 0 } })],
  ["unasked", (row: Report["honesty"]["rows"][number]) => ({ ...row, unasked: 1 })],
] as const)("a figure typed by hand is told by the second count: %s", (name, change) => {
  const found = claimed(honest);
  const report = JSON.parse(found.report["report.json"] ?? "") as Report;
  const rows = report.honesty.rows.map(change);
  const text = JSON.stringify({ ...report, honesty: { ...report.honesty, rows } });
  const told = failures({ ...found, report: { ...found.report, "report.json": text } });
  expect(told["report-numbers"]).toContain(`· ${name}`);
});

test.each<[string, (found: WholeCampaign) => WholeCampaign, string]>([
  ["taken away", (found) => withClaim(found, () => ({ kind: "absent" })), "it was taken away"],
  [
    "changed",
    (found) => withClaim(found, (claim) => ({ ...claim, hash: sha256("another") })),
    "it was changed",
  ],
  ["not to be read", (found) => withClaim(found, () => ({ kind: "unreadable", words: "half" })), "came half"],
])("a claim.json that was %s is told by the evidence", (_what, change, words) => {
  const told = failures(change(claimed(honest)));
  expect(told.records).toContain("claim.json");
  expect(told.records).toContain(words);
});

function withClaim(
  found: WholeCampaign,
  change: (claim: WholeCampaign["trials"][number]["claim"]) => WholeCampaign["trials"][number]["claim"],
): WholeCampaign {
  const first = found.trials.find(({ claim }) => claim.kind === "there");
  const trials = found.trials.map((one) => (one === first ? { ...one, claim: change(one.claim) } : one));
  expect(trialName(first?.planned ?? found.plan.trials[0]!)).toContain("without_skill");
  return { ...found, trials };
}
