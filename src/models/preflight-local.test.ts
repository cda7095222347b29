import { afterEach, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { startFake } from "../testing/fake-openrouter.mjs";
import {
  type LocalAnswer,
  type LocalRequest,
  type LocalServer,
  modelList,
  notFound,
  startLocalServer,
} from "../testing/local-server.ts";
import { type Preflight, preflight, type PreflightRequest } from "./preflight.ts";
import { modelServer, type ServerSettings } from "./server.ts";
import { serverKindOf, unknownModelHint, windowHint } from "./server-kind.ts";

let server: LocalServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const llama = { id: "llama3", role: "agent" } as const;
const tellsNoWindow = "llama3: the server does not tell its context window.";
const tellsNoPrice =
  "llama3: what it costs is unknown; set models.settings.llama3.prices (0 for a model of your own).";

/** A preflight at a server of another make; `root` is what the user wrote behind the port. */
async function fly(
  answer: (request: LocalRequest) => LocalAnswer,
  model: Partial<PreflightRequest["models"][number]> = {},
  {
    root = "/v1",
    neededTokens = 8000,
    ...settings
  }: Partial<ServerSettings> & { root?: string; neededTokens?: number } = {},
): Promise<Preflight> {
  server = await startLocalServer(answer);
  const opened = modelServer({ baseUrl: server.url + root, env: {}, ...settings });
  const models = [{ ...llama, ...model }];
  return preflight({ server: opened, models, neededTokens, clock: fakeClock() });
}

/** A server that has /v1/models and nothing else. */
function listing(
  ...cards: readonly Readonly<Record<string, unknown>>[]
): (request: LocalRequest) => LocalAnswer {
  return ({ path }) => (path === "/v1/models" ? modelList(...cards) : notFound);
}

const ollama = listing({ id: "llama3:latest", owned_by: "library" });

test("Ollama: one endpoint, what it does not list is unknown and said so", async () => {
  const { endpoints, warnings, limitRemainingUsd } = await fly(ollama);
  expect(endpoints).toEqual([
    {
      model: "llama3",
      baseUrl: `${server!.url}/v1`,
      dialect: "openai",
      tag: null,
      provider: null,
      quantization: null,
      contextLength: null,
      maxOutputTokens: null,
      parameters: null,
      prices: null,
      cache: "automatic",
      chosen: "only",
    },
  ]);
  expect(warnings).toEqual([tellsNoWindow, tellsNoPrice]);
  expect(limitRemainingUsd).toBeNull();
  // Neither the key nor endpoints are asked for: only OpenRouter has them.
  expect(server!.requests.map(({ path }) => path)).toEqual(["/v1/models"]);
});

test("what the YAML says is used: parameters, and prices as text per token", async () => {
  const { endpoints, warnings } = await fly(ollama, {
    parameters: ["seed", "temperature"],
    prices: { input: 0, output: "0.25" },
  });
  expect(endpoints).toMatchObject([
    { parameters: ["seed", "temperature"], prices: { prompt: "0", completion: "0.00000025", request: null } },
  ]);
  expect(warnings).toEqual([tellsNoWindow]);
});

test("a proxy's list is read, and the YAML goes before it", async () => {
  const proxy = listing({
    id: "llama3",
    context_length: 64_000,
    supported_parameters: ["tools", "seed"],
    pricing: { prompt: "0.000003", completion: 0.000015, input_cache_read: "0.0000003" },
  });
  const listed = await fly(proxy);
  expect(listed.warnings).toEqual([]);
  expect(listed.endpoints).toMatchObject([
    {
      contextLength: 64_000,
      parameters: ["tools", "seed"],
      prices: { prompt: "0.000003", completion: "0.000015", cacheRead: "0.0000003", cacheWrite: null },
    },
  ]);
  await server!.close();
  const written = await fly(proxy, { parameters: ["temperature"], prices: { input: 1, output: 2 } });
  expect(written.endpoints).toMatchObject([{ parameters: ["temperature"], prices: { prompt: "0.000001" } }]);
});

const refusals: readonly [string, Parameters<typeof fly>, RegExp][] = [
  [
    "Ollama: a model that was not pulled",
    [ollama, { id: "phi4" }],
    /unknown model "phi4".*\(llama3:latest\).*ollama pull phi4/s,
  ],
  ["Ollama: no model at all", [() => ({ json: { object: "list", data: null } })], /lists 0 models/],
  ["llama.cpp: another name", [listing({ id: "/models/q.gguf", owned_by: "llamacpp" })], /--alias/],
  ["vLLM: another name", [listing({ id: "org/m", owned_by: "vllm" })], /--served-model-name/],
  ["LM Studio: not there", [listing({ id: "m", owned_by: "organization_owner" })], /load it in LM Studio/],
  [
    "LM Studio: the base URL lacks /v1",
    [
      ({ method, path }) => ({ json: { error: `Unexpected endpoint or method. (${method} ${path})` } }),
      {},
      { root: "" },
    ],
    /Unexpected endpoint or method.*does it end in \/v1\?/,
  ],
  [
    "vLLM: a small window",
    [listing({ id: "llama3", owned_by: "vllm", max_model_len: 4096 })],
    /holds 4096 tokens where 8000 are needed\. .*--max-model-len/,
  ],
  [
    "llama.cpp: a small window",
    [listing({ id: "llama3", owned_by: "llamacpp", meta: { n_ctx: 4096, n_ctx_train: 131_072 } })],
    /holds 4096 tokens .*larger -c/,
  ],
  [
    "llama.cpp: a model made for short texts",
    [listing({ id: "llama3", owned_by: "llamacpp", meta: { n_ctx_train: 2048 } })],
    /holds 2048 tokens .*Use another model/,
  ],
  [
    "a list that says no tools",
    [listing({ id: "llama3", supported_parameters: ["seed"] })],
    /does not take tools/,
  ],
  ["a pin", [ollama, { pin: "alpha/fp8" }], /settings\.llama3\.pin: .*has no endpoints to choose from/],
  [
    "a price in words",
    [ollama, { prices: { input: "cheap", output: 1 } }],
    /settings\.llama3\.prices: not numbers/,
  ],
];

test.each(refusals)("refused: %s", async (_name, flight, words) => {
  const refused = fly(...flight);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(words);
});

test("a judge needs no tools", async () => {
  const { endpoints } = await fly(listing({ id: "llama3", supported_parameters: ["seed"] }), {
    role: "judge",
  });
  expect(endpoints).toHaveLength(1);
});

test.each([
  ["/v1", ""],
  ["", " Does the base URL lack /v1?"],
])("a server without any list at %j is taken at the user's word", async (root, question) => {
  const { endpoints, warnings } = await fly(() => notFound, {}, { root });
  expect(endpoints).toMatchObject([{ model: "llama3", chosen: "only", contextLength: null }]);
  expect(warnings[0]).toBe(
    `${server!.url}${root} lists no models: whether it has llama3 is unknown.${question}`,
  );
});

test.each([404, 405, 501])(
  "OpenRouter's dialect at a server that answers %i to its lists",
  async (status) => {
    const proxy = ({ path }: LocalRequest): LocalAnswer =>
      path === "/v1/models" ? modelList({ id: "llama3", context_length: 32_000 }) : { status, json: {} };
    const { endpoints, warnings } = await fly(proxy, { pin: "alpha/fp8" }, { dialect: "openrouter" });
    expect(endpoints).toMatchObject([
      {
        dialect: "openrouter",
        tag: "alpha/fp8",
        provider: null,
        chosen: "configured",
        contextLength: 32_000,
      },
    ]);
    expect(warnings).toEqual([
      `${server!.url}/v1 tells nothing about the key: whether its limit suffices is unknown.`,
      tellsNoPrice,
    ]);
    await server!.close();
    const unpinned = await fly(proxy, {}, { dialect: "openrouter" });
    expect(unpinned.endpoints).toMatchObject([{ tag: null, chosen: "only" }]);
    expect(unpinned.warnings).toContain(
      "llama3: the server does not list its endpoints: who serves it is unknown.",
    );
  },
);

test("the fake in the dialect of other servers gives one endpoint without a tag", async () => {
  const fake = await startFake();
  const opened = modelServer({ baseUrl: fake.baseURL, env: {} });
  const models = [{ id: "acme/coder", role: "agent" } as const];
  const { endpoints } = await preflight({ server: opened, models, neededTokens: 1, clock: fakeClock() });
  await fake.close();
  expect(endpoints).toMatchObject([
    { dialect: "openai", tag: null, cache: "automatic", contextLength: 128_000 },
  ]);
});

/** A server at an address that no test can listen on, answering every request like this. */
function flyTo(baseUrl: string, status: number, json: unknown): Promise<Preflight> {
  const env = { OPENROUTER_API_KEY: "k" };
  const fetch = (): Promise<Response> => Promise.resolve(Response.json(json, { status }));
  const opened = modelServer({ baseUrl, env, fetch });
  return preflight({ server: opened, models: [llama], neededTokens: 1, clock: fakeClock() });
}

test.each(["http://127.0.0.1:11434", "http://127.0.0.1:1234"])("%s is known to need /v1", async (baseUrl) => {
  const flight = flyTo(baseUrl, 404, { error: { message: "not found" } });
  await expect(flight).rejects.toThrow(UserError);
  await expect(flight).rejects.toThrow(`the base URL lacks /v1. Write ${baseUrl}/v1.`);
});

test("Azure lists what could be deployed, so an id it does not list is taken for a deployment", async () => {
  const list = { data: [{ id: "gpt-5" }] };
  const { endpoints, warnings } = await flyTo("https://my.openai.azure.com/openai/v1", 200, list);
  expect(endpoints).toMatchObject([{ model: "llama3", dialect: "openai" }]);
  expect(warnings[0]).toMatch(/^llama3: taken for the name of a deployment/);
});

test.each([
  ["https://my.openai.azure.com/openai/v1", "azure"],
  ["http://127.0.0.1:11434/v1", "ollama"],
  ["http://127.0.0.1:1234/v1", "lm-studio"],
  ["http://127.0.0.1:8080/v1", "unknown"],
  ["https://azure.com.example.org/v1", "unknown"],
] as const)("%s is taken for %s", (baseUrl, kind) => {
  expect(serverKindOf(baseUrl, null)).toBe(kind);
});

test("hints name what to turn on each kind of server", () => {
  expect(windowHint("ollama")).toMatch(/Modelfile.*num_ctx/);
  expect(windowHint("lm-studio")).toMatch(/context length in LM Studio/);
  expect(windowHint("unknown")).toMatch(/num_ctx.*-c of llama-server.*--max-model-len/);
  expect(unknownModelHint("azure", ["gpt"])).toMatch(/deployment/);
  expect(unknownModelHint("unknown", ["gpt"])).toBe("");
});
