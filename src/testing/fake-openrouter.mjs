#!/usr/bin/env node
/**
 * fake-openrouter.mjs — a faithful, scriptable stand-in for OpenRouter. Zero dependencies, Node >= 20.
 *
 *   node fake-openrouter.mjs [--port 0] [--scenario file.json]
 *   First stdout line: {"port":40123,"baseURL":"http://127.0.0.1:40123/api/v1"}
 *   In-process: import { startFake } from './fake-openrouter.mjs'; const f = await startFake({ scenario }); … await f.close();
 *
 * API (also answers without the /api prefix, as Ollama/vLLM/LM Studio do; any non-empty bearer key is accepted):
 *   POST chat/completions (JSON and SSE)   POST embeddings   GET models   GET embeddings/models
 *   GET models/{author}/{slug}/endpoints   GET credits   GET key   GET generation?id=
 * Control (no key needed):
 *   POST /__scenario  replace the scenario and reset all counters (body: scenario JSON)   GET /__scenario
 *   GET  /__log       every API request seen: {n,ms,method,path,headers(redacted),body,model,call,turn,conversation,rule,
 *                     fault,provider,status,usage,cost,aborted,warnings[]}; filter with ?model= ?path= ; DELETE clears
 *   GET  /__stats     {requests,in_flight,max_in_flight,spent,by_model:{id:{calls,max_in_flight,ok,errors}}}   POST /__reset
 *
 * SCENARIO (all keys optional; what you give for a model is merged over DEFAULT_MODEL below)
 *   { "seed": 1,                                // for "chance"
 *     "account": { "total_credits": 100, "key_limit": null, "in_flight_budget": null, "reject_keys": ["sk-revoked"],
 *                  "is_free_tier": false, "free_requests_left": null },   // the counter of :free models in GET key
 *     "padding": 1,                             // whitespace pads before each non-streamed 200 body (the real API does this)
 *     "generation_lag_ms": 200,                 // GET generation answers 404 until this long after the completion
 *     "allow_unknown_models": false,
 *     "rules": [ …rules tried before each model's own… ],
 *     "models": { "acme/coder": { "context_length": 64000, "cache": "implicit" | "explicit" | "none",
 *         "endpoints": [ { "provider":"Alpha","tag":"alpha/fp8","quantization":"fp8" }, … ],  // unpinned calls ROTATE over these
 *           // an endpoint may have its own context_length, max_completion_tokens, pricing, supported_parameters, uptime, down
 *         "permaslug": "acme/coder-20260127",   // the snapshot's name: served as "model", known as an id too
 *         "expiration_date": "2026-12-31",      // announced removal, null by default
 *         "requires_reasoning": true,           // 400 unless reasoning_details come back unchanged (Gemini 3, Claude thinking)
 *         "strict_history": true,               // 400 on orphan tool results, empty text blocks, bad JSON args in history
 *         "limit": { "max": 5, "window_ms": 1000, "concurrent": 2 },   // over it: 429 with Retry-After
 *         "rejects": ["temperature"], "min_max_tokens": 16,            // 400 when sent / when max_tokens is below
 *         "embedding": { "dims": 256, "max_batch": 2048, "shuffle": false, "ignore_encoding_format": false, "drop_last": false },
 *         "rules": [ { "if": {…}, "call": 2 | "2-4" | [1,3], "turn": 1, "times": 2, "per": "conversation", "do": {…} }, … ] } } }
 *   The first rule that matches answers. No rule matches: the text "Done." A rule's "do" is one of:
 *     { "agent": [ step, step, … ] }            // step number = turn (assistant messages already in the request, + 1);
 *                                               // the last step repeats (so a tool step last = an agent that never stops)
 *         step: "final text" | [ {"name":"bash","args":{"command":"ls"}}, … ] |
 *               { "say": null, "calls": […], "quirk": "args_object", "reasoning": "hm", "finish": "stop", "refusal": "…" }
 *     { "judge": { "yes_if": ["text","/re/i"], "no_if": […], "default": "NO",
 *                  "format": "plain|lower|verbose|json|fenced|hedge|empty|ignore_schema" } }   // rules read the last user message
 *     { "fault": "rate_limit_upstream", …options… }       // names: FAULTS and QUIRKS below; GET /__faults lists them
 *   Any "do" may add: delay_ms, padding, pad_interval_ms, provider, headers, usage ("full|none|zero|no_cost|byok|no_details"),
 *   merge (object deep-merged into the JSON body), sse_comments.
 *   "if" keys (all must hold): system_has, system_lacks, user_has, last_has, any_has (string, or list = all of them; "/re/i" is
 *   a regex), tools (bool), stream (bool), chance (0..1, fixed per conversation), body ({"dot.path": value}), header ({name: value}).
 *   EXAMPLE — the skill works: { "models": { "acme/coder": { "rules": [
 *     { "if": {"system_has":"MARKER-7"}, "do": {"agent":[[{"name":"write_file","args":{"path":"out.txt","content":"right"}}],"Done."]} },
 *     { "turn": 1, "times": 1, "do": {"fault":"rate_limit_retry_after","retry_after":1} },
 *     { "do": {"agent":[[{"name":"write_file","args":{"path":"out.txt","content":"wrong"}}],"Done."]} } ] } } }
 *
 * What it checks for you: "warnings" in the log (unknown tool ids, lost reasoning_details, bad JSON args, tools missing, …),
 * routing (provider.only/order/ignore/allow_fallbacks/require_parameters/quantizations/data_collection/zdr/max_price → 404 when
 * nothing is left), context overflow (400), max_tokens (finish "length"), credits (402), prompt-cache reads and writes, cost.
 * A conversation is known by the tool-call ids the fake itself issued, so parallel trials of one prompt stay apart.
 */
import http from "node:http";
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

