import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runToolLoop } from "../agents/tool-loop.ts";
import { agentTools } from "../agents/tools.ts";
import type { Endpoint } from "../artefacts/endpoint.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import { type FakeLogEntry, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { openAiChatModel } from "./openai-chat.ts";
import type { ChatModel, Usage } from "./port.ts";
import { modelServer } from "./server.ts";

let running: RunningFake;
beforeAll(async () => {
  running = await startFake();
});
afterAll(() => running.close());

const turns = 25;
const skill = "What a skill says, at length. ".repeat(1000);
const limits = { turns, outputTokens: 1e6, seconds: 1e6, commandSeconds: 60, maxTokensPerTurn: 1024 };

/** One trial whose agent never stops by itself: every turn reads 4,000 characters more. What each turn used. */
async function trial(endpoint: Endpoint, seed: number): Promise<readonly Usage[]> {
  const server = modelServer({ baseUrl: running.baseURL, env: {}, dialect: "openrouter" });
  const client = openAiChatModel({ server, endpoint, role: "agent", clock: fakeClock() });
  const usages: Usage[] = [];
  const model: ChatModel = {
    ...client,
    async complete(request, signal) {
      const answer = await client.complete(request, signal);
      if (answer.kind === "turn") usages.push(answer.usage);
      return answer;
    },
  };
  let commands = 0;
  const record = await runToolLoop({
    model,
    tools: agentTools,
    task: { system: `You work. ${skill}`, task: "Do it.", seed, subject: `trial ${seed}` },
    container: fakeContainer({ run: () => ({ stdout: `${++commands} `.padEnd(4000, "output ") }) }),
    limits,
    record: () => undefined,
  });
  expect(record.end).toEqual({ kind: "ended", stop: "turn_limit" });
  expect(usages).toHaveLength(turns);
  return usages;
}

function load(model: string, cache: "explicit" | "implicit"): void {
  const rules = [{ do: { agent: [[{ name: "bash", args: { command: "ls" } }]] } }];
  running.fake.load({ models: { [model]: { cache, rules } } });
}

const shares = (usages: readonly Usage[]): number[] =>
  usages.map(({ cachedInputTokens, inputTokens }) => (cachedInputTokens ?? NaN) / (inputTokens ?? NaN));

describe("a family with an explicit cache", () => {
  test.each([
    { name: "one mark at the top", model: "anthropic/claude" },
    { name: "marks on blocks", model: "qwen/coder" },
  ])("$name: at least 85 % of every prompt from the third turn on is read from it", async ({ model }) => {
    load(model, "explicit");
    const usages = await trial(fakeEndpoint({ model, cache: "marked" }), 1);
    expect(Math.min(...shares(usages.slice(2)))).toBeGreaterThanOrEqual(0.85);
    // What was read is written once, not again with every turn.
    for (const { cacheWriteTokens } of usages.slice(1)) expect(cacheWriteTokens).toBeLessThan(2500);
  });

  test("another trial finds the first one's system prompt in it", async () => {
    load("qwen/coder", "explicit");
    const endpoint = fakeEndpoint({ model: "qwen/coder", cache: "marked" });
    const [first] = await trial(endpoint, 1);
    const [second] = await trial(endpoint, 2);
    expect(shares(first === undefined || second === undefined ? [] : [first, second])).toEqual([
      0,
      expect.closeTo(1, 1),
    ]);
  });

  test("without marks nothing is cached", async () => {
    load("qwen/coder", "explicit");
    expect(Math.max(...shares(await trial(fakeEndpoint({ model: "qwen/coder" }), 1)))).toBe(0);
  });
});

describe("a family with an automatic cache", () => {
  /** The bytes of a request up to the end of its messages. */
  const prefixOf = ({ body }: FakeLogEntry): string => {
    const text = JSON.stringify(body);
    const end = text.lastIndexOf(`],"max_tokens":`);
    expect(end).toBeGreaterThan(0);
    return text.slice(0, end);
  };

  test("each request begins with the bytes of the one before, and each trial with those of the others", async () => {
    load("acme/coder", "implicit");
    const usages = await trial(fakeEndpoint(), 1);
    await trial(fakeEndpoint(), 2);
    const prefixes = running.fake.log.map(prefixOf);
    expect(prefixes).toHaveLength(2 * turns);
    expect(prefixes[turns]).toBe(prefixes[0]);
    prefixes.forEach((prefix, at) => {
      if (at % turns > 0) expect(prefix.startsWith(prefixes[at - 1] ?? "?")).toBe(true);
    });
    expect(prefixes[0]).toContain(skill);
    expect(Math.min(...shares(usages.slice(2)))).toBeGreaterThanOrEqual(0.85);
  });
});
