import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import type { Report } from "../artefacts/report.ts";
import type { RawConfig } from "../config.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { readAllJudgeTrials } from "../store/judges.ts";
import { bothArms } from "../testing/arms.ts";
import { letterBundle, passedGate } from "../testing/benchmark.ts";
import {
  campaignIn,
  chatsIn,
  type Evaluated,
  evalIn,
  filesIn,
  planIn,
  reportOf,
  writeConfig,
} from "../testing/eval-command.ts";
import {
  type FakeLogEntry,
  type FakeModel,
  type FakeRule,
  type RunningFake,
  startFake,
} from "../testing/fake-openrouter.mjs";
import { marker, sampleCampaign } from "../testing/sample-campaign.ts";

// They go on side by side and wait for each other's containers.
vi.setConfig({ testTimeout: 180_000 });

/** Its id is a word that stands in no question and no file. */
const bundle = { ...letterBundle(), id: "correspondence" };
const questionsOfLetter = 2;
/** One in each arm; the agent writes the letter and says that it is done. */
const planned = 2;
const callsOfTrial = 2;
/** Of the two sentinels, then of one letter in each arm. */
const questions = { sentinels: 2 * questionsOfLetter, trials: planned * questionsOfLetter };
const [first, second, third] = ["alpha/judge-a", "bravo/judge-b", "carol/judge-c"] as const;
const judges = [first, second, third] as const;
const agent = "delta/coder";

const free = { prompt: "0", completion: "0", input_cache_read: "0", input_cache_write: "0" };

/** Writes a polite letter only when it was told how letters are written here. */
const writer: FakeModel = {
  pricing: free,
  rules: [
    { if: { system_has: marker }, do: letter("Dear Madam, thank you.\n") },
    { do: letter("Pay at once.\n") },
  ],
};

function letter(content: string): FakeRule["do"] {
  return { agent: [[{ name: "write_file", args: { path: "letter.md", content } }], "Done."] };
}

/** Says what is so. */
const sound: readonly FakeRule[] = [
  { if: { last_has: "Is the letter polite?" }, do: { judge: { yes_if: ["Dear"] } } },
  { if: { last_has: "Is the letter angry?" }, do: { judge: { yes_if: ["/You again|Pay at once/"] } } },
];

type Panel = Readonly<Partial<Record<(typeof judges)[number], FakeModel>>>;

function scenario(panel: Panel): { readonly models: Readonly<Record<string, FakeModel>> } {
  const sworn = judges.map((id) => [id, { rules: sound, ...panel[id] }] as const);
  return { models: { [agent]: writer, ...Object.fromEntries(sworn) } };
}

type Scene = {
  readonly server: RunningFake;
  readonly folder: string;
  readonly run: () => Promise<Evaluated>;
  readonly configure: (evaluation: RawConfig["evaluation"]) => Promise<void>;
};

/** One trial in each arm of a benchmark that three judges decide. */
async function stage(panel: Panel, { onTestFinished }: Pick<TestContext, "onTestFinished">): Promise<Scene> {
  const server = await startFake({ scenario: scenario(panel) });
  const folder = await sampleCampaign();
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  await rm(join(folder, "benchmarks/sample/answer"), { recursive: true });
  await writeBenchmark(join(folder, "benchmarks/sample", bundle.id), bundle, passedGate(bundle));
  const configure = (evaluation: RawConfig["evaluation"]): Promise<void> =>
    writeConfig(folder, {
      ...{ name: "sample", skills: ["skills/sample"], models: { baseUrl: server.baseURL } },
      judge: { models: [...judges] },
      evaluation: { models: [agent], trials: 1, concurrency: 1, ...evaluation },
    });
  await configure({});
  return { server, folder, run: () => evalIn(folder), configure };
}

function askedOf(id: string, log: readonly FakeLogEntry[]): readonly FakeLogEntry[] {
  return chatsIn(log).filter(({ model }) => model === id);
}

/** Questions that were answered, by judge and by what it was shown. */
function ballotsIn(log: readonly FakeLogEntry[]): readonly string[] {
  return chatsIn(log)
    .filter(({ model, status }) => model !== agent && status === 200)
    .map(({ model, body }) => JSON.stringify([model, body["messages"]]));
}

function expectSkillHelps(report: Report): void {
  expect(report.pooled).toMatchObject({
    uplift: 1,
    with: { passed: 1, graded: 1, planned: 1 },
    without: { passed: 0, graded: 1, planned: 1 },
  });
}

test.concurrent(
  "three sound judges decide, are asked once, and do not know what they judge",
  async (context) => {
    const dull = { supported_parameters: ["tools", "max_tokens", "response_format"] };
    const { server, folder, run } = await stage({ [third]: dull }, context);
    const evaluated = await run();
    expect(evaluated.code, evaluated.stderr).toBe(0);
    const report = reportOf(evaluated);
    expectSkillHelps(report);
    expect(report.judges).toMatchObject({
      questions: questions.trials,
      decided: questions.trials,
      unanimous: { agreed: questions.trials, of: questions.trials },
      tried: [{ benchmark: bundle.id, passed: judges.length, judges: judges.length }],
    });
    const campaign = await campaignIn(folder);
    const [tried] = await readAllJudgeTrials(campaign);
    expect(tried?.trials.map(({ judge, outcome }) => [judge, outcome])).toEqual(
      judges.map((id) => [id, "passed"]),
    );
    expect(existsSync(join(campaign, "judges/sample", `${bundle.id}.json`))).toBe(true);
    const answers = (await readFile(join(campaign, "answers.jsonl"), "utf8")).trim().split("\n");
    expect(answers).toHaveLength(questions.trials);

    const blind = judges.flatMap((id) => askedOf(id, server.fake.log));
    expect(blind).toHaveLength((questions.sentinels + questions.trials) * judges.length);
    const { campaign: name } = await planIn(folder);
    for (const { body, headers } of blind) {
      const sent = JSON.stringify([{ ...body, model: "" }, headers]);
      for (const secret of [...bothArms, agent, "sample", bundle.id, name, marker]) {
        expect(sent, secret).not.toContain(secret);
      }
      expect(body["reasoning"]).toEqual(body["model"] === third ? undefined : { effort: "low" });
    }

    const before = chatsIn(server.fake.log).length;
    expect((await run()).code).toBe(0);
    expect(chatsIn(server.fake.log)).toHaveLength(before);
  },
);

