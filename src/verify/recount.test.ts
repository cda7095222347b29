import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import type { LedgerLine } from "../artefacts/ledger.ts";
import type { Plan } from "../artefacts/plan.ts";
import { reportSchema } from "../artefacts/report.ts";
import { timingsSchema } from "../artefacts/timings.ts";
import { type PlannedTrial, stopReasonSchema, type Trial, trialName } from "../artefacts/trial.ts";
import { type Random, randomFrom } from "../seed.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import {
  type Done,
  foundCampaign,
  gradedAs,
  looked,
  verified,
  type WholeCampaign,
} from "../testing/found-campaign.ts";
import { sampleLine } from "../testing/ledgers.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { checkNumbers } from "./check-report.ts";

const worlds = 60;

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** All that can become of a trial, unavailable figures included. */
function anyDone(planned: PlannedTrial, random: Random): Done {
  if (random() < 0.1) return null;
  const stop = pick(random, stopReasonSchema.options);
  const number = (): number | null => (random() < 0.3 ? null : Math.floor(random() * 1000));
  const usage = {
    inputTokens: number(),
    cachedInputTokens: number(),
    outputTokens: number(),
    modelSeconds: random(),
  };
  const trial: Trial = endedTrial(planned, {
    stop,
    usage: { ...usage, costUsd: random() < 0.5 ? null : random() },
  });
  if (random() < 0.1)
    return { trial: { ...trial, outcome: { kind: "blocked", reason: "filter" } }, verdict: null };
  if (random() < 0.1) return { trial, verdict: null };
  if (random() < 0.1)
    return { trial, verdict: { ...gradedAs("failed", planned), reason: "grader_error: exit code 7" } };
  if (random() < 0.1)
    return { trial, verdict: verdictOf("ungraded", "fewer than two ballots agree on tone") };
  return { trial, verdict: gradedAs(random() < 0.5 ? "passed" : "failed", planned) };
}

function anyLedger(trials: readonly PlannedTrial[], random: Random): readonly LedgerLine[] {
  return trials.flatMap((planned, at): readonly LedgerLine[] => {
    const role = pick(random, ["agent", "judge", "probe"] as const);
    const upToNanoUsd = pick(random, [null, 0, 500]);
    const source = pick(random, ["reported", "estimated", "not_charged", "unknown"] as const);
    const costNanoUsd =
      source === "unknown" ? null : source === "not_charged" ? 0 : Math.floor(random() * 1e6);
    const subject = random() < 0.2 ? null : trialName(planned);
    const line = sampleLine(at + 1, { role, subject, source, costNanoUsd, upToNanoUsd });
    const { id, turn, attempt, model, tag } = line;
    const begun = {
      kind: "begun",
      id,
      at: line.at,
      role,
      subject,
      model,
      tag,
      turn,
      attempt,
      upToNanoUsd,
    } as const;
    const later = { kind: "settled", id, at: line.at, costNanoUsd: 9, source: "generation" } as const;
    const shape = random();
    if (shape < 0.2) return [begun];
    return shape < 0.4 ? [begun, line, later] : [begun, line];
  });
}

function anyWorld(world: number): WholeCampaign {
  const random = randomFrom(world, "recount");
  const inputs = sampleInputs({
    trials: 1 + (world % 4),
    models: world % 3 === 0 ? ["a/x"] : ["a/x", "b/y"],
  });
  const leaks = [
    [],
    [],
    ["told"],
    ["how"],
    ["answer", "told"],
  ] satisfies Plan["benchmarks"][number]["leaks"][];
  const benchmarks = foundCampaign({ inputs }).plan.benchmarks.map((one) => ({
    ...one,
    leaks: pick(random, leaks),
  }));
  const plan = { leaky: pick(random, ["include", "exclude"] as const), benchmarks };
  const ledger = anyLedger(planTrials(inputs, "recipe"), random);
  const done = (planned: PlannedTrial): Done => anyDone(planned, random);
  return foundCampaign({ inputs, plan, done, ledger, voids: () => (random() < 0.2 ? 1 : 0) });
}

