import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canaryKey, fakedChat, type FakedChat, openingRequest, turnOf } from "../testing/faked-chat.ts";
import type { ChatFailure } from "./port.ts";

let chat: FakedChat;
beforeAll(async () => {
  chat = await fakedChat();
});
afterAll(() => chat.close());

describe("faults that another attempt cures", () => {
  test.each([
    "in_flight_budget",
    "rate_limit_upstream",
    "rate_limit_retry_after",
    "rate_limit_platform",
    "capacity_exhausted",
    "ok_error_429",
    "request_timeout",
    "server_error",
    "bad_gateway",
    "unavailable",
    "no_provider_503",
    "gateway_timeout",
    "edge_timeout",
    "overloaded",
    "html_502",
    "html_524",
    "html_403",
    "html_200",
    "empty_520",
    "llamacpp_loading",
    "ok_error",
    "ok_error_404",
    "ok_error_padded",
    "empty_choices",
    "no_choices",
    "whitespace_only",
    "empty_body",
    "truncated_json",
    "reset_before_headers",
    "reset_mid_body",
  ])("%s once: the second request succeeds", async (fault) => {
    chat.load({ rules: [{ times: 1, do: { fault } }, { do: { agent: ["Done."] } }] });
    const { model, clock } = chat.open();
    const turn = turnOf(await model.complete(openingRequest));
    expect(turn.message.content).toBe("Done.");
    expect(chat.requests()).toBe(2);
    expect(clock.waits).toHaveLength(1);
    expect(turn.waitedSeconds).toBeCloseTo((clock.waits[0] ?? 0) / 1000, 3);
  });

  test.each(["choice_error", "finish_error", "null_content"])(
    "quirk %s once: the turn is asked for again",
    async (quirk) => {
      chat.load({
        rules: [{ times: 1, do: { agent: [{ say: "x", quirk }] } }, { do: { agent: ["Done."] } }],
      });
      expect(turnOf(await chat.open().model.complete(openingRequest)).message.content).toBe("Done.");
      expect(chat.requests()).toBe(2);
    },
  );

  test.each(["stall_headers", "stall_body", "endless_padding"])(
    "%s: the deadline covers the body",
    async (fault) => {
      chat.load({ rules: [{ times: 1, do: { fault } }, { do: { agent: ["Done."] } }] });
      const turn = turnOf(await chat.open({ deadlineMs: 300 }).model.complete(openingRequest));
      expect(turn.message.content).toBe("Done.");
      // The attempt we gave up on may have been billed.
      expect(turn.usage.costUsd).toBeNull();
      expect(chat.requests()).toBe(2);
    },
  );
});

