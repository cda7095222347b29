import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakedChat, type FakedChat, openingRequest, turnOf } from "../testing/faked-chat.ts";
import type { OpenAiChatSettings } from "./openai-chat.ts";

let chat: FakedChat;
beforeAll(async () => {
  chat = await fakedChat();
});
afterAll(() => chat.close());

const pinned = fakeEndpoint();
const unpinned = fakeEndpoint({ tag: null, provider: null, quantization: null });

describe("two endpoints serve the model", () => {
  /** Who answered ten requests of ten sessions. */
  const providers = async (settings: Pick<OpenAiChatSettings, "endpoint">): Promise<ReadonlySet<unknown>> => {
    chat.load({ rules: [] });
    const { model } = chat.open(settings);
    const turns = [];
    for (let seed = 0; seed < 10; seed++)
      turns.push(turnOf(await model.complete({ ...openingRequest, seed })));
    return new Set(turns.map(({ servedBy }) => servedBy));
  };

  test("a pinned client is always served by one, an unpinned one is not", async () => {
    expect(await providers({ endpoint: pinned })).toEqual(new Set([pinned.provider]));
    expect((await providers({ endpoint: unpinned })).size).toBe(2);
  });
});

describe("an answer that breaks the protocol is infrastructure at once", () => {
  test.each([
    {
      name: "another provider",
      rule: { provider: "Beta" },
      words: /served by Beta although pinned to Alpha \(alpha\/fp8\)/,
    },
    {
      name: "a response cache",
      rule: { headers: { "X-OpenRouter-Cache-Status": "HIT" } },
      words: /answered from a response cache/,
    },
  ])("$name", async ({ rule, words }) => {
    chat.load({ rules: [{ do: { agent: ["Done."], ...rule } }] });
    const { model, clock } = chat.open();
    const answer = await model.complete(openingRequest);
    expect(answer).toMatchObject({
      failure: "infrastructure",
      message: expect.stringMatching(words) as string,
    });
    expect(chat.requests()).toBe(1);
    expect(clock.waits).toEqual([]);
  });

  test.each([
    { name: "the pinned provider in another spelling", endpoint: pinned, rule: { provider: "ALPHA" } },
    { name: "any provider where none was told", endpoint: unpinned, rule: { provider: "Beta" } },
    {
      name: "a cache that was asked in vain",
      endpoint: pinned,
      rule: { headers: { "X-OpenRouter-Cache-Status": "MISS" } },
    },
  ])("but not $name", async ({ endpoint, rule }) => {
    chat.load({ rules: [{ do: { agent: ["Done."], ...rule } }] });
    turnOf(await chat.open({ endpoint }).model.complete(openingRequest));
  });
});

test("a turn tells what was sent with it, and what was withheld", async () => {
  chat.load({ rules: [] });
  const endpoint = { ...pinned, parameters: ["tools", "max_tokens", "temperature"] };
  const settings = { temperature: 0.5, reasoning: { effort: "low" } };
  const turn = turnOf(await chat.open({ endpoint, settings }).model.complete({ ...openingRequest, seed: 3 }));
  expect(turn.sent.withheld).toEqual(["reasoning", "seed"]);
  const [{ body } = { body: {} }] = chat.log();
  const besides = Object.entries(body).filter(([name]) => name !== "messages" && name !== "tools");
  expect(turn.sent.parameters).toEqual(Object.fromEntries(besides));
  expect(turn.sent.parameters).toMatchObject({ temperature: 0.5, provider: { only: [pinned.tag] } });
});

test("what a request is for is told to our own fetch, not to the server", async () => {
  chat.load({ rules: [] });
  const subject = "skill/benchmark/acme%2Fcoder/with_skill/1";
  turnOf(await chat.open().model.complete({ ...openingRequest, subject }));
  const [{ body, headers } = { body: {}, headers: {} }] = chat.log();
  expect(JSON.stringify({ body, headers })).not.toContain("with_skill");
});

describe("a prompt that fits alone", () => {
  // The fake counts four characters as a token.
  const window = 4000;
  const asked = { ...openingRequest, maxTokens: 8192 };

  test("is sent once more with the tokens there is room for", async () => {
    chat.load({ context_length: window, rules: [] });
    const { model, clock } = chat.open();
    const turn = turnOf(await model.complete(asked));
    expect(chat.log().map(({ status }) => status)).toEqual([400, 200]);
    const { max_tokens: lowered } = turn.sent.parameters;
    expect(lowered).toBeLessThan(window);
    expect(lowered).toBeGreaterThan(window * 0.9);
    expect(chat.log()[1]?.body["max_tokens"]).toBe(lowered);
    expect(clock.waits).toEqual([]);
  });

  test("but never twice", async () => {
    chat.load({ rules: [{ do: { fault: "context_length" } }] });
    const endpoint = { ...pinned, maxOutputTokens: null };
    // More than the 131072 of the message leave beside its prompt.
    const answer = await chat.open({ endpoint }).model.complete({ ...asked, maxTokens: 131_072 });
    expect(answer).toMatchObject({ kind: "failure", failure: "context_exhausted" });
    expect(chat.requests()).toBe(2);
  });

  test("and not for fewer tokens than a turn needs", async () => {
    chat.load({ context_length: 1000, rules: [] });
    const answer = await chat.open().model.complete(asked);
    expect(answer).toMatchObject({ kind: "failure", failure: "context_exhausted" });
    expect(chat.requests()).toBe(1);
  });
});
