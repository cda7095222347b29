import type {
  ChatFailure,
  ChatModel,
  ChatRequest,
  ChatTurn,
  RequestRecord,
  ToolCall,
  Usage,
} from "../models/port.ts";

/** A step: words, calls, or both, with what a test wants to be special; or a failure. */
export type ScriptedStep =
  | {
      readonly say?: string | null;
      readonly calls?: readonly (Omit<ToolCall, "id" | "arguments"> & { readonly arguments: unknown })[];
      readonly finish?: ChatTurn["finish"];
      readonly usage?: Partial<Usage>;
      readonly modelSeconds?: number;
      readonly waitedSeconds?: number;
      readonly repairs?: number;
      readonly echo?: Readonly<Record<string, unknown>>;
      readonly servedModel?: string;
      readonly servedBy?: string;
      readonly sent?: RequestRecord;
    }
  | {
      readonly failure: ChatFailure["failure"];
      readonly costUnknown?: boolean;
      readonly waitedSeconds?: number;
    };

export type ScriptedModel = ChatModel & { readonly requests: readonly ChatRequest[] };

/** Answers step after step; the last one repeats. Arguments given as text are sent as they are. */
export function scriptedModel(steps: readonly [ScriptedStep, ...ScriptedStep[]]): ScriptedModel {
  const requests: ChatRequest[] = [];
  return {
    id: "scripted/model",
    standIn: true,
    requests,
    complete: (request, signal) =>
      new Promise((resolve) => {
        signal?.throwIfAborted();
        requests.push(request);
        resolve(answerOf(steps[Math.min(requests.length, steps.length) - 1] ?? steps[0], requests.length));
      }),
  };
}

function answerOf(step: ScriptedStep, turn: number): ChatTurn | ChatFailure {
  if ("failure" in step) {
    const { failure, costUnknown = false, waitedSeconds = 0 } = step;
    return { kind: "failure", failure, message: `scripted ${failure}`, costUnknown, waitedSeconds };
  }
  const { say = null, calls = [], echo } = step;
  const toolCalls = calls.map((call, index) => ({
    id: `s${turn}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
  const usage: Usage = {
    inputTokens: 15,
    uncachedInputTokens: 10,
    cachedInputTokens: 5,
    cacheWriteTokens: null,
    outputTokens: 2,
    reasoningTokens: 0,
    costUsd: 0.5,
  };
  return {
    kind: "turn",
    message: { role: "assistant", content: say, toolCalls, ...(echo === undefined ? {} : { echo }) },
    finish: step.finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
    usage: { ...usage, ...step.usage },
    servedModel: step.servedModel ?? null,
    servedBy: step.servedBy ?? null,
    generationId: null,
    sent: step.sent ?? { parameters: {}, withheld: [] },
    repairs: step.repairs ?? 0,
    modelSeconds: step.modelSeconds ?? 1,
    waitedSeconds: step.waitedSeconds ?? 0,
  };
}