const TOOL_PARAMS = [
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_tokens",
  "temperature",
  "top_p",
  "seed",
  "stop",
  "response_format",
  "structured_outputs",
  "reasoning",
  "include_reasoning",
];
const DEFAULT_MODEL = {
  name: "Fake",
  context_length: 128000,
  max_completion_tokens: 16384,
  cache: "implicit",
  cache_min: 1024,
  supported_parameters: TOOL_PARAMS,
  requires_reasoning: false,
  strict_history: true,
  rules: [],
  pricing: {
    prompt: "0.000001",
    completion: "0.000005",
    request: "0",
    input_cache_read: "0.0000001",
    input_cache_write: "0.00000125",
  },
  endpoints: [
    { provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" },
    { provider: "Beta", tag: "beta/fp4", quantization: "fp4" },
  ],
};
const DEFAULT_SCENARIO = {
  seed: 1,
  padding: 1,
  generation_lag_ms: 200,
  allow_unknown_models: false,
  rules: [],
  account: {
    total_credits: 100,
    key_limit: null,
    in_flight_budget: null,
    reject_keys: [],
    is_free_tier: false,
    free_requests_left: null,
  },
  models: {
    "acme/coder": {},
    "acme/coder-mini": {
      pricing: { prompt: "0.0000002", completion: "0.0000008", input_cache_read: "0.00000002" },
    },
    "acme/judge-a": { rules: [{ do: { judge: { default: "NO" } } }] },
    "bravo/judge-b": { rules: [{ do: { judge: { default: "NO" } } }] },
    "carol/judge-c": { rules: [{ do: { judge: { default: "NO" } } }] },
    "acme/embed": { embedding: {}, endpoints: [{ provider: "Alpha", tag: "alpha", quantization: null }] },
  },
};

// ---------------------------------------------------------------- faults: HTTP answers that are not a completion
const err = (status, message, metadata, more = {}) => ({
  status,
  headers: more.headers ?? {},
  json: {
    error: { message, code: status, ...(metadata && { metadata }), ...more.error },
    user_id: "user_fake",
  },
});
const avail = (code, o, more) => ({
  availability: {
    code,
    retryable: false,
    requested_models: [o.model],
    docs_url: `https://openrouter.ai/docs/errors#${code}`,
    ...more,
  },
});
const CF = (code, title) => ({
  status: code,
  type: "text/html; charset=UTF-8",
  headers: { server: "cloudflare", "cf-ray": "8f00fake0000-FRA" },
  raw: `<!DOCTYPE html>\n<html lang="en-US"><head><title>openrouter.ai | ${code}: ${title}</title></head><body><h1>${title}</h1></body></html>\n`,
});
const UP = (raw, provider = "Alpha", more) => ({ raw, provider_name: provider, is_byok: false, ...more });
const upstream400 = (message, more) =>
  err(
    400,
    "Provider returned error",
    UP(JSON.stringify({ error: { message, type: "invalid_request_error", ...more } })),
  );
const tooLong = (limit, prompt, out, provider) =>
  err(
    400,
    `This endpoint's maximum context length is ${limit} tokens. However, you requested about ${prompt + out} tokens ` +
      `(${prompt} of text input, ${out} in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
    { error_type: "context_length_exceeded", provider_name: provider },
  );

export const FAULTS = {
  // 4xx with OpenRouter's error object
  bad_request: () => err(400, "Invalid request parameters", { error_type: "invalid_request" }),
  invalid_model: (o) =>
    err(400, `${o.model} is not a valid model ID`, undefined, { error: avail("model_not_found", o) }),
  context_length: () => tooLong(131072, 10535, 131072, "Alpha"),
  provider_400: () => upstream400("messages: text content blocks must be non-empty"),
  missing_reasoning: () =>
    err(
      400,
      "Provider returned error",
      UP(
        'Gemini models require OpenRouter reasoning details to be preserved in each request. Upstream error: {"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}',
        "Google AI Studio",
      ),
    ),
  azure_content_filter: () => ({
    status: 400,
    json: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: {
          code: "ResponsibleAIPolicyViolation",
          content_filter_result: { jailbreak: { filtered: true, detected: true } },
        },
      },
    },
  }),
  vllm_no_tool_parser: () => ({
    status: 400,
    json: {
      object: "error",
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  }),
  llamacpp_context: () => ({
    status: 400,
    json: {
      error: {
        code: 400,
        message: "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 4390,
        n_ctx: 4096,
      },
    },
  }),
  unauthorized: () => err(401, "User not found."),
  no_credits: () =>
    err(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits", {
      limit_source: "openrouter_credits",
    }),
  fewer_max_tokens: () =>
    err(
      402,
      "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2666. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
      { provider_name: null },
    ),
  in_flight_budget: (o) =>
    err(
      402,
      "This request would exceed your available credits given your current in-flight requests. Retry after in-flight requests settle, or add credits.",
      {
        reason: "in_flight_budget_exhausted",
        limit_source: "openrouter_in_flight_budget",
        remedy_hint: "Retry after your in-flight requests settle (see the Retry-After header).",
        headers: { "Retry-After": String(o.retry_after ?? 1) },
      },
      { headers: { "Retry-After": String(o.retry_after ?? 1) } },
    ),
  weight_exceeds_budget: () =>
    err(402, "This request is too expensive for your current in-flight budget.", {
      reason: "weight_exceeds_budget",
      limit_source: "openrouter_credits",
    }),
  key_limit: () =>
    err(403, "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys", {
      limit_source: "openrouter_key_limit",
      limit_usd: 10,
      spend_usd: 10.02,
      resets_at: null,
    }),
  moderation: () =>
    err(
      403,
      'acme/coder requires moderation on Alpha. Your input was flagged for "violence". No credits were charged.',
      {
        reasons: ["violence"],
        flagged_input: "kill -9 $(pgrep …",
        provider_name: "Alpha",
        model_slug: "acme/coder",
      },
    ),
  guardrail: () =>
    err(403, "Request blocked: prompt injection patterns detected", {
      patterns: ["ignore all previous instructions"],
    }),
  no_tool_endpoints: () =>
    err(
      404,
      'No endpoints found that support tool use. Try disabling "bash". To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection',
    ),
  data_policy: (o) =>
    err(
      404,
      "No endpoints available matching your guardrail restrictions and data policy. Configure: https://openrouter.ai/settings/privacy",
      undefined,
      { error: avail("privacy_restricted", o, { excluded_by: ["data_policy:training"] }) },
    ),
  model_deprecated: (o) =>
    err(404, "This model has been deprecated.", undefined, {
      error: avail("model_deprecated", o, { fallback_models: ["acme/coder-2"] }),
    }),
  request_timeout: () => err(408, "Operation timed out. Please try again later."),
  too_large: () => err(413, "Request payload too large", { error_type: "payload_too_large" }),
  unprocessable: () => err(422, "Invalid argument", { error_type: "unprocessable" }),
  rate_limit_upstream: (o) =>
    err(
      429,
      "Provider returned error",
      UP(
        `${o.model} is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits: https://openrouter.ai/settings/integrations`,
        "Alpha",
        { error_type: "rate_limit_exceeded", limit_source: "upstream_provider_shared_pool" },
      ),
    ),
  rate_limit_retry_after: (o) =>
    err(
      429,
      "Rate limit exceeded",
      { error_type: "rate_limit_exceeded" },
      { headers: { "Retry-After": String(o.retry_after ?? 1) } },
    ),
  rate_limit_platform: (o) => {
    const reset = String(Date.now() + (o.reset_in_ms ?? 1500));
    const h = { "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset };
    return err(
      429,
      "Rate limit exceeded: free-models-per-min. ",
      { headers: h, provider_name: null, error_type: "rate_limit_exceeded" },
      { headers: h },
    );
  },
  rate_limit_daily: () => {
    const reset = String(new Date().setUTCHours(24, 0, 0, 0));
    const h = { "X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset };
    return err(
      429,
      "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
      { headers: h, provider_name: null },
      { headers: h },
    );
  },
  rate_limit_long: () =>
    err(
      429,
      "Rate limit exceeded",
      { error_type: "rate_limit_exceeded" },
      { headers: { "Retry-After": "86400" } },
    ),
  capacity_exhausted: (o) =>
    err(
      429,
      `All providers for ${o.model} are at capacity. Retry after ${o.retry_after ?? 1} seconds.`,
      {
        error_type: "rate_limit_exceeded",
        previous_errors: [{ provider: "alpha", code: "capacity_exhausted", status: 429 }],
      },
      {
        error: avail("capacity_exhausted", o, { retryable: true, retry_after: o.retry_after ?? 1 }),
        headers: { "Retry-After": String(o.retry_after ?? 1) },
      },
    ),
  // 5xx
  server_error: () => err(500, "Internal Server Error", { error_type: "server" }),
  bad_gateway: () =>
    err(
      502,
      "Provider returned error",
      UP("upstream connect error or disconnect/reset before headers", "Alpha", {
        error_type: "provider_unavailable",
      }),
    ),
  unavailable: (o) =>
    err(
      503,
      "Service temporarily unavailable",
      { error_type: "provider_overloaded" },
      { headers: o.retry_after ? { "Retry-After": String(o.retry_after) } : {} },
    ),
  no_provider_503: () =>
    err(503, "There is no available model provider that meets your routing requirements"),
  llamacpp_loading: () => ({
    status: 503,
    json: { error: { message: "Loading model", type: "unavailable_error", code: 503 } },
  }),
  gateway_timeout: () => err(504, "The operation was aborted", { error_type: "timeout" }),
  edge_timeout: () => err(524, "Request timed out. Please try again later."),
  overloaded: () =>
    err(
      529,
      "Provider returned error",
      UP('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "Anthropic"),
    ),
  html_502: () => CF(502, "Bad gateway"),
  html_524: () => CF(524, "A timeout occurred"),
  html_403: () => CF(403, "Attention Required! | Cloudflare"),
  empty_520: () => ({ status: 520, type: "text/plain", raw: "", headers: { server: "cloudflare" } }),
  string_error: () => ({
    status: 400,
    json: { error: 'model "acme/coder" not found, try pulling it first' },
  }),
  detail_error: () => ({
    status: 422,
    json: { detail: [{ loc: ["body", "messages"], msg: "field required", type: "value_error.missing" }] },
  }),
  // 200 with no usable completion
  ok_error: (o) => ({
    status: 200,
    json: {
      id: o.genId,
      error: {
        message: "Upstream error from Alpha: Service temporarily overloaded",
        code: 502,
        metadata: { error_type: "provider_unavailable" },
      },
    },
  }),
  ok_error_429: (o) => ({
    status: 200,
    json: {
      id: o.genId,
      choices: [],
      error: { message: "Provider returned error", code: 429, metadata: UP("error code: 1015") },
    },
  }),
  ok_error_404: () => ({
    status: 200,
    json: { error: { message: "No successful provider responses.", code: 404 } },
  }),
  ok_error_402: (o) => ({
    status: 200,
    json: { id: o.genId, error: { message: "Insufficient credits", code: 402 } },
  }),
  ok_error_padded: () => ({
    status: 200,
    padding: 5,
    json: { error: { message: "The operation was aborted", code: 504 } },
  }),
  ok_error_string: () => ({
    status: 200,
    json: { error: "Unexpected endpoint or method. (POST /chat/completions)" },
  }),
  no_choices: (o) => ({ status: 200, json: { ...o.envelope, choices: undefined } }),
  empty_choices: (o) => ({ status: 200, json: { ...o.envelope, choices: [], usage: o.zeroUsage } }),
  html_200: () => ({
    status: 200,
    type: "text/html",
    raw: "<html><body>Please log in to the network</body></html>",
  }),
  json_as_text: (o) => ({
    status: 200,
    type: "text/plain",
    raw: JSON.stringify({
      ...o.envelope,
      choices: [choice({ role: "assistant", content: "Done." }, "stop")],
      usage: o.zeroUsage,
    }),
  }),
  whitespace_only: () => ({ status: 200, padding: 8, type: "application/json", raw: "" }),
  empty_body: () => ({ status: 200, type: "application/json", raw: "" }),
  truncated_json: (o) => ({
    status: 200,
    type: "application/json",
    raw: JSON.stringify({
      ...o.envelope,
      choices: [choice({ role: "assistant", content: "Done." }, "stop")],
    }).slice(0, -30),
  }),
  // transport
  reset_before_headers: () => ({ transport: "reset" }),
  reset_mid_body: () => ({ transport: "reset_mid" }),
  stall_headers: () => ({ transport: "stall" }),
  stall_body: () => ({ transport: "stall_body" }),
  endless_padding: () => ({ transport: "endless_padding" }),
};

// ---------------------------------------------------------------- quirks: a completion, oddly shaped (on a step's calls, or on a default bash call)
const choice = (message, finish, native, extra) => ({
  index: 0,
  logprobs: null,
  finish_reason: finish,
  native_finish_reason: native ?? finish,
  message,
  ...extra,
});
const calls = (m) => m.message.tool_calls;
export const QUIRKS = {
  args_malformed: (m) => {
    calls(m)[0].function.arguments = calls(m)[0].function.arguments.replace(/}$/, ",");
  },
  args_cut: (m) => {
    calls(m)[0].function.arguments = calls(m)[0].function.arguments.slice(0, -6);
    m.finish = "length";
    m.native = "max_tokens";
  },
  args_object: (m) => {
    for (const c of calls(m)) c.function.arguments = JSON.parse(c.function.arguments);
  },
  args_double: (m) => {
    for (const c of calls(m)) c.function.arguments = JSON.stringify(c.function.arguments);
  },
  args_trailing: (m) => {
    calls(m)[0].function.arguments += '""';
  },
  args_fenced: (m) => {
    calls(m)[0].function.arguments = "```json\n" + calls(m)[0].function.arguments + "\n```";
  },
  args_empty: (m) => {
    calls(m)[0].function.arguments = "";
  },
  args_missing: (m) => {
    delete calls(m)[0].function.arguments;
  },
  args_array: (m) => {
    calls(m)[0].function.arguments = '["ls"]';
  },
  args_wrong_key: (m) => {
    calls(m)[0].function.arguments = JSON.stringify({ cmd: "ls" });
  },
  args_wrong_type: (m) => {
    calls(m)[0].function.arguments = JSON.stringify({ command: ["ls", "-l"] });
  },
  id_missing: (m) => {
    for (const c of calls(m)) delete c.id;
  },
  id_empty: (m) => {
    for (const c of calls(m)) c.id = "";
  },
  id_duplicate: (m) => {
    if (calls(m).length < 2) calls(m).push(structuredClone(calls(m)[0]));
    for (const c of calls(m)) c.id = calls(m)[0].id;
  },
  id_kimi: (m) => {
    calls(m).forEach((c, i) => {
      c.id = `functions.${c.function.name}:${i}`;
    });
  },
  name_unknown: (m) => {
    calls(m)[0].function.name = "search_web";
  },
  name_prefixed: (m) => {
    calls(m)[0].function.name = "functions." + calls(m)[0].function.name;
  },
  name_harmony: (m) => {
    calls(m)[0].function.name += "<|channel|>commentary";
  },
  name_missing: (m) => {
    delete calls(m)[0].function.name;
  },
  calls_finish_stop: (m) => {
    m.finish = "stop";
    m.native = "STOP";
  },
  calls_finish_null: (m) => {
    m.finish = null;
    m.native = null;
  },
  finish_calls_without_calls: (m) => {
    delete m.message.tool_calls;
    m.message.content = "I will look at the files now.";
    m.finish = "tool_calls";
  },
  calls_empty_array: (m) => {
    m.message.tool_calls = [];
    m.message.content = m.message.content ?? "Done.";
    m.finish = "stop";
  },
  legacy_function_call: (m) => {
    m.message.function_call = calls(m)[0].function;
    delete m.message.tool_calls;
    m.finish = "function_call";
  },
  calls_in_content: (m) => {
    const c = calls(m)[0].function;
    m.message.content = `<tool_call>\n{"name": "${c.name}", "arguments": ${c.arguments}}\n</tool_call>`;
    delete m.message.tool_calls;
    m.finish = "stop";
  },
  calls_in_content_kimi: (m) => {
    const c = calls(m)[0].function;
    m.message.content = `<|tool_calls_section_begin|><|tool_call_begin|>functions.${c.name}:0<|tool_call_argument_begin|>${c.arguments}<|tool_call_end|><|tool_calls_section_end|>`;
    m.message.tool_calls = [];
    m.finish = "tool_calls";
  },
  null_content: (m) => {
    delete m.message.tool_calls;
    m.message.content = null;
    m.finish = "stop";
  },
  blank_content: (m) => {
    delete m.message.tool_calls;
    m.message.content = " \n";
    m.finish = "stop";
  },
  reasoning_only: (m) => {
    delete m.message.tool_calls;
    m.message.content = "";
    m.message.reasoning = "The user wants… I should call bash.";
    m.finish = "stop";
  },
  reasoning_ate_budget: (m) => {
    delete m.message.tool_calls;
    m.message.content = null;
    m.message.reasoning = "Let me think about every case…";
    m.finish = "length";
    m.native = "max_output_tokens";
  },
  think_tags: (m) => {
    m.message.content = "<think>I should list files.</think>" + (m.message.content ?? "");
  },
  content_parts: (m) => {
    m.message.content = [{ type: "text", text: m.message.content || "Done." }];
  },
  length: (m) => {
    delete m.message.tool_calls;
    m.message.content = "The first step is to";
    m.finish = "length";
    m.native = "max_tokens";
  },
  content_filter: (m) => {
    delete m.message.tool_calls;
    m.message.content = "";
    m.finish = "content_filter";
    m.native = "SAFETY";
  },
  refusal: (m) => {
    delete m.message.tool_calls;
    m.message.content = null;
    m.message.refusal = "I'm sorry, I can't help with that.";
    m.finish = "stop";
    m.native = "refusal";
  },
  choice_error: (m) => {
    delete m.message.tool_calls;
    m.message.content = "partial output...";
    m.finish = "error";
    m.extra = {
      error: {
        code: 502,
        message: "Provider disconnected mid-stream",
        metadata: { error_type: "provider_unavailable" },
      },
    };
  },
  finish_error: (m) => {
    delete m.message.tool_calls;
    m.message.content = null;
    m.finish = "error";
    m.native = "MALFORMED_FUNCTION_CALL";
  },
  // streaming only (ignored without stream:true)
  stream_error_mid: (m) => {
    m.stream = "error";
  },
  stream_cut: (m) => {
    m.stream = "cut";
  },
  stream_no_done: (m) => {
    m.stream = "no_done";
  },
  stream_idle_timeout: (m) => {
    m.stream = "idle";
  },
  stream_index_zero: (m) => {
    m.stream = "index0";
  },
  stream_reset: (m) => {
    m.stream = "reset";
  },
};

// ---------------------------------------------------------------- small helpers
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const sha = (s) => createHash("sha256").update(s).digest("hex");
const unit = (s) => parseInt(sha(s).slice(0, 8), 16) / 0xffffffff; // deterministic 0..1
const textOf = (m) =>
  typeof m?.content === "string"
    ? m.content
    : Array.isArray(m?.content)
      ? m.content.map((p) => p?.text ?? "").join("")
      : "";
const tok = (s) => Math.ceil((s?.length ?? 0) / 4);
const msgTok = (m) =>
  4 +
  tok(textOf(m)) +
  tok(m.tool_calls ? JSON.stringify(m.tool_calls) : "") +
  tok(m.reasoning_details ? JSON.stringify(m.reasoning_details) : "");
const asList = (x) => (x === undefined ? [] : Array.isArray(x) ? x : [x]);
const hit = (text, pat) => {
  const re = /^\/(.*)\/([a-z]*)$/s.exec(pat);
  return re ? new RegExp(re[1], re[2]).test(text) : text.toLowerCase().includes(String(pat).toLowerCase());
};
const dig = (o, path) => path.split(".").reduce((v, k) => v?.[k], o);
const inRange = (n, spec) =>
  spec === undefined ||
  asList(spec).some((s) =>
    typeof s === "string" && s.includes("-") ? n >= +s.split("-")[0] && n <= +s.split("-")[1] : n === +s,
  );
const isObj = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
const merge = (a, b) => {
  const out = { ...a };
  for (const [k, v] of Object.entries(b ?? {})) out[k] = isObj(v) && isObj(a?.[k]) ? merge(a[k], v) : v;
  return out;
};
const readBody = (req) =>
  new Promise((ok, no) => {
    const p = [];
    req
      .on("data", (d) => p.push(d))
      .on("end", () => ok(Buffer.concat(p).toString("utf8")))
      .on("error", no);
  });
const redact = (h) =>
  Object.fromEntries(
    Object.entries(h).map(([k, v]) => [
      k,
      /authorization|api-key|cookie|token/i.test(k) ? `${String(v).split(" ")[0]} ***redacted***` : v,
    ]),
  );
const permaslug = (m) => m.permaslug ?? `${m.id.replace(/:.*/, "")}-20260127`;
const safeJSON = (s) => {
  try {
    return { ok: true, value: JSON.parse(s) };
  } catch {
    return { ok: false };
  }
};

class Fake {
  constructor(scenario) {
    this.load(scenario ?? {});
  }
  load(given) {
    const s = merge(DEFAULT_SCENARIO, given);
    s.models = { ...(given.models ? {} : DEFAULT_SCENARIO.models), ...given.models };
    for (const [id, m] of Object.entries(s.models)) s.models[id] = { ...merge(DEFAULT_MODEL, m), id };
    this.scenario = s;
    this.given = given;
    Object.assign(this, {
      log: [],
      calls: {},
      fired: new Map(),
      spent: 0,
      held: 0,
      inFlight: 0,
      maxInFlight: 0,
      byModel: {},
      generations: new Map(),
      emitted: new Map(),
      conv: 0,
      pending: new Map(),
      cache: new Map(),
      windows: {},
      seq: 0,
      t0: Date.now(),
    });
  }

  // -------------------------------------------------------------- routing among a model's endpoints
  route(model, body, call) {
    const p = body.provider ?? {},
      price = (e, k) => Number({ ...model.pricing, ...e.pricing }[k]) * 1e6;
    const named = (e, list) =>
      list.some(
        (x) =>
          e.tag === x || e.tag.startsWith(`${x}/`) || e.provider.toLowerCase() === String(x).toLowerCase(),
      );
    const used = Object.keys(body).filter((k) => TOOL_PARAMS.includes(k));
    let left = model.endpoints.map((e) => ({ supported_parameters: model.supported_parameters, ...e }));
    const gates = [
      // [why, is the gate on, which endpoints stay]
      ["allowed_providers", p.only, (e) => named(e, p.only)],
      ["allowed_providers", p.ignore, (e) => !named(e, p.ignore)],
      ["allowed_providers", p.order && p.allow_fallbacks === false, (e) => named(e, p.order)],
      ["quantization", p.quantizations, (e) => p.quantizations.includes(e.quantization ?? "unknown")],
      ["data_policy:training", p.data_collection === "deny", (e) => e.collects !== true],
      ["data_policy:zdr", p.zdr === true, (e) => e.zdr !== false],
      [
        "max_price",
        p.max_price,
        (e) =>
          ["prompt", "completion"].every(
            (k) => p.max_price[k] === undefined || price(e, k) <= Number(p.max_price[k]),
          ),
      ],
      [
        "require_parameters",
        p.require_parameters === true,
        (e) => used.every((k) => e.supported_parameters.includes(k)),
      ],
      ["tools", body.tools?.length, (e) => e.supported_parameters.includes("tools")],
    ];
    for (const [why, on, keep] of gates) {
      if (!on) continue;
      left = left.filter(keep);
      if (!left.length) return { error: this.nothingLeft(why, model, body) };
    }
    // Pinned order, a sticky session, or (unpinned) a different endpoint every call: this is how an unpinned trial drifts.
    const start = p.order
      ? 0
      : body.session_id
        ? Math.floor(unit(body.session_id) * left.length)
        : (call - 1) % left.length;
    let queue = left.map((_, i) => left[(start + i) % left.length]);
    if (p.order) {
      const rank = (e) => {
        const i = p.order.findIndex((x) => named(e, [x]));
        return i < 0 ? Infinity : i;
      };
      queue = [...queue].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
    }
    const chosen = (p.allow_fallbacks === false ? queue.slice(0, 1) : queue).find((e) => !e.down);
    if (chosen) return { endpoint: chosen };
    return {
      error: err(
        503,
        "All attempts failed",
        { error_type: "provider_overloaded" },
        { error: avail("temporarily_unavailable", body, { retryable: true }) },
      ),
    };
  }
  nothingLeft(why, model, body) {
    if (why === "tools") return FAULTS.no_tool_endpoints();
    if (why.startsWith("data_policy")) return FAULTS.data_policy({ model: body.model });
    if (why === "allowed_providers") {
      const tags = model.endpoints.map((e) => e.tag).join(", ");
      return err(
        404,
        `No allowed providers are available for the selected model. Providers serving ${body.model}: ${tags}.`,
        undefined,
        { error: avail("no_endpoints", body, { excluded_by: [why] }) },
      );
    }
    return err(
      404,
      "No endpoints found that can handle the requested parameters. To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection",
      undefined,
      { error: avail("constraint_filtered", body, { excluded_by: [why] }) },
    );
  }

  // -------------------------------------------------------------- rules
  conversation(body, headers) {
    for (const m of body.messages)
      for (const c of m.tool_calls ?? []) {
        const f = /^call_c(\d+)_/.exec(c?.id ?? "");
        if (f) return { id: +f[1] };
      }
    const key = sha(
      JSON.stringify([body.model, body.messages, body.session_id ?? headers["x-session-id"], body.seed]),
    );
    const waiting = this.pending.get(key) ?? this.pending.set(key, []).get(key); // a retry of a failed first turn keeps its conversation
    const old = waiting.find((w) => w.failed);
    if (old) {
      old.failed = false;
      return old;
    }
    const fresh = { id: ++this.conv, failed: false };
    waiting.push(fresh);
    return fresh;
  }
  matches(c = {}, { body, headers, conv, model }) {
    const sys = body.messages
      .filter((m) => m.role === "system" || m.role === "developer")
      .map(textOf)
      .join("\n");
    const usr = body.messages
        .filter((m) => m.role === "user")
        .map(textOf)
        .join("\n"),
      last = textOf(body.messages.at(-1)),
      any = body.messages.map(textOf).join("\n");
    return (
      asList(c.system_has).every((p) => hit(sys, p)) &&
      asList(c.system_lacks).every((p) => !hit(sys, p)) &&
      asList(c.user_has).every((p) => hit(usr, p)) &&
      asList(c.last_has).every((p) => hit(last, p)) &&
      asList(c.any_has).every((p) => hit(any, p)) &&
      (c.tools === undefined || c.tools === Boolean(body.tools?.length)) &&
      (c.stream === undefined || c.stream === Boolean(body.stream)) &&
      Object.entries(c.body ?? {}).every(([k, v]) => JSON.stringify(dig(body, k)) === JSON.stringify(v)) &&
      Object.entries(c.header ?? {}).every(([k, v]) => headers[k.toLowerCase()] === v) &&
      (c.chance === undefined || unit(`${this.scenario.seed}|${model.id}|${conv}`) < c.chance)
    );
  }
  pick(ctx) {
    const all = [
      ...this.scenario.rules.map((r, i) => [`all#${i}`, r]),
      ...ctx.model.rules.map((r, i) => [`${ctx.model.id}#${i}`, r]),
    ];
    for (const [name, r] of all) {
      if (r.if?.model && r.if.model !== ctx.model.id) continue;
      if (!inRange(ctx.call, r.call) || !inRange(ctx.turn, r.turn) || !this.matches(r.if, ctx)) continue;
      const key = r.per === "conversation" ? `${name}@${ctx.conv}` : name,
        n = this.fired.get(key) ?? 0;
      if (r.times !== undefined && n >= r.times) continue;
      this.fired.set(key, n + 1);
      return { name, do: r.do };
    }
    return { name: "default", do: { agent: ["Done."] } };
  }

  // -------------------------------------------------------------- what a provider would reject, or a careful client would not send
  inspect(body, model) {
    const warn = [],
      ms = body.messages,
      strict = [];
    if (!Array.isArray(ms) || !ms.length)
      return { warn, reject: err(400, 'Input required: specify "prompt" or "messages"') };
    ms.forEach((m, i) => {
      if (m.role === "assistant") {
        for (const c of m.tool_calls ?? []) {
          if (typeof c.function?.arguments !== "string")
            strict.push(`messages.${i}: tool_calls.function.arguments must be a string`);
          else if (!safeJSON(c.function.arguments).ok)
            strict.push(`messages.${i}: invalid function arguments json string, tool_call_id: ${c.id}`);
          if (!c.id) strict.push(`messages.${i}: tool call without id`);
          const was = this.emitted.get(c.id);
          if (
            was?.reasoning_details &&
            JSON.stringify(was.reasoning_details) !== JSON.stringify(m.reasoning_details)
          ) {
            warn.push(`messages.${i}: reasoning_details not passed back unchanged`);
            if (model.requires_reasoning) strict.push("MISSING_REASONING");
          }
        }
        const ids = (m.tool_calls ?? []).map((c) => c.id),
          after = [];
        for (let j = i + 1; ms[j]?.role === "tool"; j++) after.push(ms[j].tool_call_id);
        if (new Set(ids).size !== ids.length) strict.push(`messages.${i}: duplicate tool call ids`);
        for (const id of ids)
          if (!after.includes(id))
            strict.push(
              `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}`,
            );
        for (const id of after)
          if (!ids.includes(id)) strict.push(`messages.${i + 1}: tool result for unknown tool_call_id ${id}`);
        if (!ids.length && textOf(m).trim() === "")
          strict.push(`messages.${i}: text content blocks must be non-empty`);
      }
      if (m.role === "tool" && typeof m.content !== "string" && !Array.isArray(m.content))
        strict.push(`messages.${i}: tool content missing`);
      if (m.role === "user" && textOf(m).trim() === "")
        strict.push(`messages.${i}: text content blocks must be non-empty`);
    });
    if (ms.some((m) => m.role === "tool") && !body.tools)
      warn.push("tools missing from a request that carries tool results");
    if (body.max_tokens === undefined && body.max_completion_tokens === undefined)
      warn.push("max_tokens not set: the whole output window is held against the credits");
    warn.push(...strict.filter((s) => s !== "MISSING_REASONING"));
    const max = body.max_tokens ?? body.max_completion_tokens,
      no = asList(model.rejects).find((k) => body[k] !== undefined);
    if (no)
      return {
        warn,
        reject: upstream400(`Unsupported parameter: '${no}' is not supported with this model.`, {
          param: no,
          code: "unsupported_parameter",
        }),
      };
    if (max < model.min_max_tokens)
      return {
        warn,
        reject: upstream400(
          `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${model.min_max_tokens}, but got ${max} instead.`,
        ),
      };
    if (strict.includes("MISSING_REASONING")) return { warn, reject: FAULTS.missing_reasoning() };
    if (strict.length && model.strict_history) return { warn, reject: upstream400(strict[0]) };
    return { warn };
  }

  // -------------------------------------------------------------- tokens, prompt cache, cost
  account(body, model, endpoint, message, mode) {
    const prompt =
      body.messages.reduce((n, m) => n + msgTok(m), 3) + tok(body.tools ? JSON.stringify(body.tools) : "");
    const reasoning = tok(message.reasoning),
      completion =
        tok(textOf(message)) + tok(message.tool_calls ? JSON.stringify(message.tool_calls) : "") + reasoning;
    const store =
      this.cache.get(`${model.id}|${endpoint.tag}`) ??
      this.cache.set(`${model.id}|${endpoint.tag}`, new Set()).get(`${model.id}|${endpoint.tag}`);
    const marks = body.messages.map(
      (m) => Boolean(m.cache_control) || (Array.isArray(m.content) && m.content.some((p) => p.cache_control)),
    );
    const upTo =
      model.cache === "none"
        ? -1
        : model.cache === "implicit" || body.cache_control
          ? body.messages.length - 1
          : marks.lastIndexOf(true);
    let h = sha(JSON.stringify(body.tools ?? [])),
      run = tok(body.tools ? JSON.stringify(body.tools) : ""),
      cached = 0,
      cachedAt = -1,
      write = 0;
    const seen = [];
    body.messages.forEach((m, i) => {
      const bare = JSON.stringify({ ...m, content: textOf(m), cache_control: undefined });
      h = sha(h + bare);
      run += msgTok(m);
      if (i <= upTo && run >= model.cache_min) {
        if (store.has(h)) {
          cached = run;
          cachedAt = i;
        }
        seen.push([h, run, i]);
      }
    });
    for (const [k, n, i] of seen) {
      store.add(k);
      if (i > cachedAt && model.cache === "explicit") write = n - cached;
    }
    const pr = { ...model.pricing, ...endpoint.pricing },
      n = (x) => Number(x ?? 0);
    const inCost =
        (prompt - cached - write) * n(pr.prompt) +
        cached * n(pr.input_cache_read ?? pr.prompt) +
        write * n(pr.input_cache_write ?? pr.prompt),
      outCost = completion * n(pr.completion);
    const cost = +(inCost + outCost + n(pr.request)).toFixed(10);
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      cost,
      is_byok: false,
      prompt_tokens_details: {
        cached_tokens: cached,
        cache_write_tokens: write,
        audio_tokens: 0,
        video_tokens: 0,
      },
      cost_details: {
        upstream_inference_cost: cost,
        upstream_inference_prompt_cost: +inCost.toFixed(10),
        upstream_inference_completions_cost: +outCost.toFixed(10),
      },
      completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: 0, audio_tokens: 0 },
    };
    if (mode === "byok") Object.assign(usage, { cost: 0, is_byok: true });
    if (mode === "no_details") {
      delete usage.prompt_tokens_details;
      delete usage.completion_tokens_details;
      delete usage.cost_details;
      delete usage.is_byok;
    }
    if (mode === "no_cost") {
      usage.cost = null;
      delete usage.cost_details;
    }
    if (mode === "zero")
      Object.assign(usage, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 });
    return { usage, charged: mode === "byok" ? 0 : cost, prompt, completion };
  }

  // -------------------------------------------------------------- turn a rule's "do" into a message
  compose(what, ctx) {
    let step;
    if (what.judge)
      step = {
        say: this.judge(what.judge, ctx.body),
        quirk: what.judge.format === "empty" ? "reasoning_ate_budget" : undefined,
      };
    else if (what.agent) step = what.agent[Math.min(ctx.turn, what.agent.length) - 1];
    else step = what.calls ? what : [{ name: "bash", args: { command: "echo hi" } }]; // a bare quirk
    if (typeof step === "string") step = { say: step };
    if (Array.isArray(step)) step = { calls: step };
    const quirk = what.fault ?? step.quirk ?? what.quirk;
    const message = {
      role: "assistant",
      content: step.say ?? null,
      refusal: step.refusal ?? null,
      reasoning: step.reasoning ?? null,
    };
    if (step.calls?.length) {
      message.tool_calls = step.calls.map((c, i) => ({
        type: "function",
        index: i,
        id: `call_c${String(ctx.conv).padStart(6, "0")}_${ctx.turn}_${i}`,
        function: { name: c.name, arguments: c.args_raw ?? JSON.stringify(c.args ?? {}) },
      }));
    }
    if (step.reasoning) {
      message.reasoning_details = [
        {
          type: "reasoning.text",
          text: step.reasoning,
          signature: `sig_${sha(step.reasoning).slice(0, 12)}`,
          format: "anthropic-claude-v1",
          index: 0,
        },
        {
          type: "reasoning.encrypted",
          data: Buffer.from(`blob-${ctx.conv}-${ctx.turn}`).toString("base64"),
          id: `rs_${ctx.turn}`,
          format: "google-gemini-v1",
          index: 1,
        },
      ];
    }
    const m = {
      message,
      finish: step.finish ?? (message.tool_calls ? "tool_calls" : "stop"),
      native: step.native,
    };
    const max = ctx.body.max_completion_tokens ?? ctx.body.max_tokens;
    if (max && !message.tool_calls && tok(message.content) > max) {
      message.content = message.content.slice(0, max * 4);
      m.finish = "length";
      m.native = "max_tokens";
    }
    if (quirk) {
      if (!QUIRKS[quirk]) throw new Error(`unknown quirk or fault: ${quirk}`);
      QUIRKS[quirk](m);
    }
    for (const c of message.tool_calls ?? [])
      if (c.id) this.emitted.set(c.id, { reasoning_details: message.reasoning_details });
    return m;
  }
  judge(j, body) {
    const q = textOf(body.messages.findLast((m) => m.role === "user"));
    const v = asList(j.no_if).some((p) => hit(q, p))
      ? "NO"
      : asList(j.yes_if).some((p) => hit(q, p))
        ? "YES"
        : (j.default ?? "NO");
    const rf = body.response_format,
      schema = rf?.json_schema?.schema;
    const fill = (s) => {
      if (s.enum) return s.enum.find((e) => String(e).toUpperCase() === v) ?? s.enum[0];
      if (s.type === "boolean") return v === "YES";
      if (s.type === "number" || s.type === "integer") return Number(v === "YES");
      if (s.type === "object")
        return Object.fromEntries(Object.entries(s.properties ?? {}).map(([k, x]) => [k, fill(x)]));
      return s.type === "array" ? [] : `rule says ${v}`;
    };
    const json = JSON.stringify(schema ? fill(schema) : { answer: v });
    const shapes = {
      plain: rf?.type?.startsWith("json") ? json : v,
      lower: `${v.toLowerCase()}.`,
      json,
      fenced: "```json\n" + json + "\n```",
      ignore_schema: v,
      empty: "",
      verbose: `Let me check each condition in turn.\nThe artifact was read.\n\nAnswer: ${v}`,
      hedge: "It depends on how the condition is read.",
    };
    return shapes[j.format ?? "plain"];
  }

  // -------------------------------------------------------------- POST chat/completions
  async chat(req, res, body, entry) {
    const known = this.find(body.model?.replace(/:(nitro|floor|exacto)$/, ""));
    const model = known ?? (this.scenario.allow_unknown_models ? { ...DEFAULT_MODEL, id: body.model } : null);
    if (!model) return this.reply(res, entry, FAULTS.invalid_model({ model: body.model }));
    if (model.embedding)
      return this.reply(
        res,
        entry,
        err(400, `${body.model} is not a chat model`, undefined, {
          error: avail("wrong_endpoint", { model: body.model }),
        }),
      );
    const call = (entry.call = this.calls[model.id] = (this.calls[model.id] ?? 0) + 1);
    const { warn, reject } = this.inspect(body, model);
    entry.warnings = warn;
    if (reject) return this.reply(res, entry, reject);
    const turn = (entry.turn = body.messages.filter((m) => m.role === "assistant").length + 1);
    const convo = this.conversation(body, req.headers),
      conv = (entry.conversation = convo.id);
    const fail = (spec) => {
      convo.failed = true;
      return this.reply(res, entry, spec);
    };

    const st = (this.byModel[model.id] ??= { calls: 0, in_flight: 0, max_in_flight: 0, ok: 0, errors: 0 });
    const held =
      Number(model.pricing.completion) *
      (body.max_tokens ?? body.max_completion_tokens ?? model.max_completion_tokens);
    if (this.overLimit(model, st)) {
      st.errors++;
      return fail(
        FAULTS.rate_limit_retry_after({ retry_after: Math.ceil((model.limit.window_ms ?? 1000) / 1000) }),
      );
    }
    st.calls++;
    st.in_flight++;
    st.max_in_flight = Math.max(st.max_in_flight, st.in_flight);
    this.held += held;
    try {
      const broke = this.overBudget(held);
      if (broke) return await fail(broke);
      const routed = this.route(model, body, call);
      if (routed.error) return await fail(routed.error);
      const rule = this.pick({ body, headers: req.headers, conv, turn, call, model }),
        what = rule.do;
      const endpoint = what.provider ? { ...routed.endpoint, provider: what.provider } : routed.endpoint;
      const genId = `gen-${Math.floor(Date.now() / 1000)}-${sha(`${this.seq++}`).slice(0, 20)}`;
      Object.assign(entry, {
        rule: rule.name,
        fault: what.fault ?? what.quirk,
        provider: endpoint.provider,
        endpoint: endpoint.tag,
        quantization: endpoint.quantization,
        generation: genId,
      });
      if (what.delay_ms) await sleep(what.delay_ms);
      const served = permaslug(model); // never equal to the id asked for
      const envelope = {
        id: genId,
        object: "chat.completion",
        created: Math.floor(Date.now() / 1000),
        model: served,
        provider: endpoint.provider,
        system_fingerprint: null,
      };
      if (what.fault && FAULTS[what.fault]) {
        const spec = FAULTS[what.fault]({
          ...what,
          model: body.model,
          genId,
          envelope,
          zeroUsage: { prompt_tokens: 12, completion_tokens: 0, total_tokens: 12, cost: 0 },
        });
        return await fail({
          ...spec,
          json: spec.json && merge(spec.json, what.merge),
          headers: { ...spec.headers, ...what.headers },
        });
      }

      const m = this.compose(what, { body, turn, conv }),
        a = this.account(body, model, endpoint, m.message, what.usage);
      const wanted = a.prompt + (body.max_tokens ?? body.max_completion_tokens ?? 0);
      const squeeze =
        body.transforms?.includes("middle-out") ||
        body.plugins?.some((p) => p.id === "context-compression" && p.enabled !== false);
      const window = endpoint.context_length ?? model.context_length;
      if (wanted > window && !squeeze) {
        return await fail(tooLong(window, a.prompt, wanted - a.prompt, endpoint.provider));
      }
      if (squeeze && a.prompt > window)
        entry.warnings.push("context was compressed: the model saw a shortened prompt");
      this.spent += a.charged;
      st.ok++;
      Object.assign(entry, {
        usage: what.usage === "none" ? undefined : a.usage,
        cost: a.charged,
        finish: m.finish,
      });
      this.remember(genId, envelope, endpoint, m, a, body);
      const json = merge(
        {
          ...envelope,
          choices: [choice(m.message, m.finish, m.native, m.extra)],
          ...(what.usage !== "none" && { usage: a.usage }),
          ...this.routerMetadata(req, body, model, endpoint),
        },
        what.merge,
      );
      if (body.stream) return await this.stream(res, entry, json, m, what);
      return await this.reply(res, entry, {
        status: 200,
        json,
        padding: what.padding ?? this.scenario.padding,
        pad_interval_ms: what.pad_interval_ms,
        headers: { "X-Generation-Id": genId, ...what.headers },
      });
    } finally {
      st.in_flight--;
      this.held -= held;
      if (entry.status >= 400) st.errors++;
    }
  }
  overLimit({ id, limit }, st) {
    if (!limit) return false;
    const now = Date.now(),
      win = (this.windows[id] = (this.windows[id] ?? []).filter((t) => now - t < limit.window_ms));
    if ((limit.max && win.length >= limit.max) || (limit.concurrent && st.in_flight >= limit.concurrent))
      return true;
    win.push(now);
    return false;
  }
  overBudget(held) {
    const acc = this.scenario.account;
    if (acc.key_limit !== null && this.spent >= acc.key_limit) return FAULTS.key_limit();
    if (this.spent >= acc.total_credits) return FAULTS.no_credits();
    if (acc.in_flight_budget === null) return null;
    return held > acc.in_flight_budget
      ? FAULTS.weight_exceeds_budget()
      : this.held > acc.in_flight_budget
        ? FAULTS.in_flight_budget({ retry_after: 1 })
        : null;
  }
  routerMetadata(req, body, model, endpoint) {
    if (req.headers["x-openrouter-metadata"] !== "enabled") return {};
    const available = model.endpoints.map((e) => ({
      provider: e.provider,
      model: model.id,
      selected: e.tag === endpoint.tag,
    }));
    return {
      openrouter_metadata: {
        requested: body.model,
        strategy: "direct",
        region: "fra",
        attempt: 1,
        is_byok: false,
        summary: `available=${available.length}, selected=${endpoint.provider}`,
        endpoints: { total: available.length, available },
      },
    };
  }
  remember(id, envelope, endpoint, m, a, body) {
    const d = a.usage.prompt_tokens_details,
      c = a.usage.completion_tokens_details;
    this.generations.set(id, {
      at: Date.now(),
      data: {
        id,
        model: envelope.model,
        provider_name: endpoint.provider,
        total_cost: a.charged,
        usage: a.charged,
        upstream_inference_cost: null,
        is_byok: a.usage.is_byok ?? false,
        native_tokens_prompt: a.prompt,
        native_tokens_completion: a.completion,
        native_tokens_cached: d?.cached_tokens ?? 0,
        native_tokens_reasoning: c?.reasoning_tokens ?? 0,
        finish_reason: m.finish,
        native_finish_reason: m.native ?? m.finish,
        streamed: Boolean(body.stream),
        cancelled: false,
        created_at: new Date().toISOString(),
        generation_time: 12,
        latency: 15,
      },
    });
  }

  async stream(res, entry, json, m, what) {
    const base = {
      id: json.id,
      object: "chat.completion.chunk",
      created: json.created,
      model: json.model,
      provider: json.provider,
    };
    const put = (o) => res.write(`data: ${JSON.stringify({ ...base, ...o })}\n\n`);
    const delta = (d, finish = null, native = finish) => ({
      choices: [
        { index: 0, delta: { role: "assistant", ...d }, finish_reason: finish, native_finish_reason: native },
      ],
    });
    entry.status = 200;
    res.writeHead(200, { "Content-Type": "text/event-stream", "X-Generation-Id": json.id });
    for (let i = 0; i < (what.sse_comments ?? 2); i++) {
      res.write(": OPENROUTER PROCESSING\n\n");
      if (what.pad_interval_ms) await sleep(what.pad_interval_ms);
    }
    const msg = json.choices[0].message,
      text = textOf(msg),
      half = Math.ceil(text.length / 2);
    for (const d of msg.reasoning_details ?? [])
      put(delta({ content: "", reasoning: d.text ?? null, reasoning_details: [d] }));
    if (text) put(delta({ content: text.slice(0, half) }));
    if (["error", "idle", "reset", "cut"].includes(m.stream)) {
      if (!text) put(delta({ content: "partial " }));
      if (m.stream === "reset") {
        await sleep(20);
        return res.destroy();
      }
      if (m.stream === "cut") return res.end();
      const message =
        m.stream === "idle" ? "Upstream idle timeout exceeded" : "Provider disconnected unexpectedly";
      put({
        error: { code: 502, message, metadata: { error_type: "provider_unavailable" } },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      });
      return res.end();
    }
    if (text.length > half) put(delta({ content: text.slice(half) }));
    (msg.tool_calls ?? []).forEach((c, i) => {
      const index = m.stream === "index0" ? 0 : i,
        args =
          typeof c.function.arguments === "string"
            ? c.function.arguments
            : JSON.stringify(c.function.arguments ?? "");
      put(
        delta({
          content: null,
          tool_calls: [
            { index, id: c.id, type: "function", function: { name: c.function.name, arguments: "" } },
          ],
        }),
      );
      for (let k = 0; k < args.length; k += 12)
        put(
          delta({ content: null, tool_calls: [{ index, function: { arguments: args.slice(k, k + 12) } }] }),
        );
    });
    put(delta({ content: "" }, m.finish, m.native ?? m.finish));
    if (json.usage) put({ ...delta({ content: "" }, m.finish, m.native ?? m.finish), usage: json.usage }); // as recorded live: choices repeated, not empty
    if (m.stream !== "no_done") res.write("data: [DONE]\n\n");
    res.end();
  }

  // -------------------------------------------------------------- POST embeddings: signed hashed bag of words, unit length
  embed(text, dims) {
    const v = new Float64Array(dims);
    for (const w of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      if (w.length < 3) continue;
      const h = parseInt(sha(w).slice(0, 8), 16);
      v[h % dims] += (h & 0x40000000 ? 1 : -1) * Math.min(1, w.length / 6);
    }
    const norm = Math.hypot(...v) || 1;
    return Array.from(v, (x) => x / norm);
  }
  async embeddings(req, res, body, entry) {
    const model = this.scenario.models[body.model],
      send = (spec) => this.reply(res, entry, spec);
    const call = (entry.call = this.calls[body.model] = (this.calls[body.model] ?? 0) + 1);
    if (!model?.embedding)
      return send(err(404, `Model ${body.model} does not exist or is not available for embeddings`));
    const input = asList(body.input),
      opt = { dims: 256, max_batch: 2048, ...model.embedding };
    const asMessages = { ...body, messages: input.map((content) => ({ role: "user", content })) };
    const { name, do: what } = this.pick({
      body: asMessages,
      headers: req.headers,
      conv: 0,
      turn: 1,
      call,
      model,
    });
    Object.assign(entry, { rule: name, fault: what.fault, provider: model.endpoints[0].provider });
    if (what.delay_ms) await sleep(what.delay_ms);
    if (what.fault) {
      const spec = FAULTS[what.fault]({
        ...what,
        model: body.model,
        envelope: { object: "list", model: body.model },
        genId: "gen-embd",
      });
      return send({ ...spec, headers: { ...spec.headers, ...what.headers } });
    }
    const broke = this.overBudget(0),
      over = input.findIndex((s) => tok(s) > model.context_length);
    if (broke) return send(broke);
    if (!input.length || input.some((s) => typeof s !== "string" || s === ""))
      return send(err(400, "Invalid input: each item must be a non-empty string"));
    if (input.length > opt.max_batch)
      return send(
        upstream400(`batch size is invalid, it should not be larger than ${opt.max_batch}.: input.contents`),
      );
    if (over >= 0)
      return send(
        upstream400(
          `This model's maximum context length is ${model.context_length} tokens, input ${over} has ${tok(input[over])}.`,
        ),
      );
    const dims = body.dimensions ?? opt.dims,
      b64 = body.encoding_format === "base64" && !opt.ignore_encoding_format;
    let data = input.map((s, index) => {
      const v = this.embed(s, dims);
      return {
        object: "embedding",
        index,
        embedding: b64 ? Buffer.from(new Float32Array(v).buffer).toString("base64") : v,
      };
    });
    if (opt.shuffle) data = data.reverse();
    if (opt.drop_last) data = data.slice(0, -1);
    const n = input.reduce((t, s) => t + tok(s), 0),
      cost = +(n * Number(model.pricing.prompt)).toFixed(10);
    this.spent += cost;
    entry.cost = cost;
    return send({
      status: 200,
      json: {
        object: "list",
        data,
        model: body.model,
        id: `gen-embd-${this.seq++}`,
        provider: model.endpoints[0].provider,
        usage: { prompt_tokens: n, total_tokens: n, cost },
      },
    });
  }

  // -------------------------------------------------------------- GETs
  find(id) {
    const { models } = this.scenario;
    return models[id] ?? Object.values(models).find((m) => permaslug(m) === id);
  }
  modelCard(m) {
    return {
      id: m.id,
      canonical_slug: permaslug(m),
      name: m.name,
      created: 1769472000,
      description: "fake",
      context_length: m.context_length,
      architecture: {
        modality: m.embedding ? "text->embeddings" : "text->text",
        input_modalities: ["text"],
        output_modalities: [m.embedding ? "embeddings" : "text"],
        tokenizer: "Other",
        instruct_type: null,
      },
      pricing: m.pricing,
      top_provider: {
        context_length: m.context_length,
        max_completion_tokens: m.max_completion_tokens,
        is_moderated: false,
      },
      per_request_limits: null,
      supported_parameters: m.embedding ? [] : m.supported_parameters,
      default_parameters: null,
      expiration_date: m.expiration_date ?? null,
    };
  }
  endpointCard(m, e) {
    return {
      name: `${e.provider} | ${m.id}`,
      provider_name: e.provider,
      tag: e.tag,
      quantization: e.quantization ?? null,
      context_length: e.context_length ?? m.context_length,
      max_completion_tokens: e.max_completion_tokens ?? m.max_completion_tokens,
      max_prompt_tokens: null,
      pricing: { ...m.pricing, ...e.pricing },
      supported_parameters: e.supported_parameters ?? m.supported_parameters,
      supports_implicit_caching: m.cache === "implicit",
      status: e.down ? -2 : 0,
      uptime_last_30m: e.uptime ?? (e.down ? 12 : 99.9),
    };
  }
  get(path, q) {
    const all = Object.values(this.scenario.models),
      acc = this.scenario.account,
      ok = (data) => ({ status: 200, json: { data } });
    if (path === "models") {
      const out = q.get("output_modalities") ?? "text",
        need = q.get("supported_parameters")?.split(",") ?? [];
      return ok(
        all
          .filter((m) => out === "all" || (out === "embeddings") === Boolean(m.embedding))
          .filter((m) => need.every((s) => m.supported_parameters.includes(s)))
          .map(this.modelCard),
      );
    }
    if (path === "embeddings/models") return ok(all.filter((m) => m.embedding).map(this.modelCard));
    const m = this.find(/^models\/(.+)\/endpoints$/.exec(path)?.[1]);
    if (m) return ok({ ...this.modelCard(m), endpoints: m.endpoints.map((e) => this.endpointCard(m, e)) });
    if (path === "credits") {
      if (acc.management_key === false) return err(403, "Only management keys can perform this operation");
      return ok({ total_credits: acc.total_credits, total_usage: +this.spent.toFixed(10) });
    }
    if (path === "key") {
      const left = acc.key_limit === null ? null : acc.key_limit - this.spent;
      return ok({
        label: "sk-or-v1-fak...e00",
        limit: acc.key_limit,
        limit_reset: null,
        limit_remaining: left,
        usage: this.spent,
        usage_daily: this.spent,
        is_free_tier: acc.is_free_tier,
        include_byok_in_limit: false,
        ...(acc.free_requests_left !== null && {
          free_model_daily_requests: {
            limit: acc.is_free_tier ? 50 : 1000,
            remaining: acc.free_requests_left,
            used: (acc.is_free_tier ? 50 : 1000) - acc.free_requests_left,
          },
        }),
      });
    }
    if (path === "generation") {
      const g = this.generations.get(q.get("id"));
      return g && Date.now() - g.at >= this.scenario.generation_lag_ms
        ? ok(g.data)
        : err(404, `Generation ${q.get("id")} not found`);
    }
    return err(404, "Resource not found");
  }

  // -------------------------------------------------------------- putting bytes on the wire
  async reply(res, entry, spec) {
    entry.status = spec.status ?? spec.transport;
    if (spec.transport) {
      if (spec.transport === "reset") return res.destroy();
      if (spec.transport === "stall") return; // never answers; the client must give up
      res.writeHead(200, { "Content-Type": "application/json", ...spec.headers });
      res.write("\n         \n");
      if (spec.transport === "reset_mid") {
        res.write('{"id":"gen-1","object":"chat.completion","choices":[{"index":0,"mess');
        await sleep(30);
        return res.destroy();
      }
      if (spec.transport === "endless_padding")
        while (!res.destroyed && !res.writableEnded) {
          await sleep(50);
          res.write("\n         \n");
        }
      return; // stall_body: headers, one pad, then silence
    }
    const raw = spec.raw ?? JSON.stringify(spec.json),
      pads = spec.padding ?? 0;
    res.writeHead(spec.status, { "Content-Type": spec.type ?? "application/json", ...spec.headers });
    for (let i = 0; i < pads; i++) {
      res.write("\n         \n");
      if (spec.pad_interval_ms) await sleep(spec.pad_interval_ms);
    }
    res.end(raw);
  }

  control(req, url, parsed) {
    const q = url.searchParams,
      [, what] = /^\/__(\w+)$/.exec(url.pathname) ?? [];
    if (what === "scenario" && req.method === "GET") return this.given;
    if (what === "scenario") {
      if (!parsed.ok) return { error: "the scenario is not JSON" };
      this.load(parsed.value);
      return { ok: true };
    }
    if (what === "reset") {
      this.load(this.given);
      return { ok: true };
    }
    if (what === "log" && req.method === "DELETE") {
      this.log = [];
      return { ok: true };
    }
    if (what === "log")
      return this.log.filter(
        (e) =>
          (!q.get("model") || e.model === q.get("model")) &&
          (!q.get("path") || e.path.endsWith(q.get("path"))),
      );
    if (what === "stats")
      return {
        requests: this.log.length,
        in_flight: this.inFlight,
        max_in_flight: this.maxInFlight,
        spent: +this.spent.toFixed(10),
        by_model: this.byModel,
      };
    if (what === "faults") return { faults: Object.keys(FAULTS), quirks: Object.keys(QUIRKS) };
    return { error: "unknown control path" };
  }
  async handle(req, res) {
    const url = new URL(req.url, "http://x"),
      text = await readBody(req),
      parsed = text ? safeJSON(text) : { ok: true, value: {} };
    if (url.pathname.startsWith("/__")) {
      const answer = this.control(req, url, parsed);
      res.writeHead(answer.error ? 400 : 200, { "Content-Type": "application/json" });
      return res.end(JSON.stringify(answer));
    }
    const path = url.pathname.replace(/^\/api(?=\/)/, "").replace(/^\/v1\//, ""),
      body = parsed.value ?? {};
    const entry = {
      n: this.log.length + 1,
      ms: Date.now() - this.t0,
      method: req.method,
      path: url.pathname,
      headers: redact(req.headers),
      body,
      model: body.model,
      warnings: [],
    };
    this.log.push(entry);
    this.inFlight++;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    res.on("close", () => {
      this.inFlight--;
      entry.took_ms = Date.now() - this.t0 - entry.ms;
      if (!res.writableFinished) entry.aborted = true;
    });
    const key = (req.headers.authorization ?? "").replace(/^Bearer\s*/i, "") || req.headers["api-key"];
    if (!key && path !== "models") return this.reply(res, entry, err(401, "Missing Authentication header"));
    if (this.scenario.account.reject_keys.includes(key)) return this.reply(res, entry, FAULTS.unauthorized());
    if (!parsed.ok) return this.reply(res, entry, err(400, "Invalid JSON in request body"));
    if (req.method === "POST" && path === "chat/completions") return this.chat(req, res, body, entry);
    if (req.method === "POST" && path === "embeddings") return this.embeddings(req, res, body, entry);
    return this.reply(
      res,
      entry,
      req.method === "GET"
        ? this.get(decodeURIComponent(path), url.searchParams)
        : err(405, "Method not allowed"),
    );
  }
}

