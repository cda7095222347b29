import type OpenAI from "openai";
import type { ChatMessage, ContentPart, ToolCall } from "./port.ts";
import { isJsonObject } from "./read-calls.ts";

export type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** History in the form every provider accepts (openrouter.md §6). */
export function wireMessage(message: ChatMessage): WireMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: sendable(textOnly(message.content)) };
    case "user":
      return { role: "user", content: userContent(message.content) };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: sendable(message.content) };
    case "assistant": {
      const { content, toolCalls, echo = {} } = message;
      const text = sendable(content ?? "");
      // An empty text block beside calls is refused by some routes; null is not.
      if (toolCalls.length === 0) return { ...echo, role: "assistant", content: text };
      const words = text.trim() === "" ? null : text;
      return { ...echo, role: "assistant", content: words, tool_calls: toolCalls.map(wireCall) };
    }
  }
}

/**
 * Marks for caches that need them block by block (openrouter.md §10): the end of the system message, which all trials
 * share, and the last message, where the next request of this conversation goes on.
 */
export function withCacheMarks(messages: readonly WireMessage[]): WireMessage[] {
  return messages.map((message, at) =>
    message.role === "system" || at === messages.length - 1 ? marked(message) : message,
  );
}

const mark = { cache_control: { type: "ephemeral" } } as const;

function marked(message: WireMessage): WireMessage {
  const { content } = message;
  if (typeof content === "string") {
    const part = { type: "text", text: content, ...mark } as const;
    return content === "" ? message : ({ ...message, content: [part] } as WireMessage);
  }
  const last = content?.at(-1);
  if (content == null || last === undefined) return message;
  return { ...message, content: [...content.slice(0, -1), { ...last, ...mark }] } as WireMessage;
}

/** Providers refuse a whole conversation for a NUL or a lone surrogate in it. */
export function sendable(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** Some providers refuse a whole conversation for one argument string that is not a JSON object. */
function wireCall(call: ToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  const args = isJsonObject(call.arguments) ? sendableJson(call.arguments) : "{}";
  return { id: call.id, type: "function", function: { name: call.name, arguments: args } };
}

/** The text as it is, unless its strings hold what may not be sent, written as escapes. */
function sendableJson(json: string): string {
  if (!/\\u(0000|d[89a-f])/i.test(json)) return sendable(json);
  const clean = JSON.stringify(
    JSON.parse(json, (_key, value: unknown) => (typeof value === "string" ? sendable(value) : value)),
  );
  return clean === JSON.stringify(JSON.parse(json)) ? sendable(json) : clean;
}

function userContent(content: string | readonly ContentPart[]): string | ContentPart[] {
  if (typeof content === "string") return sendable(content);
  return content.map((part) => (part.type === "text" ? { ...part, text: sendable(part.text) } : part));
}

function textOnly(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
