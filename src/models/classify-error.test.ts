import { expect, test } from "vitest";
import { classifyFault, type Decision } from "./classify-error.ts";
import { errorBodyOf, type Fault, faultInChoice } from "./fault.ts";

const now = 1_700_000_000_000;

function response(
  status: number,
  error: unknown = {},
  more: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Fault {
  const { body = null, headers = {} } = more;
  return {
    kind: "response",
    status,
    body,
    error: errorBodyOf(error),
    header: (name) => headers[name] ?? null,
  };
}

/** `class`, or `fail:<kind>`; `+` when the cost is unknown, `slow` when it starts at two steps. */
function inShort(decision: Decision): string {
  if (decision.kind === "fail") return `fail:${decision.failure}`;
  return `${decision.class}${decision.slow ? " slow" : ""}${decision.costUnknown ? " +" : ""}`;
}

// Rows beside those the fake plays (openai-chat.test.ts): shapes of other servers and borders of the rules.
const rows: readonly (readonly [name: string, fault: Fault, expected: string])[] = [
  ["our own deadline", { kind: "deadline" }, "gateway +"],
  ["a reset connection", { kind: "connection", message: "reset" }, "transient"],
  ["nothing generated", { kind: "empty", message: "" }, "empty"],
  ["a call the provider could not read", { kind: "malformed", message: "" }, "malformed"],
  ["504 as status", response(504), "gateway +"],
  ["504 inside a 200 was never sent by an edge", response(504, {}, { body: "error-in-200" }), "transient"],
  ["524", response(524), "gateway +"],
  ["529 starts slow", response(529), "transient slow"],
  [
    "429 of a provider starts slow",
    response(429, { metadata: { provider_name: "Alpha" } }),
    "transient slow",
  ],
  ["429 of the platform", response(429, { metadata: { provider_name: null } }), "transient"],
  ["an unlisted 5xx", response(520), "transient"],
  ["an error in a choice", faultInChoice({ code: 502 }), "transient"],
  ["an error in a choice without a code", faultInChoice("gone"), "transient"],
  [
    "overflow said in a 500",
    response(500, { message: "Context size has been exceeded" }),
    "fail:context_exhausted",
  ],
  [
    "overflow said upstream",
    response(400, {
      message: "Provider returned error",
      metadata: { raw: "prompt is too long: 210000 tokens" },
    }),
    "fail:context_exhausted",
  ],
  [
    "a typed refusal of the input",
    response(400, { metadata: { error_type: "content_policy_violation" } }),
    "fail:blocked",
  ],
  ["too many tokens in a minute", response(429, { message: "Too many tokens, please wait" }), "transient"],
  ["Azure's filter", response(400, { code: "content_filter" }), "fail:blocked"],
  [
    "Azure's filter, said inside",
    response(400, { code: null, innererror: { code: "ResponsibleAIPolicyViolation" } }),
    "fail:blocked",
  ],
  [
    "Azure's filter behind a router",
    response(400, {
      message: "Provider returned error",
      metadata: { raw: { error: { code: "content_filter" } } },
    }),
    "fail:blocked",
  ],
  ["moderation without reasons", response(403, { metadata: { flagged_input: "kill" } }), "fail:blocked"],
  ["a guardrail's patterns", response(403, { metadata: { patterns: ["ignore"] } }), "fail:stop_model"],
  ["an unknown model, new style", response(400, { message: "x is not a valid model ID" }), "fail:stop_model"],
  ["an unknown model, Ollama", response(404, "model not found, try pulling it first"), "fail:stop_model"],
  [
    "no endpoint just now",
    response(404, { availability: { code: "no_endpoints", retryable: true } }),
    "transient",
  ],
  [
    "capacity that will not come back",
    response(429, { availability: { code: "capacity_exhausted", retryable: false } }),
    "fail:stop_model",
  ],
  [
    "capacity, said to be retryable",
    response(503, { availability: { code: "temporarily_unavailable", retryable: true } }),
    "transient",
  ],
  [
    "capacity, said not to be retryable",
    response(503, { availability: { code: "model_deprecated", retryable: false } }),
    "fail:stop_model",
  ],
  ["a local model being loaded", response(503, { message: "Loading model" }), "loading"],
  [
    "a local model being loaded, in other words",
    response(503, { message: "The model is loading." }),
    "loading",
  ],
  ["an answer of another endpoint", { kind: "drift", message: "served by Beta" }, "fail:infrastructure"],
  ["a request our budget has no room for", { kind: "no_room" }, "fail:budget"],
  [
    "402 for in-flight requests",
    response(402, { metadata: { reason: "in_flight_budget_exhausted" } }),
    "credit",
  ],
  [
    "402 for in-flight requests, for longer than ten minutes",
    response(402, { metadata: { reason: "in_flight_budget_exhausted", headers: { "Retry-After": 601 } } }),
    "fail:stop_all",
  ],
  ["402 otherwise", response(402, {}), "fail:stop_all"],
  ["403 as a spending cap", response(403, { metadata: { limit_source: "key" } }), "fail:stop_all"],
  ["403 as a spending cap, in words only", response(403, { message: "Key limit exceeded" }), "fail:stop_all"],
  ["403 otherwise", response(403, { message: "Forbidden" }), "fail:stop_model"],
  ["403 from the edge", response(403, {}, { body: "html" }), "foreign"],
  ["a login page", response(599, {}, { body: "html" }), "foreign"],
  ["cut JSON", response(599, {}, { body: "not-json" }), "empty"],
  ["429 for ten minutes", response(429, {}, { headers: { "retry-after": "600" } }), "transient"],
  ["429 for longer", response(429, {}, { headers: { "retry-after": "601" } }), "fail:stop_model"],
  [
    "LiteLLM's code as text",
    response(429, { code: "429", message: "No deployments available" }),
    "transient",
  ],
];

test.each(rows)("%s", (_name, fault, expected) => {
  expect(inShort(classifyFault(fault, now))).toBe(expected);
});

test("a long limit says when it ends", () => {
  const decision = classifyFault(response(429, {}, { headers: { "retry-after": "86400" } }), now);
  expect(decision).toMatchObject({ advice: expect.stringContaining("2023-11-15T22:13:20.000Z") as string });
});

test.each([
  [402, { message: "requires more credits, or fewer max_tokens" }, "lower maxTokensPerTurn"],
  [402, { metadata: { reason: "weight_exceeds_budget" } }, "lower maxTokensPerTurn"],
  [402, { message: "Insufficient credits" }, "Add credits"],
  [403, { metadata: { patterns: ["x"] } }, "guardrail"],
  [400, { message: "tool choice requires --enable-auto-tool-choice" }, "Start vLLM with"],
  [404, { message: 'model "x" not found, try pulling it first' }, "Pull the model"],
] as const)("%i %o: says what to do", (status, error, words) => {
  const decision = classifyFault(response(status, error), now);
  expect(decision).toMatchObject({ advice: expect.stringContaining(words) as string });
});