test(`two counts by different code agree in every figure, over ${worlds} random campaigns`, () => {
  for (let world = 0; world < worlds; world++) {
    const { differences, words } = looked(checkNumbers, anyWorld(world));
    expect(differences, `world ${world}`).toEqual([]);
    expect(Number.parseInt(words, 10)).toBeGreaterThan(100);
  }
});

/** Every number of the parts that are counted again, changed alone. */
const counted = [
  [
    "report.json",
    reportSchema,
    [
      ...["trials", "cells", "perSkillAndModel", "perSkill", "perModel", "pooled", "leaks", "usage"],
      ...["stops", "graderErrors", "voids"],
    ],
  ],
  ["timings.json", timingsSchema, ["seconds", "money"]],
] as const;

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Copies of a value, each with one number changed: 1 more, or 0 where nothing was available. */
function* withOneChanged(value: Json, path = ""): Generator<{ readonly path: string; readonly value: Json }> {
  if (value === null || typeof value === "number") yield { path, value: value === null ? 0 : value + 1 };
  else if (value instanceof Array) {
    for (const [at, member] of value.entries())
      for (const change of withOneChanged(member, `${path}[${at}]`))
        yield { path: change.path, value: value.with(at, change.value) };
  } else if (typeof value === "object") {
    for (const [name, member] of Object.entries(value))
      for (const change of withOneChanged(member, `${path}.${name}`))
        yield { path: change.path, value: { ...value, [name]: change.value } };
  }
}

test.for(counted)(
  "no number counted in %s can be typed by hand, not even 0 for unavailable",
  ([name, schema, parts]) => {
    const found = anyWorld(3);
    const report = JSON.parse(found.report[name] ?? "") as Record<string, Json>;
    const missed: string[] = [];
    let changes = 0;
    for (const part of parts) {
      for (const { path, value } of withOneChanged(report[part] ?? null, part)) {
        const json = JSON.stringify({ ...report, [part]: value });
        // What the schema refuses is told by itself.
        if (!schema.safeParse(JSON.parse(json)).success) continue;
        changes++;
        if (
          looked(checkNumbers, { ...found, report: { ...found.report, [name]: json } }).differences.length ===
          0
        )
          missed.push(path);
      }
    }
    expect(missed).toEqual([]);
    expect(changes).toBeGreaterThan(name === "report.json" ? 100 : 30);
  },
);

test.each<[string, (planned: PlannedTrial) => Done]>([
  [
    "an input filter blocked every trial",
    (planned) => ({
      trial: { ...endedTrial(planned), outcome: { kind: "blocked", reason: "filter" } },
      verdict: null,
    }),
  ],
  ["no trial was made", () => null],
])("both counts agree where there is nothing to count: %s", (_name, done) => {
  expect(looked(checkNumbers, foundCampaign({ done, ledger: [] })).differences).toEqual([]);
});

test("thousands of trials are verified in seconds, and each is looked at", () => {
  const trials = 1500;
  const found = foundCampaign({ inputs: { trials } });
  expect(found.trials).toHaveLength(trials * 2 * 2 * 2);
  const last = found.trials.at(-1);
  const began = performance.now();
  expect(verified(found).findings).toEqual([]);
  const seconds = (performance.now() - began) / 1000;
  // Some tenths of a second on a quiet machine; a walk that grows with the square takes minutes.
  expect(seconds).toBeLessThan(15);
  if (last?.verdict.kind !== "there") throw new Error("the last trial has no verdict");
  const flipped = { ...last, verdict: { ...last.verdict, hash: "another" } };
  const { findings } = verified({ ...found, trials: [...found.trials.slice(0, -1), flipped] });
  expect(findings.map(({ check, place }) => [check, place])).toEqual([
    ["records", `trials/${trialName(last.planned)}/verdict.json`],
  ]);
});
