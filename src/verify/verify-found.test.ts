import { expect, test } from "vitest";
import type { CheckName, CheckOutcome } from "../artefacts/verification.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import {
  chainOf,
  changed,
  failures,
  foundCampaign,
  judged,
  passes,
  same,
  verified,
  type WholeCampaign,
} from "../testing/found-campaign.ts";
import { evidenceNoteSchema } from "../artefacts/evidence.ts";

function outcomes(found: WholeCampaign, outcome: CheckOutcome): CheckName[] {
  return verified(found)
    .checks.filter((check) => check.outcome === outcome)
    .map(({ name }) => name);
}

test("an honest campaign passes everything but the head that nobody gave", () => {
  expect(failures(foundCampaign())).toEqual({});
  expect(outcomes(foundCampaign(), "not_compared")).toEqual(["published-head"]);
});

test("a canary after the first trial of its arm proves nothing for it", () => {
  const found = foundCampaign();
  const notes = found.lines.map((line) => evidenceNoteSchema.parse(JSON.parse(line)));
  const late = notes.find((note) => note.kind === "canary" && note.canary.includes("with_skill/"));
  const lines = chainOf([...notes.filter((note) => note !== late), ...(late === undefined ? [] : [late])]);
  expect(Object.keys(failures({ ...found, lines }))).toEqual(["arms-isolated", "report-head"]);
});

test("trials before the plan are named, and so is a plan that was never bound", () => {
  const found = foundCampaign();
  const [plan, ...rest] = found.lines.map((line) => evidenceNoteSchema.parse(JSON.parse(line)));
  const late = plan === undefined ? [] : [plan];
  expect(failures({ ...found, lines: chainOf([...rest, ...late]) })["plan-before-data"]).toContain(
    "evidence.jsonl:1: expected the plan, before anything that was done, came canary sample/without_skill/1",
  );
  const unbound = failures({ ...found, lines: chainOf(rest) });
  expect(unbound["plan-frozen"]).toContain("the plan was never bound");
  expect(unbound["plan-before-data"]).toContain("without any plan");
});

test("two images of one recipe are not compared", () => {
  const found = foundCampaign(changed((trial) => ({ ...trial, image: "sha256:1" })));
  expect(failures(found)).toEqual({});
  expect(outcomes(found, "not_compared")).toEqual(["published-head", "same-start"]);
});

test("judges' answers decide as DESIGN §8 has it", () => {
  const inputs = { judges: ["j/1", "j/2", "j/3"] };
  const found = (over: Partial<Verdict>) =>
    failures(
      foundCampaign({
        inputs,
        ...changed(same, (verdict) => ({ ...verdict, ...judged("yes", "yes", "no"), ...over })),
      }),
    );
  expect(found({})).toEqual({});
  expect(found({ verdict: "failed" })["verdicts-follow"]).toContain("expected passed, by exit code 3");
});

test.each([
  ["not JSON", "{"],
  ["an array", "[]"],
  ["nothing of a line", "{}"],
  ["a kind from nowhere", '{"kind":"wish","hash":"h","previous":null}'],
  ["a megabyte of one character", "x".repeat(2 ** 20)],
  ["nested beyond reason", "[".repeat(200_000)],
])("a line of evidence that is %s is a finding of a few words", (_what, line) => {
  const found = foundCampaign();
  const { findings, head } = verified({ ...found, lines: [...found.lines, line] });
  expect(findings[0]).toMatchObject({
    check: "chain-links",
    place: `evidence.jsonl:${found.lines.length + 1}`,
  });
  expect(JSON.stringify(findings).length).toBeLessThan(2000);
  expect(head).not.toBe(verified(found).head);
});

test("a campaign in its middle: what is done holds, the rest is not compared", () => {
  const { plan } = foundCampaign();
  const half = plan.trials.length / 2;
  const isDone = new Set(plan.trials.slice(0, half).map(({ key }) => key));
  const found = foundCampaign({ done: (planned) => (isDone.has(planned.key) ? passes(planned) : null) });
  const lines = found.lines.slice(0, -1);
  const running = { ...found, lines, report: { json: null, markdown: null } };
  expect(failures(running)).toEqual({});
  expect(outcomes(running, "not_compared")).toEqual([
    "published-head",
    // Models have answered for trials that left nothing yet.
    "records",
    "settled",
    "report-head",
    "report-numbers",
    "conclusions-follow",
    "report-bytes",
  ]);
  const grown = { ...found, settled: found.settled.map((file) => ({ ...file, bytes: 2 })) };
  expect(failures(grown)).toEqual({});
  expect(outcomes(grown, "not_compared")).toContain("settled");
});

test("money that grew after a complete campaign was settled is a finding", () => {
  const found = foundCampaign();
  const grown = { ...found, settled: found.settled.map((file) => ({ ...file, bytes: 2 })) };
  expect(failures(grown)).toEqual({
    settled: `ledger.jsonl: expected 1 bytes (evidence.jsonl:${found.lines.length}), came 1 byte(s) more`,
  });
});

test("what cannot be read is a finding, in the report and in the records", () => {
  const found = foundCampaign();
  const [first, ...rest] = found.trials;
  const trials =
    first === undefined ? [] : [{ ...first, trial: { kind: "unreadable", words: "no" } as const }, ...rest];
  expect(Object.keys(failures({ ...found, trials }))).toEqual(
    expect.arrayContaining(["records", "report-numbers"]),
  );
  const report = { ...found.report, "report.json": "[" };
  expect(Object.keys(failures({ ...found, report }))).toEqual(["report-numbers", "report-bytes"]);
  const timings = { ...found.report, "timings.json": "[" };
  expect(Object.keys(failures({ ...found, report: timings }))).toEqual([
    "report-head",
    "report-numbers",
    "report-bytes",
  ]);
  const again = { ...found.again, trials: null };
  expect(failures({ ...found, again })["plan-frozen"]).toContain(
    "as many as arms × trials × models × benchmarks",
  );
});
