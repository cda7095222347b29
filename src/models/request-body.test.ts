import { describe, expect, test } from "vitest";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { writeFileSpec } from "./chat-model.contract.ts";
import type { ChatRequest } from "./port.ts";
import { requestBody } from "./request-body.ts";

const request: ChatRequest = {
  messages: [
    { role: "system", content: "sys" },
    { role: "user", content: "task" },
  ],
  tools: [writeFileSpec],
  maxTokens: 512,
  seed: 3,
  responseSchema: { name: "ballot", schema: { type: "object" } },
};
const strict = fakeEndpoint({
  dialect: "openai",
  tag: null,
  provider: null,
  quantization: null,
  parameters: null,
});
const openRouter = fakeEndpoint();

test("a strict server gets what every server knows, and no optional parameter that nobody promised", () => {
  const settings = { temperature: 0, reasoning: { effort: "low" } };
  const { body, sent } = requestBody(request, strict, settings);
  expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "tools"]);
  expect(sent).toEqual({
    parameters: { model: strict.model, max_tokens: request.maxTokens },
    withheld: ["temperature", "reasoning", "response_format", "seed"],
  });
});

test("optional parameters are sent where they are listed, and what is not wanted is not withheld", () => {
  const { body, sent } = requestBody(request, { ...strict, parameters: ["seed", "response_format"] });
  expect(body).toMatchObject({ seed: 3, response_format: { json_schema: { name: "ballot", strict: true } } });
  expect(sent.parameters).toMatchObject({ seed: 3, response_format: { json_schema: { name: "ballot" } } });
  expect(sent.withheld).toEqual([]);
});

test.each([
  { listed: ["reasoning", "reasoning_effort"], sent: { reasoning: { effort: "low" } } },
  { listed: ["reasoning_effort"], sent: { reasoning_effort: "low" } },
])("the effort of reasoning under the name of $listed", ({ listed, sent }) => {
  const record = requestBody(
    request,
    { ...strict, parameters: listed },
    { reasoning: { effort: "low" } },
  ).sent;
  expect(record.parameters).toMatchObject(sent);
  expect(Object.keys(record.parameters).filter((name) => name.startsWith("reasoning"))).toHaveLength(1);
});

test.each([
  { name: "as asked for", over: {}, sent: { max_tokens: 512 } },
  { name: "clamped to the endpoint", over: { maxOutputTokens: 100 }, sent: { max_tokens: 100 } },
  { name: "never under what some refuse", over: { maxOutputTokens: 8 }, sent: { max_tokens: 16 } },
  {
    name: "under its new name where only that is listed",
    over: { parameters: ["max_completion_tokens"] },
    sent: { max_completion_tokens: 512 },
  },
  {
    name: "under the name all know where both are listed",
    over: { parameters: ["max_completion_tokens", "max_tokens"] },
    sent: { max_tokens: 512 },
  },
])("the limit of output tokens: $name", ({ over, sent }) => {
  const { parameters } = requestBody(request, { ...strict, ...over }).sent;
  const limits = Object.entries(parameters).filter(([name]) => name.startsWith("max_"));
  expect(Object.fromEntries(limits)).toEqual(sent);
});

test("OpenRouter gets the pin, no fallbacks and no compression", () => {
  const { body, sent } = requestBody(request, openRouter);
  expect(body).toMatchObject({ plugins: [{ id: "context-compression", enabled: false }] });
  expect(sent.parameters["provider"]).toEqual({
    only: [openRouter.tag],
    quantizations: [openRouter.quantization],
    allow_fallbacks: false,
    require_parameters: true,
    data_collection: "deny",
  });
});

test("an unknown quantization cannot be asked for", () => {
  const { provider } = requestBody(request, { ...openRouter, quantization: null }).sent.parameters;
  expect(provider).toMatchObject({ only: [openRouter.tag] });
  expect(provider).not.toHaveProperty("quantizations");
});

test("the session is one per block: the same as it grows and with the skill, another for another seed", () => {
  const session = (asked: ChatRequest): unknown =>
    requestBody(asked, openRouter).sent.parameters["session_id"];
  const grown: ChatRequest = {
    ...request,
    messages: [...request.messages, { role: "assistant", content: "hm", toolCalls: [] }],
  };
  expect(session(request)).toEqual(expect.any(String));
  expect(session(grown)).toBe(session(request));
  const skilled = request.messages.map((message) =>
    message.role === "system" ? { ...message, content: "with a skill" } : message,
  );
  expect(session({ ...request, messages: skilled })).toBe(session(request));
  expect(session({ ...request, seed: 4 })).not.toBe(session(request));
});

