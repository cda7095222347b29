import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import { z } from "zod";
import type { RawConfig } from "../config.ts";
import { readLedger } from "../store/ledger.ts";
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
  type FakeScenario,
  type RunningFake,
  startFake,
} from "../testing/fake-openrouter.mjs";
import {
  type LocalAnswer,
  type LocalRequest,
  type LocalServer,
  modelList,
  notFound,
  startLocalServer,
} from "../testing/local-server.ts";
import { readOnlyTimings } from "../testing/read-report.ts";
import { marker, obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";

// They go on side by side and wait for each other's containers.
vi.setConfig({ testTimeout: 180_000 });

const alpha = { provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" };
const beta = { provider: "Beta", tag: "beta/fp4", quantization: "fp4" };
/** The obedient model's trial: it writes the file and says that it is done. */
const callsOfTrial = 2;

type Disposing = Pick<TestContext, "onTestFinished">;

async function fakeWith(scenario: FakeScenario, { onTestFinished }: Disposing): Promise<RunningFake> {
  const server = await startFake({ scenario });
  onTestFinished(() => server.close());
  return server;
}

/** One trial in each arm of every model. */
async function campaignOf(
  models: readonly string[],
  over: Pick<RawConfig, "models" | "judge">,
  { onTestFinished }: Disposing,
): Promise<string> {
  const evaluation = { models: [...models], trials: 1, concurrency: models.length };
  const folder = await sampleCampaign({ ...over, evaluation });
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function pinsOf(log: readonly FakeLogEntry[]): readonly unknown[] {
  const pins = chatsIn(log).map(({ body }) => body["provider"] as Readonly<Record<string, unknown>>);
  return [...new Set(pins.map(({ only, allow_fallbacks: others }) => JSON.stringify([only, others])))];
}

function servedBy(log: readonly FakeLogEntry[]): readonly unknown[] {
  return [...new Set(chatsIn(log).map((entry) => (entry as { provider?: string }).provider))];
}

test.concurrent(
  "one endpoint for a whole campaign, also when the server's list has changed since",
  async (context) => {
    const outOfMoney = { call: `${callsOfTrial + 1}-999`, do: { fault: "no_credits" } };
    const model = { endpoints: [beta, alpha], rules: [outOfMoney, ...obedientModel().rules] };
    const server = await fakeWith({ models: { "acme/coder": model } }, context);
    const folder = await campaignOf(["acme/coder"], { models: { baseUrl: server.baseURL } }, context);
    const first = await evalIn(folder);
    expect(first.code, first.stderr).toBe(3);
    expect(first.stderr).toMatch(
      /^endpoint acme\/coder at alpha\/fp8 \(fp8, 128000 tokens, \$1\.00\/\$5\.00 per million\)$/m,
    );
    const plan = await planIn(folder);
    expect(plan.endpoints).toMatchObject([{ tag: "alpha/fp8", provider: "Alpha", chosen: "listed" }]);
    expect(pinsOf(server.fake.log)).toEqual([JSON.stringify([["alpha/fp8"], false])]);
    expect(servedBy(server.fake.log)).toEqual(["Alpha"]);

    // Another would be chosen today.
    const endpoints = [
      { ...beta, quantization: "fp8", pricing: { prompt: "0.0000001" } },
      { ...alpha, uptime: 40, pricing: { prompt: "0.00001" } },
    ];
    server.fake.load({ models: { "acme/coder": { endpoints, ...obedientModel() } } });
    const resumed = await evalIn(folder);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(pinsOf(server.fake.log)).toEqual([JSON.stringify([["alpha/fp8"], false])]);
    expect(servedBy(server.fake.log)).toEqual(["Alpha"]);
    expect(server.fake.log.filter(({ path }) => path.endsWith("/endpoints"))).toEqual([]);
    expect(await planIn(folder)).toEqual(plan);
    expect(reportOf(resumed).endpoints).toEqual(plan.endpoints);
  },
);

test.concurrent(
  "a pin in the YAML wins over what would be chosen, and an unknown one is named",
  async (context) => {
    const server = await fakeWith(
      { models: { "acme/coder": { endpoints: [alpha, beta], ...obedientModel() } } },
      context,
    );
    const models = (pin: string): RawConfig["models"] => ({
      baseUrl: server.baseURL,
      settings: { "acme/coder": { pin } },
    });
    const folder = await campaignOf(["acme/coder"], { models: models("alpha/fp6") }, context);
    const refused = await evalIn(folder);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /models\.settings\.acme\/coder\.pin: no endpoint "alpha\/fp6"; did you mean alpha\/fp8/,
    );
    expect(chatsIn(server.fake.log)).toEqual([]);

    const evaluation = { models: ["acme/coder"], trials: 2 };
    await writeConfig(folder, {
      name: "sample",
      skills: ["skills/sample"],
      models: models("beta/fp4"),
      evaluation,
    });
    const evaluated = await evalIn(folder);
    expect(evaluated.code, evaluated.stderr).toBe(0);
    expect((await planIn(folder)).endpoints).toMatchObject([{ tag: "beta/fp4", chosen: "configured" }]);
    expect(pinsOf(server.fake.log)).toEqual([JSON.stringify([["beta/fp4"], false])]);
    expect(servedBy(server.fake.log)).toEqual(["Beta"]);
    expect(evaluated.stderr).toMatch(/^warning +acme\/coder: beta\/fp4 is quantised to fp4, below fp8\.$/m);
    expect(evaluated.stderr).toMatch(
      /^estimate Estimated cost \$.*For the 1 trial\(s\) left, by the medians of 3 finished\.$/m,
    );
  },
);

test.concurrent(
  "another provider or another snapshot in mid-trial: void, done again, verdicts as without",
  async (context) => {
    const once = (what: Readonly<Record<string, unknown>>) => ({
      rules: [
        { if: { system_has: marker }, turn: 2, times: 1, do: { agent: ["Done."], ...what } },
        ...obedientModel().rules,
      ],
    });
    const models = {
      "acme/steady": obedientModel(),
      "acme/provider": once({ provider: "Beta" }),
      "acme/snapshot": once({ merge: { model: "acme/snapshot-20260301" } }),
    };
    const account = { key_limit: 0.05 };
    const server = await fakeWith({ account, models }, context);
    const folder = await campaignOf(Object.keys(models), { models: { baseUrl: server.baseURL } }, context);
    const evaluated = await evalIn(folder);
    expect(evaluated.code, evaluated.stderr).toBe(0);
    expect(evaluated.stderr).toMatch(
      /^void +sample\/answer\/acme\/provider\/with_skill\/1: .*served by Beta although pinned to Alpha/m,
    );
    expect(evaluated.stderr).toMatch(
      /^void +sample\/answer\/acme\/snapshot\/with_skill\/1: .*snapshot changed in mid-trial: acme\/snapshot-20260127, then acme\/snapshot-20260301/m,
    );
    const report = reportOf(evaluated);
    const tallies = report.cells.map(({ arms, uplift, complete }) => ({ arms, uplift, complete }));
    expect(tallies).toEqual(tallies.map(() => tallies[0]));
    expect(tallies[0]).toMatchObject({ uplift: 1, complete: true });
    const lost = report.voids.filter((row) => row.lost > 0).map((row) => [row.model, row.arm, row.lost]);
    expect(lost).toEqual([
      ["acme/provider", "with_skill", 1],
      ["acme/snapshot", "with_skill", 1],
    ]);
    // Said before the first of them: what the key may spend is less than what this may cost.
    expect(evaluated.stderr).toMatch(
      /^warning +the key may spend \$0\.0500 more, less than the \$[\d.]+ expected/m,
    );
  },
);

const asked = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullable() })),
  tools: z.array(z.unknown()).optional(),
});

