import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InfrastructureError, UserError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { type Catalogue, findModel, readCatalogue, requireKnownModels } from "./catalogue.ts";
import { modelServer } from "./server.ts";

let fake: RunningFake;
beforeAll(async () => {
  fake = await startFake({ scenario: { account: { reject_keys: ["sk-revoked"] } } });
});
afterAll(() => fake.close());

test("lists ids with the parameters their endpoints take", async () => {
  const catalogue = await readCatalogue(modelServer({ baseUrl: fake.baseURL, env: {} }));
  expect(catalogue?.get("acme/coder")).toMatchObject({
    parameters: expect.arrayContaining(["tools", "seed"]) as string[],
    contextLength: 128000,
  });
});

test("a server without a list is null, and knows every model", async () => {
  const baseUrl = `${fake.url}/api/v1/nowhere`;
  const catalogue = await readCatalogue(modelServer({ baseUrl, env: {} }));
  expect(catalogue).toBeNull();
  expect(() => {
    requireKnownModels(["anything"], catalogue);
  }).not.toThrow();
});

test("a server that answers 200 with something else has no list", async () => {
  const server = createServer((_request, response) => response.end('{"status":"ok"}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const opened = modelServer({ baseUrl: `http://127.0.0.1:${port}/v1`, env: {} });
  expect(await readCatalogue(opened, { clock: fakeClock() })).toBeNull();
  server.closeAllConnections();
  server.close();
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

const listed: Catalogue = new Map(
  ["acme/coder", "acme/coder-mini", "bravo/judge-b", "llama3:latest"].map((id) => [
    id,
    { id, parameters: null, contextLength: null },
  ]),
);

test("every unknown id is named at once, with near misses", () => {
  expect(() => {
    requireKnownModels(["acme/codr", "acme/coder", "zebra/unheard-of", "judge-b"], listed);
  }).toThrow(
    'unknown model "acme/codr": did you mean acme/coder?\nunknown model "zebra/unheard-of"\n' +
      'unknown model "judge-b": did you mean bravo/judge-b?\nThe server lists 4 models.',
  );
});

test("Ollama's tag may be left out", () => {
  expect(findModel("llama3", listed)?.id).toBe("llama3:latest");
});
