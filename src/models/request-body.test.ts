import { expect, test } from "vitest";
import { writeFileSpec } from "./chat-model.contract.ts";
import type { ChatRequest } from "./port.ts";
import { type BodyOptions, requestBody } from "./request-body.ts";

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
const strict: BodyOptions = { model: "m", dialect: "openai", parameters: [], routing: {} };

test("a strict server gets what every server knows, and no optional parameter that nobody promised", () => {
  expect(Object.keys(requestBody(request, strict)).sort()).toEqual([
    "max_tokens",
    "messages",
    "model",
    "tools",
  ]);
});

test("optional parameters are sent where they are listed", () => {
  const body = requestBody(request, { ...strict, parameters: ["seed", "response_format"] });
  expect(body).toMatchObject({ seed: 3, response_format: { json_schema: { name: "ballot", strict: true } } });
});

test("OpenRouter gets its routing block, with the pin laid over the defaults", () => {
  const routing = { only: ["alpha/fp8"], allow_fallbacks: false };
  expect(requestBody(request, { ...strict, dialect: "openrouter", routing })).toMatchObject({
    provider: { require_parameters: true, data_collection: "deny", ...routing },
    plugins: [{ id: "context-compression", enabled: false }],
  });
});

test("the session is one per block: the same as it grows and with the skill, another for another seed", () => {
  const session = (asked: ChatRequest): unknown =>
    (requestBody(asked, { ...strict, dialect: "openrouter" }) as { session_id?: unknown }).session_id;
  const grown: ChatRequest = {
    ...request,
    messages: [...request.messages, { role: "assistant", content: "hm", toolCalls: [] }],
  };
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
  expect(requestBody({ ...request, messages }, strict).messages[0]).toMatchObject({ content: expected });
});

test("history: what the model wrote as arguments and is no JSON object becomes {}", () => {
  const written = ['{"command":"ls"}', '{"command":', '["ls"]', '"ls"'];
  const toolCalls = written.map((args, at) => ({ id: String(at), name: "bash", arguments: args }));
  const body = requestBody(
    { ...request, messages: [{ role: "assistant", content: null, toolCalls }] },
    strict,
  );
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
  expect(requestBody({ ...request, messages: [message] }, strict).messages[0]).toEqual({
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
  expect(requestBody({ ...request, messages: [{ role: "user", content }] }, strict).messages[0]).toEqual({
    role: "user",
    content,
  });
});
