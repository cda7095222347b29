import { expect, test } from "vitest";
import { benchmarkFrom } from "./artefacts/benchmark.ts";
import type { Endpoint, Prices } from "./artefacts/endpoint.ts";
import type { PlannedTrial, Trial, TrialUsage } from "./artefacts/trial.ts";
import { estimateAgain, estimateTrials, neededTokens } from "./campaign-estimate.ts";
import type { CampaignMaterial } from "./campaign-material.ts";
import type { WorkLeft } from "./evaluate/estimate.ts";
import { systemPrompt } from "./evaluate/open-trial.ts";
import { planTrials } from "./evaluate/plan-trials.ts";
import { deliver } from "./evaluate/treatments/deliver.ts";
import { deliverableWith } from "./testing/arms.ts";
import {
  answerBenchmark,
  answerBundle,
  letterBundle,
  passedGate,
  sampleInputs,
} from "./testing/benchmark.ts";
import { fakeEndpoint } from "./testing/endpoints.ts";
import { answerOf } from "./testing/gradings.ts";
import { endedTrial } from "./testing/trials.ts";
import { countTokens } from "./tokens.ts";

const standIn = "stand-in/x";
const judges = ["c/1", "d/2", "e/3"];
const inputs = sampleInputs({ models: ["a/x", "b/y", standIn], judges });
const plan = planTrials(inputs, "recipe");
const endpoints = [...inputs.models, ...judges]
  .filter((model) => model !== standIn)
  .map((model) => fakeEndpoint({ model }));
const markdown = `# Sample\n${"A line that an arm with the skill has.\n".repeat(40)}`;
const skill = deliverableWith("sample", { "SKILL.md": markdown });
const injected = deliver([skill], "inject");
const letter = { ...letterBundle(), id: "two" };

/** Benchmark `one` is decided by a program, `two` by judges; its gate kept answers to `asked`. */
function materialOf(asked: readonly string[] = ["tone", "anger"]): CampaignMaterial {
  const gate = { ...passedGate(letter), answers: asked.map((id) => answerOf(id, true)) };
  return {
    inputs,
    benchmarks: [answerBenchmark("sample", answerBundle("one")), benchmarkFrom("sample", letter, gate)],
    subjects: new Map([["sample", skill]]),
    treatments: new Map([
      [
        "sample",
        new Map([
          ["without_skill", null],
          ["with_skill", injected],
        ]),
      ],
    ]),
    arms: [],
    sections: [],
    warnings: [],
    limits: { turns: 12, outputTokens: 9, seconds: 9, commandSeconds: 9, maxTokensPerTurn: 700 },
    toolTokens: 321,
    concurrency: 2,
  };
}

const material = materialOf();
const ofModel = (model: string): readonly PlannedTrial[] => plan.filter((trial) => trial.model === model);
const finished = (trials: readonly PlannedTrial[], usage: Partial<TrialUsage> = {}): Trial[] =>
  trials.map((trial) => endedTrial(trial, { usage }));

function workOf(
  left: readonly PlannedTrial[],
  done: readonly Trial[] = [],
  of: CampaignMaterial = material,
): readonly WorkLeft[] {
  return estimateTrials(left, done, of, endpoints).parts.map(({ work }) => work);
}

function loopsOf(work: readonly WorkLeft[], model: string): Extract<WorkLeft, { kind: "loops" }> {
  const found = work.find((one) => one.model === model);
  if (found?.kind !== "loops") throw new Error(`no trials of ${model}`);
  return found;
}

test("counts the trials of every model that is paid for, and a stand-in's not at all", () => {
  const left = plan.slice(5);
  const agents = workOf(left).filter(({ role }) => role === "agent");
  expect(agents.map(({ model, count }) => [model, count])).toEqual(
    ["a/x", "b/y"].map((id) => [id, left.filter(({ model }) => model === id).length]),
  );
  for (const { model } of agents) {
    expect(loopsOf(agents, model)).toMatchObject({ maxTurns: material.limits.turns, measured: null });
  }
});

test.each<[string, readonly string[], number]>([
  ["as many as the gate asked", ["tone", "anger"], 2],
  ["one asked of several workspaces", ["tone", "tone"], 1],
  ["a gate that kept no answers", [], 3],
])("questions of a judged trial: %s", (_name, asked, each) => {
  const judged = plan.filter(({ benchmark }) => benchmark === "two");
  const panel = workOf(plan, [], materialOf(asked)).filter(({ role }) => role === "judge");
  expect(panel.map(({ model, count }) => [model, count])).toEqual(
    judges.map((id) => [id, each * judged.length]),
  );
});

test("judges cost nothing where no trial is theirs", () => {
  const left = plan.filter(({ benchmark }) => benchmark === "one");
  expect(workOf(left).filter(({ role }) => role === "judge")).toEqual([]);
});

test("a finished trial that waits for its judges is paid for no second time", () => {
  const waiting = ofModel("a/x").filter(({ benchmark }) => benchmark === "two");
  const work = workOf(waiting, finished(waiting));
  expect(work.filter(({ role }) => role === "agent").map(({ count }) => count)).toEqual([0, 0]);
  expect(work.find(({ role }) => role === "judge")?.count).toBe(2 * waiting.length);
});