/** A server that keeps the end of a prompt that is too long and says nothing; its model is the obedient one. */
function ollamaLike(window: { readonly tokens: number }): (request: LocalRequest) => LocalAnswer {
  return ({ method, path, body }) => {
    if (method === "GET") {
      return path === "/v1/models" ? modelList({ id: "llama3", owned_by: "library" }) : notFound;
    }
    const { messages, tools } = asked.parse(body);
    const seen = messages
      .map(({ content }) => content ?? "")
      .join("\n")
      .slice(-4 * window.tokens);
    const tokens = Math.ceil(seen.length / 4);
    const message = tools === undefined ? { content: secretsIn(seen) } : obedient(seen, messages.length > 2);
    const finish_reason = "tool_calls" in message ? "tool_calls" : "stop";
    return {
      json: {
        ...{ id: "chatcmpl-1", object: "chat.completion", model: "llama3" },
        choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }],
        usage: { prompt_tokens: tokens, completion_tokens: 8, total_tokens: tokens + 8 },
      },
    };
  };
}

function secretsIn(seen: string): string {
  return [...seen.matchAll(/secret word is (\w+)/g)].map(([, word]) => word).join(" ");
}

function obedient(seen: string, written: boolean): Readonly<Record<string, unknown>> {
  if (written) return { content: "Done." };
  const content = seen.includes(marker) ? "right\n" : "left\n";
  const args = JSON.stringify({ path: "answer.txt", content });
  const call = { id: "call_1", type: "function", function: { name: "write_file", arguments: args } };
  return { content: null, tool_calls: [call] };
}

test.concurrent(
  "a server that cuts long prompts is found out before the first container, and asked again until it does not",
  async (context) => {
    const window = { tokens: 4096 };
    const server: LocalServer = await startLocalServer(ollamaLike(window));
    context.onTestFinished(() => server.close());
    const folder = await campaignOf(["llama3"], { models: { baseUrl: `${server.url}/v1` } }, context);
    const chats = (): readonly LocalRequest[] => server.requests.filter(({ method }) => method === "POST");
    const probes = async (): Promise<number> => {
      const lines = await readLedger(join(await campaignIn(folder), "ledger.jsonl"));
      return lines.filter((line) => line.kind === "attempt" && line.role === "probe").length;
    };
    const refusals: Evaluated[] = [await evalIn(folder), await evalIn(folder)];
    for (const { code, stderr } of refusals) {
      expect(code, stderr).toBe(2);
      expect(stderr).toMatch(/^error: llama3: .*tokens of a prompt arrived.*num_ctx in an Ollama Modelfile/m);
    }
    expect(chats().map(({ body }) => asked.parse(body).tools)).toEqual(Array(4).fill(undefined));
    const opened = async (): Promise<readonly string[]> =>
      (await filesIn(folder, ".json")).filter((file) => /^(canaries|trials)\//.test(file));
    expect([await probes(), await opened()]).toEqual([4, []]);

    window.tokens = 32_768;
    const whole = await evalIn(folder);
    expect(whole.code, whole.stderr).toBe(0);
    expect(await probes()).toBe(5);
    expect(await opened()).not.toEqual([]);
    expect(reportOf(whole).pooled).toMatchObject({ uplift: 1, completeCells: 1 });
    const { money } = await readOnlyTimings(join(folder, "out"));
    expect(money.roles.map(({ role }) => role)).toEqual(["agent", "probe"]);

    const before = chats().length;
    expect((await evalIn(folder)).code).toBe(0);
    expect(chats()).toHaveLength(before);
  },
);
