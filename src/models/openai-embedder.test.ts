import { afterAll, beforeAll, expect, test } from "vitest";
import { embedderContract } from "../embed/embedder.contract.ts";
import type { Embedder } from "../embed/port.ts";
import { BudgetError, InfrastructureError, UserError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type FakeRule, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import type { Booking } from "./booking.ts";
import { openAiEmbedder, type OpenAiEmbedderSettings } from "./openai-embedder.ts";
import type { Ledger } from "./port.ts";
import { modelServer } from "./server.ts";

let fake: RunningFake;
beforeAll(async () => {
  fake = await startFake();
});
afterAll(() => fake.close());

function load(embedding: Readonly<Record<string, unknown>> = {}, rules: readonly FakeRule[] = []): void {
  fake.fake.load({ models: { "acme/embed": { embedding, rules } } });
}

function embedder(model = "acme/embed", over: Partial<OpenAiEmbedderSettings> = {}): Embedder {
  const server = modelServer({ baseUrl: fake.baseURL, env: {}, dialect: "openrouter" });
  return openAiEmbedder({ server, model, clock: fakeClock({ now: Date.now() }), ...over });
}

embedderContract("openai", () => {
  load();
  return embedder();
});

const texts = ["ledger export rows", "letters to customers", "check digit of an account"];

async function plain(): Promise<readonly (readonly number[] | null)[]> {
  load();
  return embedder().embed(texts);
}

test("one vector per text, asked for as floats", async () => {
  const vectors = await plain();
  expect(vectors.map((vector) => vector?.length)).toEqual([256, 256, 256]);
  expect(fake.fake.log[0]?.body).toMatchObject({
    encoding_format: "float",
    provider: { data_collection: "deny" },
  });
});

test.each([
  { name: "rows out of order are placed by index", embedding: { shuffle: true }, requests: 1 },
  { name: "a server that ignores the encoding", embedding: { ignore_encoding_format: true }, requests: 1 },
  { name: "a batch too large is halved down to what goes", embedding: { max_batch: 1 }, requests: 5 },
])("$name", async ({ embedding, requests }) => {
  const expected = await plain();
  load(embedding);
  expect(await embedder().embed(texts)).toEqual(expected);
  expect(fake.fake.log).toHaveLength(requests);
});

test("the size that went is kept for the next call", async () => {
  load({ max_batch: 2 });
  const it = embedder();
  await it.embed(texts);
  const before = fake.fake.log.length;
  await it.embed(texts);
  expect(fake.fake.log.length - before).toBe(2);
});

test("more than 64 texts go in several requests", async () => {
  load();
  const many = Array.from({ length: 130 }, (_, at) => `text number ${at}`);
  expect(await embedder().embed(many)).toHaveLength(130);
  expect(fake.fake.log.map(({ body }) => (body["input"] as unknown[]).length)).toEqual([64, 64, 2]);
});

test("blank texts are null and never sent", async () => {
  load();
  const vectors = await embedder().embed(["", texts[0] ?? "", "  \n"]);
  expect(vectors.map((vector) => vector === null)).toEqual([true, false, true]);
  expect(fake.fake.log[0]?.body["input"]).toEqual([texts[0]]);
});

test.each(["rate_limit_upstream", "overloaded", "ok_error_404", "whitespace_only", "reset_mid_body"])(
  "%s once is survived",
  async (fault) => {
    const expected = await plain();
    load({}, [{ times: 1, do: { fault } }]);
    expect(await embedder().embed(texts)).toEqual(expected);
  },
);

test.each([
  { fault: "server_error", error: InfrastructureError, requests: 6 },
  { fault: "ok_error_404", error: UserError, requests: 4 },
  { fault: "unauthorized", error: UserError, requests: 1 },
])("$fault for good is a $error.name", async ({ fault, error, requests }) => {
  load({}, [{ do: { fault } }]);
  await expect(embedder().embed(["a text"])).rejects.toThrow(error);
  expect(fake.fake.log).toHaveLength(requests);
});

test("a missing vector is asked for twice more and never filled with zeros", async () => {
  load({ drop_last: true });
  const answer = embedder().embed(texts);
  await expect(answer).rejects.toThrow(InfrastructureError);
  await expect(answer).rejects.toThrow("3 texts were sent and 2 usable vectors came back");
  expect(fake.fake.log).toHaveLength(3);
});

test("an unknown model is the user's to mend", async () => {
  load();
  await expect(embedder("acme/unknown").embed(texts)).rejects.toThrow(UserError);
});

test("a vector of zeros names its text", async () => {
  load();
  // The fake places words of three letters and more: this text has none.
  await expect(embedder().embed([texts[0] ?? "", "a b"])).rejects.toThrow(
    "acme/embed gave a vector of zeros for text 2 of 2",
  );
});

test("an abort ends it with the signal's reason", async () => {
  load();
  const reason = new Error("stop");
  await expect(embedder().embed(texts, AbortSignal.abort(reason))).rejects.toBe(reason);
});

/** What the embedder booked, with a ledger that has room for so many attempts. */
async function booked(
  asked: readonly string[],
  over: Partial<OpenAiEmbedderSettings> = {},
  room = Infinity,
): Promise<readonly Booking[]> {
  const lines: Booking[] = [];
  const ledger: Ledger = {
    reserve: () => (lines.length < room ? { book: (line) => lines.push(line) } : null),
  };
  await embedder("acme/embed", { ledger, ...over }).embed(asked);
  return lines;
}

test("every attempt is booked: what the server charged, and nothing for a refusal", async () => {
  load({ max_batch: 2 }, [{ times: 1, do: { fault: "rate_limit_upstream" } }]);
  const lines = await booked(texts);
  expect(lines.map(({ outcome, source, attempt }) => [outcome, source, attempt])).toEqual([
    ["HTTP 429", "not_charged", 1],
    ["HTTP 400", "not_charged", 2],
    ["turn", "reported", 1],
    ["turn", "reported", 1],
  ]);
  expect(new Set(lines.map(({ role }) => role))).toEqual(new Set(["embedding"]));
  const sum = lines.reduce((total, { costNanoUsd }) => total + (costNanoUsd ?? Number.NaN), 0);
  expect(sum).toBe(Math.round(fake.fake.spent * 1e9));
  expect(sum).toBeGreaterThan(0);
});

test("vectors that do not fit were paid for all the same", async () => {
  load({ drop_last: true });
  const lines: Booking[] = [];
  const ledger: Ledger = { reserve: () => ({ book: (line) => lines.push(line) }) };
  await expect(embedder("acme/embed", { ledger }).embed(texts)).rejects.toThrow(InfrastructureError);
  expect(lines.map(({ outcome, source }) => [outcome, source])).toEqual(
    Array(3).fill(["vectors do not fit", "reported"]),
  );
});

test("without a charge, tokens at the known price; without that, unknown", async () => {
  const silent = { usage: { prompt_tokens: 9, cost: null } };
  const server = modelServer({
    baseUrl: "http://127.0.0.1:9/v1",
    env: {},
    fetch: () => Promise.resolve(Response.json({ data: [{ index: 0, embedding: [1] }], ...silent })),
  });
  const prices = { prompt: "0.000001", completion: "0", cacheRead: null, cacheWrite: null, request: null };
  expect(await booked(["a text"], { server, prices })).toMatchObject([
    { source: "estimated", costNanoUsd: 9 * 1000, inputTokens: 9 },
  ]);
  expect(await booked(["a text"], { server })).toMatchObject([{ source: "unknown", upToNanoUsd: null }]);
});

test("without room nothing is sent", async () => {
  load();
  await expect(booked(texts, {}, 0)).rejects.toThrow(BudgetError);
  expect(fake.fake.log).toEqual([]);
});
