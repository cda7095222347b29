import { afterAll, beforeAll, expect, test } from "vitest";
import { InfrastructureError, UserError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { modelList, notFound, startLocalServer, type LocalAnswer } from "../testing/local-server.ts";
import { type Catalogue, findModel, readCatalogue, requireKnownModels } from "./catalogue.ts";
import { modelServer } from "./server.ts";

let fake: RunningFake;
beforeAll(async () => {
  fake = await startFake({
    scenario: {
      account: { reject_keys: ["sk-revoked"] },
      models: { "acme/coder": {}, "acme/router": { pricing: { prompt: "-1", completion: "-1" } } },
    },
  });
});
afterAll(() => fake.close());

/** What a server on loopback that answers like this lists. */
async function listedBy(answer: LocalAnswer): Promise<Catalogue | null> {
  const server = await startLocalServer(() => answer);
  try {
    return await readCatalogue(modelServer({ baseUrl: `${server.url}/v1`, env: {} }), { clock: fakeClock() });
  } finally {
    await server.close();
  }
}

test("lists ids with what holds for them", async () => {
  const catalogue = await readCatalogue(modelServer({ baseUrl: fake.baseURL, env: {} }));
  expect(catalogue?.get("acme/coder")).toMatchObject({
    parameters: expect.arrayContaining(["tools", "seed"]) as string[],
    contextLength: 128000,
    canonicalSlug: "acme/coder-20260127",
    prices: { prompt: "0.000001", completion: "0.000005" },
    expires: null,
  });
  expect(catalogue?.get("acme/router")?.prices).toBe("varies");
});

test("a snapshot's name is known, and the server takes it", async () => {
  const catalogue = await readCatalogue(modelServer({ baseUrl: fake.baseURL, env: {} }));
  expect(findModel("acme/coder-20260127", catalogue!)?.id).toBe("acme/coder");
});

test.each<[string, Readonly<Record<string, unknown>>, object]>([
  ["vLLM", { owned_by: "vllm", max_model_len: 32_768 }, { ownedBy: "vllm", contextLength: 32_768 }],
  [
    "llama.cpp",
    { meta: { n_ctx: 4096, n_ctx_train: 131_072 } },
    { contextLength: 4096, trainedLength: 131_072 },
  ],
  // What a model was trained for is not what it is served with.
  ["llama.cpp of old", { meta: { n_ctx_train: 131_072 } }, { contextLength: null, trainedLength: 131_072 }],
  [
    "Ollama",
    { owned_by: "library" },
    { contextLength: null, trainedLength: null, parameters: null, prices: null },
  ],
  [
    "a proxy",
    { context_length: 64_000, supported_parameters: ["tools"] },
    { contextLength: 64_000, parameters: ["tools"] },
  ],
  [
    "a careless one",
    { context_length: "many", supported_parameters: "all", meta: 7 },
    { contextLength: null, parameters: null },
  ],
])("reads the card of %s", async (_name, card, expected) => {
  const catalogue = await listedBy(modelList({ id: "m", ...card }));
  expect(catalogue?.get("m")).toMatchObject(expected);
});

test("Ollama without models lists null, which is none", async () => {
  const catalogue = await listedBy({ json: { object: "list", data: null } });
  expect(catalogue?.size).toBe(0);
});

test.each<[string, LocalAnswer]>([
  ["404", notFound],
  ["something else in a 200", { json: { status: "ok" } }],
  [
    "LM Studio's words for a wrong path",
    { json: { error: "Unexpected endpoint or method. (GET /v1/models)" } },
  ],
])("a server that answers with %s has no list, and knows every model", async (_name, answer) => {
  const catalogue = await listedBy(answer);
  expect(catalogue).toBeNull();
  expect(() => {
    requireKnownModels(["anything"], catalogue);
  }).not.toThrow();
});

test("a refused key is the user's to mend, and is not shown", async () => {
  const server = modelServer({ baseUrl: fake.baseURL, keyVariable: "K", env: { K: "sk-revoked" } });
  const refused = readCatalogue(server);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(/key from K/);
  await expect(refused).rejects.not.toThrow(/sk-revoked/);
});

test("a server that is down is infrastructure, with the reason", async () => {
  const gone = await startFake();
  await gone.close();
  const server = modelServer({ baseUrl: gone.baseURL, env: {} });
  const answer = readCatalogue(server, { clock: fakeClock() });
  await expect(answer).rejects.toThrow(InfrastructureError);
  await expect(answer).rejects.toThrow(/ECONNREFUSED.*Is the server up\?/s);
});

const unknownFacts = {
  canonicalSlug: null,
  ownedBy: null,
  parameters: null,
  contextLength: null,
  trainedLength: null,
  prices: null,
  expires: null,
};

function listing(...ids: readonly string[]): Catalogue {
  return new Map(ids.map((id) => [id, { id, ...unknownFacts }]));
}

const listed = listing("acme/coder", "acme/coder-mini", "bravo/judge-b", "llama3:latest");

test("every unknown id is named at once, with near misses", () => {
  expect(() => {
    requireKnownModels(["acme/codr", "acme/coder", "zebra/unheard-of", "judge-b"], listed);
  }).toThrow(
    'unknown model "acme/codr": did you mean acme/coder?\nunknown model "zebra/unheard-of"\n' +
      'unknown model "judge-b": did you mean bravo/judge-b?\nThe server lists 4 models.',
  );
});

test("a short list is shown, and advice is added", () => {
  expect(() => {
    requireKnownModels(["phi"], listing("llama3:latest"), (ids) => `Pull ${ids.join()} first.`);
  }).toThrow('unknown model "phi"\nThe server lists 1 model (llama3:latest). Pull phi first.');
});

test("Ollama's tag may be left out", () => {
  expect(findModel("llama3", listed)?.id).toBe("llama3:latest");
});