export async function startFake({ port = 0, scenario } = {}) {
  const fake = new Fake(scenario);
  const server = http.createServer((req, res) =>
    fake.handle(req, res).catch((e) => {
      if (!res.headersSent) res.writeHead(500, { "Content-Type": "application/json" });
      res.end(
        JSON.stringify({ error: { message: `fake-openrouter bug or bad scenario: ${e.stack}`, code: 500 } }),
      );
    }),
  );
  server.requestTimeout = 0;
  server.keepAliveTimeout = 5000;
  await new Promise((ok, no) => server.once("error", no).listen(port, "127.0.0.1", ok));
  const p = server.address().port;
  return {
    port: p,
    url: `http://127.0.0.1:${p}`,
    baseURL: `http://127.0.0.1:${p}/api/v1`,
    fake,
    close: () =>
      new Promise((ok) => {
        server.close(ok);
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const arg = (name, dflt) => {
    const i = process.argv.indexOf(`--${name}`);
    return i > 0 ? process.argv[i + 1] : dflt;
  };
  const file = arg("scenario");
  const f = await startFake({
    port: Number(arg("port", 0)),
    scenario: file ? JSON.parse(readFileSync(file, "utf8")) : undefined,
  });
  console.log(JSON.stringify({ port: f.port, baseURL: f.baseURL }));
  for (const s of ["SIGINT", "SIGTERM"]) process.on(s, () => f.close().then(() => process.exit(0)));
}