describe("faults that stay", () => {
  const rows: readonly (readonly [fault: string, failure: ChatFailure["failure"], requests: number])[] = [
    ["bad_request", "stop_model", 1],
    ["invalid_model", "stop_model", 1],
    ["detail_error", "stop_model", 1],
    ["too_large", "stop_model", 1],
    ["unprocessable", "stop_model", 1],
    ["provider_400", "stop_model", 1],
    ["missing_reasoning", "stop_model", 1],
    ["vllm_no_tool_parser", "stop_model", 1],
    ["string_error", "stop_model", 1],
    ["context_length", "context_exhausted", 1],
    ["llamacpp_context", "context_exhausted", 1],
    ["moderation", "blocked", 1],
    ["azure_content_filter", "blocked", 1],
    ["guardrail", "stop_model", 1],
    ["html_403", "stop_all", 3],
    ["data_policy", "stop_model", 1],
    ["no_tool_endpoints", "stop_model", 1],
    ["model_deprecated", "stop_model", 1],
    ["unauthorized", "stop_all", 1],
    ["no_credits", "stop_all", 1],
    ["fewer_max_tokens", "stop_all", 1],
    ["weight_exceeds_budget", "stop_all", 1],
    ["ok_error_402", "stop_all", 1],
    ["key_limit", "stop_all", 1],
    ["in_flight_budget", "stop_all", 6],
    ["rate_limit_upstream", "infrastructure", 6],
    ["rate_limit_platform", "infrastructure", 6],
    ["rate_limit_daily", "stop_model", 1],
    ["rate_limit_long", "stop_model", 1],
    ["capacity_exhausted", "infrastructure", 6],
    ["ok_error_429", "infrastructure", 6],
    ["request_timeout", "infrastructure", 6],
    ["server_error", "infrastructure", 6],
    ["bad_gateway", "infrastructure", 6],
    ["unavailable", "infrastructure", 6],
    ["gateway_timeout", "infrastructure", 3],
    ["edge_timeout", "infrastructure", 3],
    ["overloaded", "infrastructure", 6],
    ["html_502", "infrastructure", 6],
    ["html_524", "infrastructure", 3],
    ["empty_520", "infrastructure", 6],
    ["llamacpp_loading", "stop_model", 21],
    ["ok_error", "infrastructure", 6],
    ["ok_error_404", "stop_model", 4],
    ["ok_error_padded", "infrastructure", 6],
    ["ok_error_string", "stop_model", 1],
    ["empty_choices", "infrastructure", 4],
    ["no_choices", "infrastructure", 4],
    ["html_200", "stop_all", 3],
    ["whitespace_only", "infrastructure", 4],
    ["empty_body", "infrastructure", 4],
    ["truncated_json", "infrastructure", 4],
    ["reset_before_headers", "infrastructure", 6],
    ["reset_mid_body", "infrastructure", 6],
  ];
  test.each(rows)("%s: %s after %i requests", async (fault, failure, count) => {
    // The daily limit ends at midnight in UTC: given here, so that the hour of the test does not matter.
    const reset = { "X-RateLimit-Reset": String(Date.now() + 3_600_000) };
    const headers = fault === "rate_limit_daily" ? reset : {};
    chat.load({ rules: [{ do: { fault, headers } }] });
    const answer = await chat.open().model.complete(openingRequest);
    expect(answer).toMatchObject({ kind: "failure", failure });
    expect(chat.requests()).toBe(count);
    if (answer.kind === "failure") expect(answer.message).not.toMatch(/<html|<!doctype|sk-canary/i);
  });

  test("the message names the model, what the provider said and what to do", async () => {
    chat.load({ rules: [{ do: { fault: "provider_400" } }] });
    const answer = await chat.open().model.complete(openingRequest);
    expect(answer).toMatchObject({
      message: expect.stringContaining("text content blocks must be non-empty") as string,
    });
    expect(answer).toMatchObject({
      message: expect.stringMatching(/^acme\/coder: HTTP 400: Provider returned error/) as string,
    });
  });

  test("a server that repeats the key in its error does not get it into the message", async () => {
    const merge = { error: { message: `Incorrect API key provided: ${canaryKey}` } };
    chat.load({ rules: [{ do: { fault: "unauthorized", merge } }] });
    const answer = await chat.open().model.complete(openingRequest);
    expect(answer).toMatchObject({
      message: expect.stringContaining("Incorrect API key provided: ***") as string,
    });
  });

  test("given up by deadline: infrastructure, and the cost is not known", async () => {
    chat.load({ rules: [{ do: { fault: "stall_body" } }] });
    const answer = await chat.open({ deadlineMs: 100 }).model.complete(openingRequest);
    expect(answer).toMatchObject({ failure: "infrastructure", costUnknown: true });
    expect(chat.requests()).toBe(3);
  });

  test("a malformed turn that stays is the model's blank turn, not infrastructure", async () => {
    chat.load({ rules: [{ do: { agent: [{ say: "x", quirk: "finish_error" }] } }] });
    const turn = turnOf(await chat.open().model.complete(openingRequest));
    expect(turn.message).toEqual({ role: "assistant", content: null, toolCalls: [] });
    expect(chat.requests()).toBe(3);
  });
});
