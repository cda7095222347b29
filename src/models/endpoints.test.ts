import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { startFake } from "../testing/fake-openrouter.mjs";
import { type LocalAnswer, notFound, startLocalServer } from "../testing/local-server.ts";
import { type ListedEndpoint, readEndpoints } from "./endpoints.ts";
import { modelServer } from "./server.ts";

const asking = { clock: fakeClock() };

test("reads what is listed for each endpoint of a model", async () => {
  const fake = await startFake({
    scenario: {
      models: {
        "acme/coder": {
          endpoints: [
            {
              provider: "Alpha",
              tag: "alpha/fp8",
              quantization: "fp8",
              context_length: 64_000,
              uptime: 97.5,
            },
            { provider: "Beta", tag: "beta", quantization: "unknown", down: true },
          ],
        },
      },
    },
  });
  const listed = await readEndpoints(modelServer({ baseUrl: fake.baseURL, env: {} }), "acme/coder", asking);
  await fake.close();
  expect(listed).toMatchObject([
    {
      tag: "alpha/fp8",
      provider: "Alpha",
      quantization: "fp8",
      contextLength: 64_000,
      maxOutputTokens: 16_384,
      parameters: expect.arrayContaining(["tools"]) as string[],
      prices: { prompt: "0.000001", cacheWrite: "0.00000125" },
      pricesVary: false,
      status: 0,
      uptime: 97.5,
    },
    { tag: "beta", quantization: null, contextLength: 128_000, status: -2 },
  ]);
});

async function answeredWith(
  answer: LocalAnswer,
  model = "acme/coder:free",
): Promise<{
  readonly listed: readonly ListedEndpoint[] | null;
  readonly paths: readonly string[];
}> {
  const server = await startLocalServer(() => answer);
  const listed = await readEndpoints(modelServer({ baseUrl: `${server.url}/v1`, env: {} }), model, asking);
  await server.close();
  return { listed, paths: server.requests.map(({ path }) => path) };
}

test("an endpoint that cannot be pinned is left out, and a field of the wrong type is unknown", async () => {
  const pricing = { prompt: "0.1", completion: "0.2", overrides: [{}] };
  const { listed, paths } = await answeredWith({
    json: {
      data: {
        endpoints: [
          { provider_name: "Nameless" },
          { tag: "a", provider_name: "A", pricing, context_length: "large", status: "up", more: 1 },
          "nothing",
        ],
      },
    },
  });
  expect(paths).toEqual(["/v1/models/acme/coder:free/endpoints"]);
  expect(listed).toEqual([
    {
      tag: "a",
      provider: "A",
      quantization: null,
      contextLength: null,
      maxOutputTokens: null,
      parameters: [],
      prices: { prompt: "0.1", completion: "0.2", cacheRead: null, cacheWrite: null, request: null },
      pricesVary: true,
      status: null,
      uptime: null,
    },
  ]);
});

test.each<[string, LocalAnswer]>([
  ["no such page", notFound],
  ["no such method", { status: 405, json: { error: { message: "Method not allowed" } } }],
  ["not implemented", { status: 501, json: {} }],
  ["something else", { json: { object: "list", data: [] } }],
])("a server with %s lists no endpoints", async (_name, answer) => {
  expect((await answeredWith(answer)).listed).toBeNull();
});

test("an id cannot leave its place in the path", async () => {
  const { paths } = await answeredWith(notFound, "acme/co der?x=#1");
  expect(paths).toEqual(["/v1/models/acme/co%20der%3Fx%3D%231/endpoints"]);
});
