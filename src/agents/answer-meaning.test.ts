import { describe, expect, test } from "vitest";
import { classifyFault, type FailureKind, schedules } from "../models/classify-error.ts";
import { errorBodyOf, type Fault } from "../models/fault.ts";
import type { ChatFailure, ChatTurn } from "../models/port.ts";
import { type AnswerContext, meaningOf } from "./answer-meaning.ts";
import type { AgentEnd } from "./port.ts";

const context: AnswerContext = {
  model: "acme/coder",
  first: false,
  nudged: false,
  served: { models: ["m-1"], providers: ["Alpha"] },
  toolNames: ["bash", "read_file", "write_file"],
};

function turn(message: Partial<ChatTurn["message"]> = {}, finish: ChatTurn["finish"] = "stop"): ChatTurn {
  const unknown = null;
  return {
    kind: "turn",
    message: { role: "assistant", content: null, toolCalls: [], ...message },
    finish,
    usage: {
      inputTokens: unknown,
      uncachedInputTokens: unknown,
      cachedInputTokens: unknown,
      cacheWriteTokens: unknown,
      outputTokens: unknown,
      reasoningTokens: unknown,
      costUsd: unknown,
    },
    servedModel: null,
    servedBy: null,
    generationId: null,
    sent: { parameters: {}, withheld: [] },
    repairs: 0,
    modelSeconds: 0,
    waitedSeconds: 0,
  };
}

function response(status: number, error: unknown = {}, body: string | null = null): Fault {
  return { kind: "response", status, body, error: errorBodyOf(error), header: () => null };
}

/** What the client makes of a fault that stays: its class's end once the retries are used up. */
function failureFrom(fault: Fault): ChatFailure {
  const decision = classifyFault(fault, 0);
  const failure: FailureKind = decision.kind === "fail" ? decision.failure : schedules[decision.class].then;
  return { kind: "failure", failure, message: "lost", costUnknown: false, waitedSeconds: 0 };
}

const call = { id: "a", name: "bash", arguments: "{}" };
const overflow = response(400, { metadata: { error_type: "context_length_exceeded" } });

type Row = {
  readonly event: string;
  readonly answer: ChatTurn | ChatFailure;
  readonly over?: Partial<AnswerContext>;
  readonly expected: AgentEnd["kind"] | Extract<AgentEnd, { kind: "ended" }>["stop"] | "calls" | "nudge";
};

const faults: readonly Row[] = [
  ...[
    { kind: "connection", message: "reset" } as const,
    { kind: "deadline" } as const,
    { kind: "empty", message: "no choices" } as const,
    ...[408, 429, 500, 502, 503, 504, 520, 524, 529].map((status) => response(status)),
    response(502, { code: 502 }, "error-in-200"),
    response(599, {}, "empty"),
  ].map((fault): Row => ({
    event: `no completion: ${fault.kind === "response" ? fault.status : fault.kind}`,
    answer: failureFrom(fault),
    expected: "void",
  })),
  ...[400, 413, 422].map((status): Row => ({
    event: `our own request: ${status}`,
    answer: failureFrom(response(status)),
    expected: "stop_model",
  })),
  { event: "account: 401", answer: failureFrom(response(401)), expected: "stop_all" },
  { event: "account: 402", answer: failureFrom(response(402)), expected: "stop_all" },
  {
    event: "account: 403 with a spending cap",
    answer: failureFrom(response(403, { metadata: { limit_source: "key" } })),
    expected: "stop_all",
  },
  { event: "configuration: 404", answer: failureFrom(response(404)), expected: "stop_model" },
  {
    event: "configuration: the first request does not fit",
    answer: failureFrom(overflow),
    over: { first: true },
    expected: "stop_model",
  },
  { event: "context exhausted later", answer: failureFrom(overflow), expected: "context_exhausted" },
  {
    event: "an input filter",
    answer: failureFrom(response(403, { metadata: { reasons: ["violence"] } })),
    expected: "blocked",
  },
  {
    event: "our own budget",
    answer: { kind: "failure", failure: "budget", message: "", costUnknown: false, waitedSeconds: 0 },
    expected: "budget",
  },
];

const turns: readonly Row[] = [
  {
    event: "another endpoint in mid-trial",
    answer: turn({ content: "Done." }),
    over: { served: { models: ["m-1"], providers: ["Alpha", "Beta"] } },
    expected: "void",
  },
  {
    event: "another snapshot in mid-trial, calls or not",
    answer: turn({ toolCalls: [call] }, "tool_calls"),
    over: { served: { models: ["m-1", "m-2"], providers: ["Alpha"] } },
    expected: "void",
  },
  { event: "calls", answer: turn({ toolCalls: [call] }, "tool_calls"), expected: "calls" },
  { event: "calls that finish calls a stop", answer: turn({ toolCalls: [call] }), expected: "calls" },
  {
    event: "calls of a tool nobody has",
    answer: turn({ toolCalls: [{ ...call, name: "x" }] }),
    expected: "calls",
  },
  { event: "a final message", answer: turn({ content: "Done." }), expected: "finished" },
  { event: "a refusal", answer: turn({ content: "No." }, "content_filter"), expected: "refused" },
  { event: "an output filter", answer: turn({}, "content_filter"), expected: "refused" },
  ...[
    { event: "a blank turn", answer: turn({ content: " \n" }), stop: "blank_turns" as const },
    { event: "a turn cut off", answer: turn({ content: "I wi" }, "length"), stop: "blank_turns" as const },
    {
      event: "calls announced and none there",
      answer: turn({ content: "I look." }, "tool_calls"),
      stop: "blank_turns" as const,
    },
    {
      event: "a call written as text",
      answer: turn({ content: '<tool_call>{"name": "bash", "arguments": {}}</tool_call>' }),
      stop: "invalid_calls" as const,
    },
  ].flatMap(({ event, answer, stop }): Row[] => [
    { event, answer, expected: "nudge" },
    { event: `${event}, again`, answer, over: { nudged: true }, expected: stop },
  ]),
];

describe("what an answer means for a trial", () => {
  test.each([...faults, ...turns])("$event: $expected", ({ answer, over, expected }) => {
    const meaning = meaningOf(answer, { ...context, ...over });
    if (meaning.kind !== "end") {
      expect(meaning.kind).toBe(expected);
      return;
    }
    const { end } = meaning;
    expect(end.kind === "ended" ? end.stop : end.kind).toBe(expected);
  });
});
