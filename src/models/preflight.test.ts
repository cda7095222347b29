import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InfrastructureError, UserError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { canaryKey, openingMessages, turnOf } from "../testing/faked-chat.ts";
import { type FakeScenario, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { openAiChatModel } from "./openai-chat.ts";
import { type Preflight, preflight, type PreflightRequest } from "./preflight.ts";
import { modelServer } from "./server.ts";

let fake: RunningFake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

const now = Date.parse("2026-06-01T00:00:00Z");
const coder = { id: "acme/coder", role: "agent" } as const;
const judge = { id: "acme/judge-a", role: "judge" } as const;

function fly(
  models: PreflightRequest["models"],
  over: { readonly scenario?: FakeScenario; readonly neededTokens?: number; readonly key?: string } = {},
): Promise<Preflight> {
  const { scenario, neededTokens = 32_000, key = canaryKey } = over;
  if (scenario !== undefined) fake.fake.load(scenario);
  const env = { OPENROUTER_API_KEY: key };
  const server = modelServer({ baseUrl: fake.baseURL, env, dialect: "openrouter" });
  return preflight({ server, models, neededTokens, clock: fakeClock({ now }) });
}

function pathsAsked(): string[] {
  return fake.fake.log.map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
}

test("each model gets its endpoint, from lists alone", async () => {
  const { endpoints, warnings, limitRemainingUsd } = await fly([coder, judge]);
  expect(endpoints).toEqual([
    {
      model: "acme/coder",
      baseUrl: fake.baseURL,
      dialect: "openrouter",
      tag: "alpha/fp8",
      provider: "Alpha",
      quantization: "fp8",
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      parameters: expect.arrayContaining(["tools", "seed", "response_format"]) as string[],
      prices: {
        prompt: "0.000001",
        completion: "0.000005",
        cacheRead: "0.0000001",
        cacheWrite: "0.00000125",
        request: "0",
      },
      cache: "automatic",
      chosen: "listed",
    },
    expect.objectContaining({ model: "acme/judge-a", tag: "alpha/fp8" }),
  ]);
  expect(warnings).toEqual([]);
  expect(limitRemainingUsd).toBeNull();
  expect(fake.fake.spent).toBe(0);
  expect(pathsAsked()).toEqual([
    "GET /key",
    "GET /models",
    "GET /models/acme/coder/endpoints",
    "GET /models/acme/judge-a/endpoints",
  ]);
});

test("a pin from the YAML is used, and its doubts are told", async () => {
  const { endpoints, warnings } = await fly([{ ...coder, pin: "beta/fp4" }]);
  expect(endpoints).toMatchObject([{ tag: "beta/fp4", provider: "Beta", chosen: "configured" }]);
  expect(warnings).toEqual(["acme/coder: beta/fp4 is quantised to fp4, below fp8."]);
});

test("requests to the endpoint found are served by it alone; without a pin the server mixes them", async () => {
  const { endpoints } = await fly([coder]);
  const [endpoint] = endpoints;
  const env = { OPENROUTER_API_KEY: canaryKey };
  const server = modelServer({ baseUrl: fake.baseURL, env, dialect: "openrouter" });
  const model = openAiChatModel({ server, endpoint: endpoint!, role: "agent", clock: fakeClock() });
  const pinned = new Set<string | null>();
  for (let n = 0; n < 6; n++) {
    const messages = [...openingMessages, { role: "user", content: `Number ${n}.` }] as const;
    pinned.add(turnOf(await model.complete({ messages, tools: [], maxTokens: 64 })).servedBy);
  }
  expect([...pinned]).toEqual(["Alpha"]);
  // The same requests but for what pins them.
  const sent = fake.fake.log.filter(({ method }) => method === "POST");
  const unpinned = new Set<unknown>();
  for (const { body } of sent) {
    const free = { ...body, provider: undefined, session_id: undefined };
    const answer = await server.client.post<{ provider?: unknown }>("/chat/completions", { body: free });
    unpinned.add(answer.provider);
  }
  expect([...unpinned].sort()).toEqual(["Alpha", "Beta"]);
});

test("a model in two roles has one endpoint that fits both", async () => {
  const scenario: FakeScenario = {
    models: {
      "acme/coder": {
        endpoints: [
          {
            provider: "Cheap",
            tag: "cheap",
            supported_parameters: ["response_format"],
            pricing: { prompt: "0" },
          },
          { provider: "Plain", tag: "plain", supported_parameters: ["tools"] },
          { provider: "Both", tag: "whole", supported_parameters: ["tools", "response_format"] },
        ],
      },
    },
  };
  const twice = await fly([coder, { ...coder, role: "judge" }], { scenario });
  expect(twice.endpoints.map(({ tag }) => tag)).toEqual(["whole"]);
  expect((await fly([{ ...coder, role: "judge" }])).endpoints).toMatchObject([{ tag: "cheap" }]);
  expect((await fly([coder])).endpoints).toMatchObject([{ tag: "plain" }]);
});

test.each<[string, string, string, "marked" | "automatic"]>([
  ["anthropic/claude", "Anthropic", "anthropic", "marked"],
  ["anthropic/claude", "Google", "google-vertex/global", "marked"],
  ["qwen/coder", "Alibaba", "alibaba/fp8", "marked"],
  ["qwen/coder", "Alpha", "alpha/fp8", "automatic"],
  ["acme/coder", "Alibaba", "alibaba", "automatic"],
])("the cache of %s at %s (%s) is %s", async (id, provider, tag, cache) => {
  const scenario = { models: { [id]: { endpoints: [{ provider, tag, quantization: "fp8" }] } } };
  expect((await fly([{ id, role: "agent" }], { scenario })).endpoints).toMatchObject([{ cache }]);
});

describe("what cannot work is the user's to mend", () => {
  test.each<[string, PreflightRequest["models"], FakeScenario, RegExp]>([
    [
      "an unknown model",
      [{ id: "acme/codr", role: "agent" }],
      {},
      /unknown model "acme\/codr": did you mean/,
    ],
    ["a moving target", [{ id: "acme/coder:nitro", role: "agent" }], {}, /moving target: name acme\/coder/],
    ["a pin that is not listed", [{ ...coder, pin: "alpha" }], {}, /did you mean alpha\/fp8\?/],
    [
      "a router",
      [coder],
      { models: { "acme/coder": { pricing: { prompt: "-1", completion: "-1" } } } },
      /acme\/coder: .*is a router/,
    ],
    ["no endpoint", [coder], { models: { "acme/coder": { endpoints: [] } } }, /no endpoint serves it/],
    [
      "no tools",
      [coder],
      { models: { "acme/coder": { supported_parameters: ["max_tokens"] } } },
      /alpha\/fp8 does not take tools; beta\/fp4 does not take tools/,
    ],
    [
      "a small window",
      [coder],
      { models: { "acme/coder": { context_length: 8192 } } },
      /holds 8192 tokens where 32000 are needed/,
    ],
    ["a limit that is used up", [coder], { account: { key_limit: 0 } }, /used up its limit of \$0/],
  ])("%s", async (_name, models, scenario, words) => {
    const flight = fly(models, { scenario });
    await expect(flight).rejects.toThrow(UserError);
    await expect(flight).rejects.toThrow(words);
    expect(fake.fake.log.every(({ method }) => method === "GET")).toBe(true);
  });

  test("the trouble of every model at once", async () => {
    const flight = fly([
      { ...coder, pin: "x" },
      { ...judge, pin: "y" },
    ]);
    await expect(flight).rejects.toThrow(/settings\.acme\/coder\.pin.*\n.*settings\.acme\/judge-a\.pin/);
  });

  test("a refused key, before anything else, and without showing it", async () => {
    const flight = fly([coder], {
      key: "sk-revoked",
      scenario: { account: { reject_keys: ["sk-revoked"] } },
    });
    await expect(flight).rejects.toThrow(UserError);
    await expect(flight).rejects.toThrow(/key from OPENROUTER_API_KEY/);
    await expect(flight).rejects.not.toThrow(/sk-revoked/);
    expect(pathsAsked()).toEqual(["GET /key"]);
  });
});

test("a server that is down is infrastructure", async () => {
  await fake.close();
  await expect(fly([coder])).rejects.toThrow(InfrastructureError);
  fake = await startFake();
});

test("an abort ends it with its reason", async () => {
  const stopped = new AbortController();
  stopped.abort(new Error("enough"));
  const server = modelServer({ baseUrl: fake.baseURL, env: {}, dialect: "openrouter" });
  const flight = preflight({
    server,
    models: [coder],
    neededTokens: 1,
    clock: fakeClock(),
    signal: stopped.signal,
  });
  await expect(flight).rejects.toThrow("enough");
  expect(fake.fake.log).toEqual([]);
});

test("what is left of the key's limit", async () => {
  expect((await fly([coder], { scenario: { account: { key_limit: 12.5 } } })).limitRemainingUsd).toBe(12.5);
});

test.each<[string, Readonly<Record<string, unknown>>, string, RegExp]>([
  ["never paid", { is_free_tier: true }, "acme/coder", /never bought credits/],
  ["free model", { is_free_tier: false }, "acme/coder:free", /20 requests a minute/],
  [
    "free model, counted",
    { is_free_tier: true, free_requests_left: 7 },
    "acme/coder:free",
    /acme\/coder:free: .*50 a day, 7 of them are left today/,
  ],
])("the account: %s", async (_name, account, id, words) => {
  const { warnings } = await fly([{ id, role: "agent" }], { scenario: { account, models: { [id]: {} } } });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(words);
});

test.each<[string | null, readonly RegExp[]]>([
  ["2026-05-20", [/was to be removed on 2026-05-20/]],
  ["2026-06-10", [/is to be removed on 2026-06-10/]],
  ["2026-09-01", []],
  ["some day", []],
  [null, []],
])("a model that expires on %s", async (expiration_date, expected) => {
  const { warnings } = await fly([coder], { scenario: { models: { "acme/coder": { expiration_date } } } });
  expect(warnings).toEqual(expected.map((words) => expect.stringMatching(words) as string));
});

test("an embedding model is found in the list of its own, and needs no tools and no window", async () => {
  const { endpoints } = await fly([coder, { id: "acme/embed", role: "embedding" }], {
    scenario: {
      models: {
        "acme/coder": {},
        "acme/embed": {
          embedding: {},
          context_length: 512,
          endpoints: [{ provider: "Alpha", tag: "alpha", supported_parameters: [] }],
        },
      },
    },
  });
  expect(endpoints).toMatchObject([
    { model: "acme/coder" },
    { model: "acme/embed", tag: "alpha", contextLength: 512 },
  ]);
});

test("a snapshot's name is a model's name", async () => {
  const { endpoints } = await fly([{ id: "acme/coder-20260127", role: "agent" }]);
  expect(endpoints).toMatchObject([{ model: "acme/coder-20260127", tag: "alpha/fp8" }]);
});

test("settings for servers that list nothing are named when they are not used", async () => {
  const prices = { input: 1, output: 2 };
  const { endpoints, warnings } = await fly([{ ...coder, parameters: ["seed"], prices }]);
  expect(endpoints[0]?.prices?.prompt).toBe("0.000001");
  expect(endpoints[0]?.parameters).toContain("temperature");
  expect(warnings).toEqual([
    "models.settings.acme/coder.parameters: not used, since the server lists them.",
    "models.settings.acme/coder.prices: not used, since the server lists them.",
  ]);
});