test("the beginning of a trial is the mean over the arms that are left", () => {
  const prefix = (arm: PlannedTrial["arm"]): number => {
    const [trial] = plan.filter((one) => one.arm === arm && one.benchmark === "one" && one.model === "a/x");
    return loopsOf(workOf(trial === undefined ? [] : [trial]), "a/x").prefixTokens ?? NaN;
  };
  const task = countTokens(answerBundle("one").task) + material.toolTokens;
  expect(prefix("without_skill")).toBe(countTokens(systemPrompt(null)) + task);
  expect(prefix("with_skill")).toBe(countTokens(systemPrompt(injected)) + task);
  const both = plan.filter(({ benchmark, model, n }) => benchmark === "one" && model === "a/x" && n === 1);
  expect(loopsOf(workOf(both), "a/x").prefixTokens).toBe(
    Math.round((prefix("without_skill") + prefix("with_skill")) / 2),
  );
});

test("medians of the model's own finished trials, of those that told", () => {
  const calls = [30, 10, 20, 40];
  const done = ofModel("a/x")
    .slice(0, calls.length)
    .flatMap((trial, at) =>
      finished([trial], {
        modelCalls: calls[at] ?? 0,
        outputTokens: at === 0 ? 500 : null,
        cachedInputTokens: null,
      }),
    );
  const work = workOf(plan.slice(calls.length), done);
  expect(loopsOf(work, "a/x").measured).toEqual({
    modelCalls: 20,
    uncachedInputTokens: null,
    cachedInputTokens: null,
    outputTokens: 500,
  });
  expect(loopsOf(work, "b/y").measured).toBeNull();
});

test("a window must hold the longest opening with an answer", () => {
  const openings = material.benchmarks.map(
    ({ bundle }) => countTokens(bundle.task) + countTokens(systemPrompt(injected)),
  );
  const { toolTokens, limits } = material;
  expect(neededTokens(material)).toBe(Math.max(...openings) + toolTokens + limits.maxTokensPerTurn);
});

/** What is said as these trials end, one after the other. */
function saidOf(
  order: readonly PlannedTrial[],
  { known = [], at = endpoints }: { known?: readonly Trial[]; at?: readonly Endpoint[] } = {},
): readonly (string | null)[] {
  const again = estimateAgain(plan, known, material, at);
  return finished(order, { modelCalls: 2, outputTokens: 9 }).map(again);
}

/** Trials of the paid models in turn. */
const inTurn = ofModel("a/x").flatMap((trial, at) => [trial, ofModel("b/y")[at] ?? trial]);

test("once, when three trials of every paid model are finished, the estimate is made again from them", () => {
  const said = saidOf(inTurn);
  expect(said.flatMap((words, at) => (words === null ? [] : [at]))).toEqual([2 * 3 - 1]);
  const left = plan.length - 2 * 3;
  expect(said[2 * 3 - 1]).toMatch(
    new RegExp(
      `^Estimated cost \\$[\\d.]+ .*For the ${left} trial\\(s\\) left, by the medians of 6 finished\\.$`,
    ),
  );
  const measured = finished(inTurn.slice(0, 2 * 3), { modelCalls: 2, outputTokens: 9 });
  const { words } = estimateTrials(
    plan.filter((trial) => !inTurn.slice(0, 6).includes(trial)),
    measured,
    material,
    endpoints,
  );
  expect(said[2 * 3 - 1]).toContain(words[0]);
});

const freeOfCharge: Prices = {
  prompt: "0",
  completion: "0",
  cacheRead: null,
  cacheWrite: null,
  request: null,
};

test.each<[string, Parameters<typeof saidOf>[1]]>([
  ["measured from the start", { known: finished(inTurn) }],
  ["free", { at: endpoints.map((endpoint) => ({ ...endpoint, prices: freeOfCharge })) }],
  ["of unknown price", { at: endpoints.map((endpoint) => ({ ...endpoint, prices: null })) }],
  ["stand-ins only", { at: [] }],
])("nothing is said again of a campaign that is %s", (_name, over) => {
  expect(saidOf(inTurn, over).filter((words) => words !== null)).toEqual([]);
});

test("one model that is not measured yet is waited for", () => {
  expect(saidOf(ofModel("a/x")).filter((words) => words !== null)).toEqual([]);
});

test("where last words are read, every trial left is one question more at most, and so is each that waits", () => {
  const left = plan.filter(({ benchmark }) => benchmark === "one");
  const waiting = 5;
  const asked = (unclaimed: number | null): readonly number[] =>
    estimateTrials(left, [], material, endpoints, unclaimed)
      .parts.filter(({ work }) => work.role === "judge")
      .map(({ work }) => work.count);
  expect(asked(null)).toEqual([]);
  expect(asked(0)).toEqual(judges.map(() => left.length));
  expect(asked(waiting)).toEqual(judges.map(() => left.length + waiting));
});
