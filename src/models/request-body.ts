import type OpenAI from "openai";
import type { Endpoint } from "../artefacts/endpoint.ts";
import { hashJson } from "../hash.ts";
import type { ChatRequest, RequestRecord } from "./port.ts";
import { wireMessage, withCacheMarks } from "./wire-messages.ts";

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;

/** Fixed per model and the same in every arm. What is absent is left to the provider. */
export type SamplingSettings = {
  readonly temperature?: number | undefined;
  readonly reasoning?:
    | {
        readonly effort?: string | undefined;
        readonly max_tokens?: number | undefined;
        readonly enabled?: boolean | undefined;
        readonly exclude?: boolean | undefined;
      }
    | undefined;
};

export type WireRequest = { readonly body: Body; readonly sent: RequestRecord };

/** Some endpoints refuse to answer in fewer. */
const fewestTokens = 16;

/**
 * The body of POST chat/completions, and the record of what it holds besides the conversation and the tools. Keys come
 * in a fixed order, with all that differs between trials behind the messages: two requests of one conversation begin
 * with the same bytes, and so do two trials of one arm (the provider's cache lives on it).
 */
export function requestBody(
  request: ChatRequest,
  endpoint: Endpoint,
  settings: SamplingSettings = {},
): WireRequest {
  const { model } = endpoint;
  const { constant, varying, withheld } = optionalParameters(request, endpoint, settings);
  const openRouter = endpoint.dialect === "openrouter";
  const first = { ...(openRouter ? openRouterFields(endpoint) : {}), ...constant };
  const last = {
    ...tokenLimit(request.maxTokens, endpoint),
    ...varying,
    ...(openRouter ? { session_id: sessionOf(request, model) } : {}),
  };
  const messages = request.messages.map(wireMessage);
  const body = {
    model,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    ...first,
    messages: marksOf(endpoint) === "blocks" ? withCacheMarks(messages) : messages,
    ...last,
  };
  return { body, sent: { parameters: { model, ...first, ...last }, withheld } };
}

/** What `endpoint` will let a turn have of the tokens asked for. */
export function clampedTokens(maxTokens: number, { maxOutputTokens }: Endpoint): number {
  return Math.max(fewestTokens, Math.min(maxTokens, maxOutputTokens ?? Infinity));
}

/** Always sent: without it the whole output window is held against the credits. */
function tokenLimit(maxTokens: number, endpoint: Endpoint): Record<string, number> {
  const { parameters } = endpoint;
  const newName =
    parameters?.includes("max_completion_tokens") === true && !parameters.includes("max_tokens");
  return { [newName ? "max_completion_tokens" : "max_tokens"]: clampedTokens(maxTokens, endpoint) };
}

type Optional = {
  readonly constant: Readonly<Record<string, unknown>>;
  readonly varying: Readonly<Record<string, unknown>>;
  readonly withheld: readonly string[];
};

/** Optional parameters go where the endpoint lists them: one it does not know can leave no endpoint at all. */
function optionalParameters(
  { seed, responseSchema }: ChatRequest,
  { parameters }: Endpoint,
  { temperature, reasoning }: SamplingSettings,
): Optional {
  const takes = (...names: readonly string[]): boolean => names.some((name) => parameters?.includes(name));
  const constant: Record<string, unknown> = {};
  const withheld: string[] = [];
  if (temperature !== undefined) {
    if (takes("temperature")) constant["temperature"] = temperature;
    else withheld.push("temperature");
  }
  if (reasoning !== undefined) {
    if (takes("reasoning")) constant["reasoning"] = reasoning;
    else if (reasoning.effort !== undefined && takes("reasoning_effort")) {
      constant["reasoning_effort"] = reasoning.effort;
    } else withheld.push("reasoning");
  }
  if (responseSchema !== undefined) {
    const { name, schema } = responseSchema;
    const format = { type: "json_schema", json_schema: { name, strict: true, schema: { ...schema } } };
    if (takes("response_format", "structured_outputs")) constant["response_format"] = format;
    else withheld.push("response_format");
  }
  if (seed === undefined) return { constant, varying: {}, withheld };
  return takes("seed")
    ? { constant, varying: { seed }, withheld }
    : { constant, varying: {}, withheld: [...withheld, "seed"] };
}

/** Fields that only OpenRouter knows (openrouter.md §4, §10, §11): the pin, no compression, the cache's mark. */
function openRouterFields(endpoint: Endpoint): Record<string, unknown> {
  const { tag, quantization } = endpoint;
  return {
    provider: {
      ...(tag === null ? {} : { only: [tag] }),
      ...(quantization === null ? {} : { quantizations: [quantization] }),
      allow_fallbacks: false,
      require_parameters: true,
      data_collection: "deny",
    },
    plugins: [{ id: "context-compression", enabled: false }],
    ...(marksOf(endpoint) === "top" ? { cache_control: { type: "ephemeral" } } : {}),
  };
}

/** Where marks for the provider's cache go. Strict servers know neither kind. */
function marksOf({ cache, dialect, model }: Endpoint): "none" | "top" | "blocks" {
  if (cache === "automatic" || dialect !== "openrouter") return "none";
  return model.startsWith("anthropic/") ? "top" : "blocks";
}

/**
 * Keeps the arms of one block on one machine of the provider, so it is made of what they share: the requests of two
 * arms must differ in nothing but the skill.
 */
function sessionOf(request: ChatRequest, model: string): string {
  const opening = request.messages.find(({ role }) => role === "user") ?? null;
  return hashJson([model, request.seed ?? null, opening]);
}

function wireTool({
  name,
  description,
  parameters,
}: ChatRequest["tools"][number]): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters: { ...parameters } } };
}
