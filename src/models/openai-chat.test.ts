import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakedChat, type FakedChat, openingMessages, openingRequest, turnOf } from "../testing/faked-chat.ts";
import { startFake } from "../testing/fake-openrouter.mjs";
import { chatModelContract, contractTask } from "./chat-model.contract.ts";
import { openAiChatModel } from "./openai-chat.ts";
import type { ChatMessage } from "./port.ts";
import { modelServer } from "./server.ts";

const bash = { name: "bash", args: { command: "ls -la" } };

let chat: FakedChat;
beforeAll(async () => {
  chat = await fakedChat();
});
afterAll(() => chat.close());

describe("odd but usable turns", () => {
  const call = { name: "bash", arguments: JSON.stringify(bash.args) };
  test.each([
    { quirk: "args_object", calls: [call], repairs: 1 },
    { quirk: "args_double", calls: [call], repairs: 1 },
    { quirk: "args_empty", calls: [{ ...call, arguments: "{}" }], repairs: 1 },
    { quirk: "args_missing", calls: [{ ...call, arguments: "{}" }], repairs: 1 },
    { quirk: "name_prefixed", calls: [call], repairs: 1 },
    { quirk: "name_harmony", calls: [call], repairs: 1 },
    { quirk: "legacy_function_call", calls: [call], repairs: 0 },
    { quirk: "id_missing", calls: [call], repairs: 0 },
    { quirk: "id_empty", calls: [call], repairs: 0 },
    { quirk: "id_duplicate", calls: [call, call], repairs: 0 },
    { quirk: "calls_finish_stop", calls: [call], repairs: 0 },
    { quirk: "calls_finish_null", calls: [call], repairs: 0 },
    { quirk: "name_unknown", calls: [{ ...call, name: "search_web" }], repairs: 0 },
    {
      quirk: "args_fenced",
      calls: [{ ...call, arguments: `\`\`\`json\n${call.arguments}\n\`\`\`` }],
      repairs: 0,
    },
    { quirk: "args_trailing", calls: [{ ...call, arguments: `${call.arguments}""` }], repairs: 0 },
    { quirk: "args_array", calls: [{ ...call, arguments: '["ls"]' }], repairs: 0 },
  ])("$quirk: read with $repairs repairs, and its history is accepted", async ({ quirk, calls, repairs }) => {
    chat.load({
      rules: [{ turn: 1, do: { agent: [{ calls: [bash], quirk }] } }, { do: { agent: ["Done."] } }],
    });
    const { model } = chat.open();
    const turn = turnOf(await model.complete(openingRequest));
    expect(turn.message.toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args }))).toEqual(
      calls,
    );
    expect(new Set(turn.message.toolCalls.map(({ id }) => id)).size).toBe(calls.length);
    expect(turn.repairs).toBe(repairs);
    const answers = turn.message.toolCalls.map(({ id }): ChatMessage => ({
      role: "tool",
      toolCallId: id,
      content: "(no output)",
    }));
    turnOf(
      await model.complete({ ...openingRequest, messages: [...openingMessages, turn.message, ...answers] }),
    );
    expect(chat.log().flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  test("ids in Kimi's own format are kept", async () => {
    chat.load({ rules: [{ do: { agent: [{ calls: [bash], quirk: "id_kimi" }] } }] });
    expect(turnOf(await chat.open().model.complete(openingRequest)).message.toolCalls[0]?.id).toBe(
      "functions.bash:0",
    );
  });

  test.each([
    { quirk: "blank_content", content: " \n", finish: "stop" },
    { quirk: "reasoning_only", content: "", finish: "stop" },
    { quirk: "reasoning_ate_budget", content: null, finish: "length" },
    { quirk: "finish_calls_without_calls", content: "I will look at the files now.", finish: "tool_calls" },
    { quirk: "content_filter", content: "", finish: "content_filter" },
    { quirk: "refusal", content: "I'm sorry, I can't help with that.", finish: "content_filter" },
    { quirk: "length", content: "The first step is to", finish: "length" },
    { quirk: "content_parts", content: "Done.", finish: "stop" },
  ])("$quirk is a turn of the model, never asked for again", async ({ quirk, content, finish }) => {
    const step = quirk === "content_parts" ? { say: "Done.", quirk } : { calls: [bash], quirk };
    chat.load({ rules: [{ do: { agent: [step] } }] });
    const turn = turnOf(await chat.open().model.complete(openingRequest));
    expect(turn).toMatchObject({ message: { content, toolCalls: [] }, finish });
    expect(chat.requests()).toBe(1);
  });

  test("long padding before the answer, and JSON sent as text", async () => {
    chat.load({
      rules: [
        { times: 1, do: { agent: ["ok"], padding: 10, pad_interval_ms: 10 } },
        { do: { fault: "json_as_text" } },
      ],
    });
    const { model } = chat.open();
    expect(turnOf(await model.complete(openingRequest)).message.content).toBe("ok");
    expect(turnOf(await model.complete(openingRequest)).message.content).toBe("Done.");
    expect(chat.requests()).toBe(2);
  });
});

