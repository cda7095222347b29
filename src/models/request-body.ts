import type OpenAI from "openai";
import { hashJson } from "../hash.ts";
import type { ChatMessage, ChatRequest, ToolCall } from "./port.ts";
import { isJsonObject } from "./read-calls.ts";
import type { Dialect } from "./server.ts";

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

export type BodyOptions = {
  readonly model: string;
  readonly dialect: Dialect;
  /** Optional parameters this endpoint takes (`seed`, `response_format`): others are not sent. */
  readonly parameters: readonly string[];
  /** OpenRouter's `provider` block, laid over the defaults: the pin. */
  readonly routing: Readonly<Record<string, unknown>>;
};

/**
 * The body of POST chat/completions. Keys come in a fixed order and nothing in it varies but the conversation, so
 * that the prefix of two requests of one trial is the same byte for byte (the provider's cache lives on it).
 */
export function requestBody(request: ChatRequest, options: BodyOptions): Body {
  const { model, parameters } = options;
  const { responseSchema: format } = request;
  const takesSchema = ["response_format", "structured_outputs"].some((name) => parameters.includes(name));
  return {
    model,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    ...numbers(request, parameters),
    ...(format !== undefined && takesSchema
      ? {
          response_format: {
            type: "json_schema",
            json_schema: { name: format.name, strict: true, schema: { ...format.schema } },
          },
        }
      : {}),
    ...(options.dialect === "openrouter" ? openRouterFields(request, options) : {}),
    messages: request.messages.map(wireMessage),
  };
}

/** `max_tokens`, always: without it the whole output window is held against the credits. Every server knows this name. */
function numbers({ maxTokens, seed }: ChatRequest, parameters: readonly string[]): Record<string, number> {
  const sendSeed = seed !== undefined && parameters.includes("seed");
  return { max_tokens: maxTokens, ...(sendSeed ? { seed } : {}) };
}

/**
 * Fields only OpenRouter knows (openrouter.md §4, §11). `session_id` keeps the arms of one block on one endpoint, so it
 * is made of what they share: the requests of two arms must differ in nothing but the skill.
 */
function openRouterFields(request: ChatRequest, { model, routing }: BodyOptions): Record<string, unknown> {
  const opening = request.messages.find(({ role }) => role === "user") ?? null;
  return {
    provider: { require_parameters: true, data_collection: "deny", ...routing },
    plugins: [{ id: "context-compression", enabled: false }],
    session_id: hashJson([model, request.seed ?? null, opening]),
  };
}

function wireTool({
  name,
  description,
  parameters,
}: ChatRequest["tools"][number]): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters: { ...parameters } } };
}

/** History in the form every provider accepts (openrouter.md §6). */
function wireMessage(message: ChatMessage): WireMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: textOnly(message.content) };
    case "user":
      return {
        role: "user",
        content: typeof message.content === "string" ? message.content : [...message.content],
      };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
    case "assistant": {
      const { content, toolCalls, echo = {} } = message;
      // An empty text block beside calls is refused by some routes; null is not.
      if (toolCalls.length === 0) return { ...echo, role: "assistant", content: content ?? "" };
      const text = content === null || content.trim() === "" ? null : content;
      return { ...echo, role: "assistant", content: text, tool_calls: toolCalls.map(wireCall) };
    }
  }
}

/** Some providers refuse a whole conversation for one argument string that is not a JSON object. */
function wireCall(call: ToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  const args = isJsonObject(call.arguments) ? call.arguments : "{}";
  return { id: call.id, type: "function", function: { name: call.name, arguments: args } };
}

function textOnly(content: Extract<ChatMessage, { role: "system" | "user" }>["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
