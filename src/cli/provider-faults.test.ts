import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import type { Report } from "../artefacts/report.ts";
import type { bothArms } from "../testing/arms.ts";
import { askedTrials } from "../testing/asked-trials.ts";
import {
  campaignIn,
  chatsIn,
  type Evaluated,
  evalIn,
  filesIn,
  planIn,
  reportOf,
} from "../testing/eval-command.ts";
import { type FakeModel, type FakeRule, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { readOnlyTimings } from "../testing/read-report.ts";
import { marker, obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";

// They go on side by side and wait for each other's containers.
vi.setConfig({ testTimeout: 180_000 });

type Models = Readonly<Record<string, FakeModel>>;
type Scene = {
  readonly server: RunningFake;
  readonly folder: string;
  readonly run: (...args: readonly string[]) => Promise<Evaluated>;
};

/** One trial in each arm of every model, one block after the other unless told otherwise. */
async function stage(
  models: Models,
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  concurrency = 1,
): Promise<Scene> {
  const server = await startFake({ scenario: { models } });
  const folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: Object.keys(models), trials: 1, concurrency },
  });
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  return { server, folder, run: (...args) => evalIn(folder, { args }) };
}

/** An obedient model that meets something else first. */
function obedientBut(...rules: readonly FakeRule[]): FakeModel {
  return { rules: [...rules, ...obedientModel().rules] };
}

type Arm = (typeof bothArms)[number];

const inArm: Readonly<Record<Arm, NonNullable<FakeRule["if"]>>> = {
  with_skill: { system_has: marker },
  without_skill: { system_lacks: marker },
};

/** No retry comes sooner (openrouter.md §7.1). */
const shortestWaitMs = 250;

/** The obedient model's trial: it writes the file and says that it is done. */
const callsOfTrial = 2;

test.concurrent.for<[string, RegExp]>([
  ["unauthorized", /The key was refused/],
  ["no_credits", /Add credits/],
])(
  "%s in mid-campaign stops it; what is finished is kept and paid for once",
  async ([fault, advice], context) => {
    const broken = obedientBut({ call: `${callsOfTrial + 1}-999`, do: { fault } });
    const { server, folder, run } = await stage({ "acme/coder": broken }, context);
    const stopped = await run();
    expect(stopped.code, stopped.stderr).toBe(3);
    expect(stopped.stderr, stopped.stderr).toMatch(advice);
    expect(chatsIn(server.fake.log)).toHaveLength(callsOfTrial + 1);
    const finished = await filesIn(folder, "/trial.json");
    expect([finished.length, (await filesIn(folder, "/verdict.json")).length]).toEqual([1, 1]);

    server.fake.load({ models: { "acme/coder": obedientModel() } });
    const resumed = await run();
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain("2 planned, 1 already finished");
    expect(reportOf(resumed).pooled).toMatchObject({ uplift: 1, completeCells: 1 });
    const asked = askedTrials(await planIn(folder), server.fake.log);
    expect(new Set(asked.map(({ trial }) => trial.arm)).size).toBe(1);
    expect(finished[0]).not.toContain(`/${asked[0]?.trial.arm}/`);
  },
);

test.concurrent(
  "a model that does not exist is found before anything, with its near misses",
  async (context) => {
    const { server, folder, run } = await stage({ "acme/coder": obedientModel() }, context);
    const { code, stderr } = await run("--models", "acme/codr");
    expect(code).toBe(2);
    expect(stderr).toMatch(/acme\/codr.*did you mean.*acme\/coder/);
    expect(chatsIn(server.fake.log)).toEqual([]);
    await expect(campaignIn(folder)).rejects.toThrow();
  },
);

test.concurrent(
  "empty answers for ever in one arm: void three times and ungraded, the uplift is unknown and not moved",
  async (context) => {
    const rule: FakeRule = { if: inArm.with_skill, do: { fault: "empty_choices" } };
    const { server, run } = await stage({ "acme/coder": obedientBut(rule) }, context);
    const evaluated = await run();
    expect(evaluated.code, evaluated.stderr).toBe(3);
    const report = reportOf(evaluated);
    expect(report.pooled).toMatchObject({
      uplift: null,
      with: { passed: 0, graded: 0, planned: 1 },
      without: { passed: 0, graded: 1, planned: 1 },
    });
    expect(report.ungraded).toEqual([
      expect.objectContaining({ arm: "with_skill", cause: "missing", reason: "void 3 time(s)" }),
    ]);
    expect(report.voids).toContainEqual({ model: "acme/coder", arm: "with_skill", lost: 3, attempts: 3 });
    // Three attempts at the trial, each with a request and its three retries.
    const empty = chatsIn(server.fake.log).filter(({ fault }) => fault === "empty_choices");
    expect(empty).toHaveLength(3 * 4);
    expect(evaluated.stderr.match(/^void .*, once more$/gm)).toHaveLength(2);
    expect(evaluated.stderr.match(/^void .*, left ungraded$/gm)).toHaveLength(1);
  },
);