test("reasoning details go back unchanged, and strict servers find nothing wrong with our history", async () => {
  const agent = [
    { calls: [bash, { name: "read_file", args: { path: "a" } }], say: "", reasoning: "think" },
    { calls: [bash], reasoning: "again" },
    "Done.",
  ];
  chat.load({ requires_reasoning: true, strict_history: true, rules: [{ do: { agent } }] });
  const { model } = chat.open();
  const messages = [...openingMessages];
  for (let turns = 0; turns < 3; turns++) {
    const turn = turnOf(await model.complete({ ...openingRequest, messages }));
    messages.push(turn.message);
    for (const { id } of turn.message.toolCalls)
      messages.push({ role: "tool", toolCallId: id, content: "ok" });
  }
  expect(messages.at(-1)).toMatchObject({ content: "Done." });
  expect(chat.log().flatMap(({ warnings }) => warnings)).toEqual([]);
});

test("every request of a conversation begins with the bytes of the one before", async () => {
  chat.load({ rules: [{ do: { agent: [[bash], "Done."] } }] });
  const { model } = chat.open();
  const first = turnOf(await model.complete(openingRequest));
  const answer: ChatMessage = {
    role: "tool",
    toolCallId: first.message.toolCalls[0]?.id ?? "",
    content: "ok",
  };
  await model.complete({ ...openingRequest, messages: [...openingMessages, first.message, answer] });
  const [one = "", two = ""] = chat.log().map(({ body }) => JSON.stringify(body));
  const end = one.lastIndexOf(`],"max_tokens"`);
  expect(end).toBeGreaterThan(0);
  expect(two.startsWith(one.slice(0, end))).toBe(true);
});

describe("usage", () => {
  test.each([
    {
      usage: "none",
      expected: { uncachedInputTokens: null, cachedInputTokens: null, outputTokens: null, costUsd: null },
    },
    { usage: "no_cost", expected: { cachedInputTokens: 0, costUsd: null } },
    { usage: "no_details", expected: { uncachedInputTokens: null, cachedInputTokens: null } },
  ])("$usage: what is not said is null", async ({ usage, expected }) => {
    chat.load({ rules: [{ do: { agent: ["ok"], usage } }] });
    expect(turnOf(await chat.open().model.complete(openingRequest)).usage).toMatchObject(expected);
  });

  test("with the user's own provider key the upstream bill is the cost", async () => {
    chat.load({ rules: [{ do: { agent: ["ok"], usage: "byok" } }] });
    expect(turnOf(await chat.open().model.complete(openingRequest)).usage.costUsd).toBeGreaterThan(0);
  });
});

test("served model, provider and generation are recorded as the server names them", async () => {
  chat.load({ rules: [] });
  const turn = turnOf(await chat.open().model.complete(openingRequest));
  expect(turn).toMatchObject({ servedModel: "acme/coder-20260127", servedBy: "Alpha" });
  expect(turn.generationId).toMatch(/^gen-/);
});

test("an abort ends a request in flight at once, with the signal's reason and no further attempt", async () => {
  chat.load({ rules: [{ do: { fault: "stall_body" } }] });
  const stop = new AbortController();
  const reason = new Error("stop");
  const answer = chat.open().model.complete(openingRequest, stop.signal);
  await expect.poll(() => chat.requests()).toBe(1);
  stop.abort(reason);
  await expect(answer).rejects.toBe(reason);
  expect(chat.requests()).toBe(1);
});

chatModelContract("openAiChatModel", async () => {
  const server = await startFake({
    scenario: {
      models: {
        "acme/coder": {
          rules: [
            {
              if: { user_has: contractTask.task },
              do: { agent: [[{ name: "write_file", args: { path: "out.txt", content: "right" } }], "Done."] },
            },
          ],
        },
        "acme/judge": { rules: [{ do: { judge: { yes_if: [contractTask.yesIf] } } }] },
      },
    },
  });
  const settings = {
    server: modelServer({ baseUrl: server.baseURL, env: {}, dialect: "openrouter" }),
    role: "agent" as const,
  };
  const endpoint = fakeEndpoint({ baseUrl: server.baseURL });
  return {
    agent: openAiChatModel({ ...settings, endpoint }),
    judge: openAiChatModel({ ...settings, endpoint: { ...endpoint, model: "acme/judge" } }),
    close: () => server.close(),
  };
});
