import { expect, test } from "vitest";
import type { LedgerLine } from "../artefacts/ledger.ts";
import type { CheckName } from "../artefacts/verification.ts";
import {
  changed,
  failures,
  foundCampaign,
  type FoundOptions,
  gradedAs,
  judged,
  same,
} from "../testing/found-campaign.ts";
import { sampleLine } from "../testing/ledgers.ts";
import { endedTrial } from "../testing/trials.ts";

const chosen = "trials/sample/one/a%2Fx/with_skill/1";

type Row = {
  readonly what: string;
  readonly options: FoundOptions;
  readonly check: CheckName;
  readonly words: string;
};

/** Recorded by whoever made the campaign, so that all hashes and the report fit: only the records speak. */
const rows: readonly Row[] = [
  {
    what: "another task in one trial",
    options: changed((trial) => ({ ...trial, prompts: { ...trial.prompts, task: "T" } })),
    check: "same-task",
    words: `${chosen}/trial.json: expected one task for all trials of a benchmark`,
  },
  {
    what: "other tools in one trial",
    options: changed((trial) => ({ ...trial, prompts: { ...trial.prompts, tools: "T" } })),
    check: "same-task",
    words: `${chosen}/trial.json: tools: expected u, came T`,
  },
  {
    what: "a request parameter in one arm only",
    options: changed((trial) => ({
      ...trial,
      request: { sent: { model: "a/x", temperature: 0 }, withheld: [] },
    })),
    check: "same-model",
    words: "the same request parameters in all arms of a block",
  },
  {
    what: "another snapshot of the model behind one arm",
    options: changed((trial) => ({ ...trial, served: { ...trial.served, models: ["acme/coder-2"] } })),
    check: "same-model",
    words: "the same model and provider behind all arms of a block",
  },
  {
    what: "another seed than was planned",
    options: {
      done: (planned) => ({
        trial: { ...endedTrial(planned), request: { sent: { model: planned.model, seed: 1 }, withheld: [] } },
        verdict: gradedAs("passed", planned),
      }),
    },
    check: "same-model",
    words: "request.seed: expected",
  },
  {
    what: "more turns than the limit",
    options: changed((trial) => ({ ...trial, usage: { ...trial.usage, modelCalls: 6 } })),
    check: "same-start",
    words: `${chosen}/trial.json: usage: expected at most 5 turns, as planned, came 6 model calls`,
  },
  {
    what: "a verdict about another workspace",
    options: changed(same, (verdict) => ({ ...verdict, snapshot: "another" })),
    check: "snapshots",
    words: `${chosen}/verdict.json: snapshot: expected s, came another`,
  },
  {
    what: "a verdict by another grader",
    options: changed(same, (verdict) => ({ ...verdict, bundleHash: "x" })),
    check: "rubric-unchanged",
    words: `${chosen}/verdict.json: bundleHash: expected 1, as planned, came x`,
  },
  {
    what: "a pass although an assertion failed",
    options: changed(same, (verdict) => ({ ...verdict, assertions: [{ assertion: "a", passed: false }] })),
    check: "verdicts-follow",
    words: "expected failed, by exit code 0, 1 of 1 assertions failed, came passed",
  },
  {
    what: "an answer that its ballots do not give",
    options: {
      inputs: { judges: ["j/1", "j/2", "j/3"] },
      ...changed(same, (verdict) => ({ ...verdict, ...judged("yes", "no", "no") })),
    },
    check: "verdicts-follow",
    words: "answer to tone: expected false, by 1 yes and 2 no, came true",
  },
  {
    what: "a ballot of a judge that was not planned",
    options: changed(same, (verdict) => ({ ...verdict, ...judged("yes", "yes", "no") })),
    check: "rubric-unchanged",
    words: "expected judges of the plan (), came j/1",
  },
  {
    what: "a canary that failed",
    options: {
      canary: (canary) => ({
        ...canary,
        passed: false,
        probes: canary.probes.map((one) => ({ ...one, passed: false })),
      }),
    },
    check: "arms-isolated",
    words:
      "expected a canary that passed, before the first trial of the arm, came 1 canaries, none of them such",
  },
  {
    what: "a canary that is said to have passed",
    options: {
      canary: (canary) => ({ ...canary, probes: canary.probes.map((one) => ({ ...one, passed: false })) }),
    },
    check: "arms-isolated",
    words: "passed (1 probes, not passed: interfaces): expected false, came true",
  },
  {
    what: "a canary of another skill's text",
    options: { canary: (canary) => ({ ...canary, treeHash: "other" }) },
    check: "arms-isolated",
    words: "treeHash: expected t, came other",
  },
  {
    what: "tokens of 0 where no answer told any",
    options: {
      ...changed((trial) => ({ ...trial, usage: { ...trial.usage, inputTokens: 0 } })),
      ledger: [untold()],
    },
    check: "unavailable-is-null",
    words: `${chosen}/trial.json: usage.inputTokens: expected null: none of its 1 answers in ledger.jsonl tells it, came 0`,
  },
  {
    what: "a request to a model that was not planned",
    options: { ledger: [sampleLine(1, { model: "c/z" })] },
    check: "prices",
    words: "ledger.jsonl:1: expected a model that the plan has an endpoint of, came c/z at alpha/fp8",
  },
  {
    what: "a request to another endpoint of the model",
    options: { ledger: [sampleLine(1, { model: "a/x", tag: "beta" })] },
    check: "prices",
    words: "expected a/x at its only endpoint, as planned, came a/x at beta",
  },
  {
    what: "an estimate found later that is not price × tokens",
    options: {
      ledger: [
        sampleLine(1, { model: "a/x", tag: null, source: "unknown", costNanoUsd: null }),
        { kind: "settled", id: 1, at: "2026-01-01T00:00:00.000Z", costNanoUsd: 5, source: "estimated" },
      ],
    },
    check: "prices",
    words:
      "ledger.jsonl:2: expected 2600000 billionths of a dollar ($0.0026), the plan's price × tokens, came 5",
  },
];

function untold(): LedgerLine {
  const unknown = { inputTokens: null, cachedInputTokens: null, outputTokens: null, costNanoUsd: null };
  const subject = chosen.slice("trials/".length);
  return sampleLine(1, { ...unknown, source: "unknown", subject, model: "a/x", tag: null });
}

test.each(rows)("$what is told by the records alone", ({ options, check, words }) => {
  const found = failures(foundCampaign(options));
  expect(Object.keys(found)).toEqual([check]);
  expect(found[check]).toContain(words);
});