test.concurrent(
  "a filter that blocks one arm leaves the pair without a say, and nothing to mend",
  async (context) => {
    const rule: FakeRule = { if: inArm.with_skill, do: { fault: "moderation" } };
    const { server, folder, run } = await stage({ "acme/coder": obedientBut(rule) }, context);
    const evaluated = await run();
    expect(evaluated.code, evaluated.stderr).toBe(0);
    const report = reportOf(evaluated);
    const block = "sample/answer/acme/coder/1";
    expect(report.notComparable).toEqual([{ block, blocked: ["with_skill"] }]);
    expect(report.ungraded.map(({ arm, cause }) => [arm, cause])).toEqual([["with_skill", "blocked"]]);
    expect(report.pooled.uplift).toBeNull();
    expect(report.voids.map(({ lost }) => lost)).toEqual([0, 0]);
    const markdown = await readFile(join(await campaignIn(folder), "report/report.md"), "utf8");
    expect(markdown).toContain(
      `\`${block}\` is not comparable: an input filter blocked with_skill and not the rest`,
    );

    const asked = chatsIn(server.fake.log).length;
    expect((await run()).code).toBe(0);
    expect(chatsIn(server.fake.log)).toHaveLength(asked);
  },
);

test.concurrent("a model that stops leaves the others alone", async (context) => {
  const gone = obedientBut({ do: { fault: "model_deprecated" } });
  const { server, run } = await stage({ "acme/gone": gone, "acme/coder": obedientModel() }, context);
  const evaluated = await run();
  expect(evaluated.code, evaluated.stderr).toBe(3);
  expect(evaluated.stderr.match(/^stopped +acme\/gone: /gm)).toHaveLength(1);
  const report = reportOf(evaluated);
  expect(report.cells.map(({ model, uplift, complete }) => [model, uplift, complete])).toEqual([
    ["acme/gone", null, false],
    ["acme/coder", 1, true],
  ]);
  expect(report.ungraded.map(({ cause }) => cause)).toEqual(["missing", "missing"]);
  expect(chatsIn(server.fake.log).filter(({ model }) => model === "acme/gone")).toHaveLength(1);
});

/** Met by one arm only. `lost`: attempts at the trial that it voids. */
const passing: Readonly<Record<string, { readonly rule: FakeRule; readonly lost: number }>> = {
  "acme/clean": { rule: { times: 0, do: {} }, lost: 0 },
  "acme/upstream-429": { rule: { times: 1, do: { fault: "rate_limit_upstream" } }, lost: 0 },
  "acme/error-500": { rule: { times: 2, do: { fault: "server_error" } }, lost: 0 },
  "acme/reset": { rule: { times: 2, do: { fault: "reset_mid_body" } }, lost: 0 },
  "acme/empty": { rule: { times: 1, do: { fault: "empty_choices" } }, lost: 0 },
  "acme/cut": { rule: { times: 1, turn: 2, do: { fault: "truncated_json" } }, lost: 0 },
  "acme/overloaded": { rule: { times: 1, turn: 2, do: { fault: "overloaded" } }, lost: 0 },
  "acme/drift": { rule: { times: 1, turn: 2, do: { agent: ["Done."], provider: "Gamma" } }, lost: 1 },
  "acme/drift-twice": { rule: { times: 2, do: { agent: ["Done."], provider: "Gamma" } }, lost: 2 },
};

test.concurrent.for<Arm>(["with_skill", "without_skill"])(
  "faults that only %s meets move no pass rate",
  async (arm, context) => {
    const models = Object.entries(passing).map(([id, { rule }]) => [
      id,
      obedientBut({ ...rule, if: inArm[arm] }),
    ]);
    const { server, folder, run } = await stage(Object.fromEntries(models) as Models, context, 4);
    const evaluated = await run();
    expect(evaluated.code, evaluated.stderr).toBe(0);
    const report = reportOf(evaluated);
    for (const [id, { rule, lost }] of Object.entries(passing)) {
      const met = chatsIn(server.fake.log).filter(
        ({ model, rule: name }) => model === id && name === `${id}#0`,
      );
      expect(met, id).toHaveLength(rule.times ?? 0);
      expect(countsOf(report, id), id).toEqual(countsOf(report, "acme/clean"));
      const inOther = report.voids.filter((row) => row.model === id && row.arm !== arm);
      expect(inOther.map((row) => row.lost)).toEqual([0]);
      expect(report.voids, id).toContainEqual({ model: id, arm, lost, attempts: lost + 1 });
    }
    expect(countsOf(report, "acme/clean")).toMatchObject([{ uplift: 1, complete: true }]);
    expect(report.ungraded).toEqual([]);
    // What does differ is said: waiting, and where attempts were lost.
    const { seconds } = await readOnlyTimings(join(folder, "out"));
    const waitedIn = (wanted: (of: string) => boolean): number =>
      seconds.find((row) => row.model === "acme/error-500" && wanted(row.arm))?.waitingSeconds.mean ?? NaN;
    const waited = waitedIn((of) => of === arm);
    expect(waited).toBeGreaterThanOrEqual((2 * shortestWaitMs) / 1000);
    expect(waitedIn((of) => of !== arm)).toBeLessThan(waited);
    const voided = Object.entries(passing).flatMap(([id, { lost }]) => (lost > 0 ? [id] : []));
    expect(report.warnings.map((words) => words.split(":")[0])).toEqual(voided);
  },
);

/** What a report counts of one model. */
function countsOf({ cells }: Report, id: string): readonly Report["cells"][number][] {
  return cells.filter(({ model }) => model === id).map((cell) => ({ ...cell, model: "" }));
}
