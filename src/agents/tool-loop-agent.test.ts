import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAiChatModel } from "../models/openai-chat.ts";
import { modelServer } from "../models/server.ts";
import { standInModel } from "../models/stand-in.ts";
import { loadStandInPolicy } from "../models/stand-in-policy.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import type { Container } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import {
  type FakeRule,
  type FakeScenario,
  type RunningFake,
  startFake,
} from "../testing/fake-openrouter.mjs";
import { agentContract, agentContractTask, type OpenedAgent } from "./agent.contract.ts";
import type { AgentRecord } from "./port.ts";
import { toolLoopAgent } from "./tool-loop.ts";

const { task, fact, known, otherwise } = agentContractTask;

const writes = (content: string): FakeRule["do"] => ({
  agent: [[{ name: "write_file", args: { path: "out.txt", content } }], "Done."],
});
const rules: readonly FakeRule[] = [
  { if: { system_has: fact }, do: writes(known) },
  { do: writes(otherwise) },
];
const scenario = (more: readonly FakeRule[] = []): FakeScenario => ({
  models: { "acme/coder": { rules: [...more, ...rules] } },
});

async function overFake(): Promise<OpenedAgent & { readonly fake: RunningFake }> {
  const fake = await startFake({ scenario: scenario() });
  const server = modelServer({ baseUrl: fake.baseURL, env: {}, dialect: "openrouter" });
  const endpoint = fakeEndpoint({ baseUrl: fake.baseURL });
  const model = openAiChatModel({ server, endpoint, role: "agent", clock: fakeClock({ now: Date.now() }) });
  return { agent: toolLoopAgent(model), fake, close: () => fake.close() };
}

async function overStandIn(): Promise<OpenedAgent> {
  const folder = await mkdtemp(join(tmpdir(), "stand-in-"));
  const path = join(folder, "policy.yaml");
  const behaviour = (content: string): object => ({ write: [{ path: "out.txt", content }], say: "Done." });
  const tasks = [{ task, facts: [fact], knowing: behaviour(known), otherwise: behaviour(otherwise) }];
  // JSON is YAML.
  await writeFile(
    path,
    JSON.stringify({ format: "skillproof/stand-in-policy@1", models: { "stand-in/m": { tasks } } }),
  );
  const agent = toolLoopAgent(standInModel("stand-in/m", await loadStandInPolicy(path)));
  return { agent, close: () => rm(folder, { recursive: true }) };
}

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const realContainer = (): Promise<Container> =>
  sandbox.open({ role: "agent", labels: { campaign: "test", trial: "agent-contract" }, skill: null });

agentContract("the stand-in in a fake container", overStandIn, () => Promise.resolve(fakeContainer()));
agentContract("the stand-in in a real container", overStandIn, realContainer);
agentContract("a model behind a server, in a real container,", overFake, realContainer);

describe("a provider's faults do not move the outcome", () => {
  let opened: Awaited<ReturnType<typeof overFake>>;
  beforeAll(async () => {
    opened = await overFake();
  });
  afterAll(() => opened.close());

  async function arm(
    system: string,
    more: readonly FakeRule[],
  ): Promise<{ record: AgentRecord; word: string }> {
    opened.fake.fake.load(scenario(more));
    const container = fakeContainer();
    const limits = { turns: 5, outputTokens: 5000, seconds: 30, commandSeconds: 5, maxTokensPerTurn: 512 };
    const record = await opened.agent.work({ system, task, seed: 1, subject: "arm" }, container, {
      limits,
      record: () => undefined,
    });
    return { record, word: new TextDecoder().decode(container.files.get("/workspace/out.txt")) };
  }

  const withSkill = `You work. ${fact}`;
  const without = "You work.";

  test.each(["rate_limit_retry_after", "overloaded", "reset_mid_body", "empty_choices", "html_502"])(
    "%s on both turns of one arm only",
    async (fault) => {
      const inSkillArm: FakeRule = { if: { system_has: fact }, call: [1, 3], do: { fault } };
      const hit = await arm(withSkill, [inSkillArm]);
      const spared = await arm(without, [inSkillArm]);
      expect([hit.word, spared.word]).toEqual([known, otherwise]);
      expect(hit.record.end).toEqual(spared.record.end);
      // Lost attempts and waits are told, but are not the agent's time, turns or tokens.
      expect(hit.record.usage.waitingSeconds).toBeGreaterThan(0);
      expect(spared.record.usage.waitingSeconds).toBe(0);
      expect(hit.record.usage.modelCalls).toBe(spared.record.usage.modelCalls);
    },
  );

  test("an arm whose provider stays down is void, never ended", async () => {
    const { record } = await arm(withSkill, [{ turn: 2, do: { fault: "server_error" } }]);
    expect(record.end).toMatchObject({ kind: "void", reason: expect.stringContaining("HTTP 500") as string });
  });
});

test("a strict server that wants its reasoning back finds no fault in a long conversation", async () => {
  const opened = await overFake();
  const bash = (command: string): object => ({ name: "bash", args: { command } });
  const agent = [
    { calls: [bash("ls"), { name: "read_file", args: { path: "none" } }], reasoning: "first" },
    { calls: [bash("ls")], quirk: "args_malformed", reasoning: "second" },
    { calls: [bash("ls")], quirk: "id_missing" },
    { say: "x", quirk: "blank_content" },
    { say: "", calls: [bash("ls"), bash("ls")], quirk: "id_duplicate", reasoning: "third" },
    { calls: [bash("ls")], quirk: "calls_in_content" },
    "Done.",
  ];
  const model = { requires_reasoning: true, strict_history: true, rules: [{ do: { agent } }] };
  opened.fake.fake.load({ models: { "acme/coder": model } });
  const limits = { turns: 20, outputTokens: 50_000, seconds: 60, commandSeconds: 5, maxTokensPerTurn: 1024 };
  const record = await opened.agent.work(
    { system: "You work.", task, seed: 1, subject: "strict" },
    fakeContainer(),
    {
      limits,
      record: () => undefined,
    },
  );
  expect(record).toMatchObject({ end: { kind: "ended", stop: "finished" }, finalMessage: "Done." });
  expect(opened.fake.fake.log.flatMap(({ warnings, status }) => [...warnings, status])).toEqual(
    Array(7).fill(200),
  );
  await opened.close();
});