test.concurrent(
  "a judge that always says YES is set aside and named, and the two others decide",
  async (context) => {
    const flatterer = { rules: [{ do: { judge: { default: "YES" } } }] };
    const { server, folder, run } = await stage({ [second]: flatterer }, context);
    const evaluated = await run();
    expect(evaluated.code, evaluated.stderr).toBe(0);
    expect(evaluated.stderr).toMatch(
      new RegExp(`^warning +${second} has no vote on sample/${bundle.id}: set aside: .*anger`, "m"),
    );
    const report = reportOf(evaluated);
    expectSkillHelps(report);
    expect(report.judges.setAside).toMatchObject([{ benchmark: bundle.id, judge: second }]);
    expect(report.judges.judges.find(({ judge }) => judge === second)).toMatchObject({
      ballots: 0,
      notAsked: questions.trials,
    });
    expect(askedOf(second, server.fake.log)).toHaveLength(questions.sentinels);
    const markdown = await readFile(join(await campaignIn(folder), "report/report.md"), "utf8");
    expect(markdown).toContain(`${second} has no vote on sample/${bundle.id}: `);
  },
);

const down: FakeRule = { do: { fault: "model_deprecated" } };
const downAfterSentinels: FakeModel = {
  rules: [{ ...down, call: `${questions.sentinels + 1}-999` }, ...sound],
};

test.concurrent.for<[string, FakeModel]>([
  ["from the start", { rules: [down] }],
  ["after the sentinels", downAfterSentinels],
])("one judge down %s is absent, and two equal votes decide as three would", async ([, broken], context) => {
  const { run } = await stage({ [third]: broken }, context);
  const evaluated = await run();
  expect(evaluated.code, evaluated.stderr).toBe(0);
  const report = reportOf(evaluated);
  expectSkillHelps(report);
  expect(report.judges).toMatchObject({ decided: questions.trials, unanimous: { agreed: 0, of: 0 } });
  const absent = report.judges.judges.find(({ judge }) => judge === third);
  expect(absent).toMatchObject({ yes: 0, no: 0, absent: questions.trials });
});

test.concurrent(
  "two judges down: ungraded, and later graded without asking anybody twice",
  async (context) => {
    const { server, folder, run } = await stage(
      { [second]: downAfterSentinels, [third]: downAfterSentinels },
      context,
    );
    const broken = await run();
    expect(broken.code, broken.stderr).toBe(3);
    expect(reportOf(broken).ungraded.map(({ cause }) => cause)).toEqual([
      "judges_unreached",
      "judges_unreached",
    ]);
    expect(reportOf(broken).trials).toMatchObject({ finished: 2, graded: 0 });
    expect(await filesIn(folder, "/trial.json")).toHaveLength(2);
    const paid = ballotsIn(server.fake.log);

    server.fake.load(scenario({}));
    const mended = await run();
    expect(mended.code, mended.stderr).toBe(0);
    expectSkillHelps(reportOf(mended));
    expect(askedOf(agent, server.fake.log)).toEqual([]);
    expect(askedOf(first, server.fake.log)).toEqual([]);
    for (const id of [second, third]) expect(askedOf(id, server.fake.log)).toHaveLength(questions.trials);
    const all = [...paid, ...ballotsIn(server.fake.log)];
    expect(new Set(all).size).toBe(all.length);
  },
);

test.concurrent(
  "a budget reached while judging: what was answered is kept and never paid for again",
  async (context) => {
    const { server, folder, run, configure } = await stage({}, context);
    // Room for three requests at once and what a few have cost; the agent costs nothing.
    await configure({ budgetUsd: 0.0345 });
    const stopped = await run();
    expect(stopped.code, stopped.stderr).toBe(4);
    expect(stopped.stderr).toMatch(/^budget: /m);
    const paid = ballotsIn(server.fake.log);
    const all = (questions.sentinels + questions.trials) * judges.length;
    expect(paid.length).toBeGreaterThan(0);
    expect(paid.length).toBeLessThan(all);
    const finished = await filesIn(folder, "/trial.json");
    expect(finished).toHaveLength(1);
    expect(server.fake.spent).toBeLessThanOrEqual(0.0345);

    await configure({ budgetUsd: 5 });
    const resumed = await run();
    expect(resumed.code, resumed.stderr).toBe(0);
    expectSkillHelps(reportOf(resumed));
    const ballots = ballotsIn(server.fake.log);
    expect(ballots).toHaveLength(all);
    expect(new Set(ballots).size).toBe(all);
    expect(askedOf(agent, server.fake.log)).toHaveLength(planned * callsOfTrial);
  },
);