test.each([
  { name: "blank text beside calls", content: " ", expected: null },
  { name: "words beside calls", content: "I look.", expected: "I look." },
])("history: $name", ({ content, expected }) => {
  const call = { id: "a", name: "bash", arguments: "{}" };
  const messages: ChatRequest["messages"] = [{ role: "assistant", content, toolCalls: [call] }];
  expect(requestBody({ ...request, messages }, strict).body.messages[0]).toMatchObject({ content: expected });
});

test("history: what the model wrote as arguments and is no JSON object becomes {}", () => {
  const written = ['{"command":"ls"}', '{"command":', '["ls"]', '"ls"'];
  const toolCalls = written.map((args, at) => ({ id: String(at), name: "bash", arguments: args }));
  const messages: ChatRequest["messages"] = [{ role: "assistant", content: null, toolCalls }];
  const { body } = requestBody({ ...request, messages }, strict);
  const sent = body.messages.flatMap((message) =>
    "tool_calls" in message ? (message.tool_calls ?? []) : [],
  );
  expect(sent.map((call) => ("function" in call ? call.function.arguments : ""))).toEqual([
    '{"command":"ls"}',
    "{}",
    "{}",
    "{}",
  ]);
});

test("history: provider fields go back as they came, an empty array too", () => {
  const message = {
    role: "assistant",
    content: "x",
    toolCalls: [],
    echo: { reasoning_details: [] },
  } as const;
  expect(requestBody({ ...request, messages: [message] }, strict).body.messages[0]).toEqual({
    role: "assistant",
    content: "x",
    reasoning_details: [],
  });
});

test("pictures for judges are sent as they are", () => {
  const content = [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
  ] as const;
  expect(requestBody({ ...request, messages: [{ role: "user", content }] }, strict).body.messages[0]).toEqual(
    {
      role: "user",
      content,
    },
  );
});

describe("what no provider takes is taken out of everything that goes out", () => {
  const bad = "a\0b\uD800c";
  const clean = "ab\uFFFDc";

  test("of every role, and of arguments written as escapes", () => {
    const call = { id: "a", name: "bash", arguments: JSON.stringify({ command: bad }) };
    const messages: ChatRequest["messages"] = [
      { role: "system", content: bad },
      { role: "user", content: [{ type: "text", text: bad }] },
      { role: "assistant", content: bad, toolCalls: [call] },
      { role: "tool", toolCallId: "a", content: bad },
    ];
    expect(requestBody({ ...request, messages }, strict).body.messages).toMatchObject([
      { content: clean },
      { content: [{ text: clean }] },
      {
        content: clean,
        tool_calls: [{ function: { arguments: JSON.stringify({ command: clean }) } }],
      },
      { content: clean },
    ]);
  });

  test("arguments that only speak of it stay as they were written, and so do provider fields", () => {
    const written = String.raw`{ "command" : "printf '\\u0000 \ud83d\ude00'" }`;
    const echo = { reasoning_details: [{ type: "reasoning.text", text: bad }] };
    const call = { id: "a", name: "bash", arguments: written };
    const messages: ChatRequest["messages"] = [{ role: "assistant", content: null, toolCalls: [call], echo }];
    expect(requestBody({ ...request, messages }, strict).body.messages[0]).toMatchObject({
      ...echo,
      tool_calls: [{ function: { arguments: written } }],
    });
  });
});

describe("marks for the provider's cache", () => {
  const ephemeral = { type: "ephemeral" };
  const grown: ChatRequest = {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", content: null, toolCalls: [{ id: "a", name: "bash", arguments: "{}" }] },
      { role: "tool", toolCallId: "a", content: "ok" },
    ],
  };
  const marked = fakeEndpoint({ cache: "marked" });

  test("Anthropic's models get one at the top, which moves with the conversation", () => {
    const endpoint = { ...marked, model: "anthropic/claude" };
    expect(requestBody(grown, endpoint).body).toMatchObject({ cache_control: ephemeral });
    expect(JSON.stringify(requestBody(grown, endpoint).body.messages)).not.toContain("cache_control");
  });

  test("others get one at the end of the system message and one on the last message", () => {
    const { body } = requestBody(grown, marked);
    expect(body).not.toHaveProperty("cache_control");
    expect(body.messages).toEqual([
      { role: "system", content: [{ type: "text", text: "sys", cache_control: ephemeral }] },
      { role: "user", content: "task" },
      expect.objectContaining({ role: "assistant" }) as object,
      {
        role: "tool",
        tool_call_id: "a",
        content: [{ type: "text", text: "ok", cache_control: ephemeral }],
      },
    ]);
  });

  test.each([
    { name: "a cache that needs none", endpoint: openRouter },
    { name: "a strict server", endpoint: { ...strict, cache: "marked" as const, model: "anthropic/claude" } },
  ])("$name gets none", ({ endpoint }) => {
    expect(JSON.stringify(requestBody(grown, endpoint).body)).not.toContain("cache_control");
  });
});
