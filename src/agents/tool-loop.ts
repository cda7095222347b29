import type { Served, StopReason, TrialUsage } from "../artefacts/trial.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import { unreachable } from "../errors.ts";
import type { ChatFailure, ChatMessage, ChatModel, ChatTurn, RequestRecord } from "../models/port.ts";
import { type Container, SandboxError } from "../sandbox/port.ts";
import { holdsCallAsText } from "./calls-as-text.ts";
import { addFailure, addToolCall, addTurn, noUsage } from "./loop-usage.ts";
import type { Agent, AgentEnd, AgentLimits, AgentRecord, AgentTask } from "./port.ts";
import { agentTools, type ToolSet } from "./tools.ts";

export type ToolLoop = {
  readonly model: ChatModel;
  readonly tools: ToolSet;
  readonly task: AgentTask;
  readonly container: Container;
  readonly limits: AgentLimits;
  readonly record: (line: TranscriptLine) => void;
  readonly signal?: AbortSignal | undefined;
  /** Monotonic milliseconds, for the time tools take. */
  readonly now?: () => number;
};

/** Turns in a row with a call that could not be carried out; the third ends the work as the model's failure. */
const mostInvalidTurns = 3;

/** An agent with bash, read_file and write_file over a model. */
export function toolLoopAgent(model: ChatModel): Agent {
  return {
    id: model.id,
    standIn: model.standIn,
    work: (task, container, options) =>
      runToolLoop({ model, tools: agentTools, task, container, ...options }),
  };
}

/**
 * Lets a model work with tools in a container until it stops by itself, meets a limit, or infrastructure fails
 * under it (openrouter.md §6–§8). The conversation only grows, and every request starts with the same bytes.
 * Rejects only with the reason of an aborted signal, or for a bug of ours.
 */
export async function runToolLoop(loop: ToolLoop): Promise<AgentRecord> {
  const work = openWork(loop);
  try {
    for (;;) {
      const stop = limitReached(work.used, work.outputTokens, loop.limits);
      const end = stop === undefined ? await takeTurn(work, loop) : ended(stop);
      if (end === undefined) continue;
      if (end.kind !== "ended" || end.stop !== "finished") loop.record({ kind: "note", text: endNote(end) });
      return recordOf(work, end, work.finalMessage);
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const end: AgentEnd = { kind: "void", reason: `container: ${error.message}` };
    loop.record({ kind: "note", text: endNote(end) });
    return recordOf(work, end, null);
  }
}

function recordOf(
  { used: usage, served, request }: Work,
  end: AgentEnd,
  finalMessage: string | null,
): AgentRecord {
  return { end, finalMessage, usage, served, request };
}

/** What changes while the loop goes on. */
type Work = {
  readonly messages: ChatMessage[];
  used: TrialUsage;
  /** Output tokens the provider told of: what the token limit goes by. */
  outputTokens: number;
  invalidTurns: number;
  nudged: boolean;
  finalMessage: string | null;
  served: Served;
  request: RequestRecord | null;
};

function openWork({ task, record }: ToolLoop): Work {
  record({ kind: "system", text: task.system });
  record({ kind: "user", text: task.task });
  const messages: ChatMessage[] = [
    { role: "system", content: task.system },
    { role: "user", content: task.task },
  ];
  return {
    messages,
    used: noUsage,
    outputTokens: 0,
    invalidTurns: 0,
    nudged: false,
    finalMessage: null,
    served: { models: [], providers: [] },
    request: null,
  };
}

function limitReached(used: TrialUsage, outputTokens: number, limits: AgentLimits): StopReason | undefined {
  if (used.modelCalls >= limits.turns) return "turn_limit";
  if (outputTokens >= limits.outputTokens) return "token_limit";
  return secondsLeft(used, limits) <= 0 ? "time_limit" : undefined;
}

function secondsLeft(used: TrialUsage, limits: AgentLimits): number {
  return limits.seconds - used.modelSeconds - used.toolSeconds;
}

/** One request and what follows from it; undefined when the work goes on. */
async function takeTurn(work: Work, loop: ToolLoop): Promise<AgentEnd | undefined> {
  const { model, tools, task, limits, record, signal } = loop;
  const request = {
    messages: [...work.messages],
    tools: tools.specs,
    maxTokens: limits.maxTokensPerTurn,
    seed: task.seed,
    subject: task.subject,
  };
  const answer = await model.complete(request, signal);
  if (answer.kind === "failure") {
    work.used = addFailure(work.used, answer);
    return endOfFailure(answer, work.used.modelCalls === 0);
  }
  const { content, toolCalls } = answer.message;
  const textCall = toolCalls.length === 0 && holdsCallAsText(content ?? "", namesOf(tools));
  work.used = addTurn(work.used, answer, textCall);
  work.outputTokens += answer.usage.outputTokens ?? 0;
  work.request ??= answer.sent;
  work.served = addServed(work.served, answer);
  record({ kind: "assistant", text: content, toolCalls: [...toolCalls], finish: answer.finish });
  const drift = driftIn(work.served);
  if (drift !== undefined) return { kind: "void", reason: `${model.id}: ${drift}` };
  if (toolCalls.length > 0) return carryOut(answer, work, loop);
  if (answer.finish === "content_filter") {
    work.finalMessage = content;
    return ended("refused");
  }
  const fault = faultOfWords(answer, textCall);
  if (fault !== undefined) return nudge(answer, fault, work, record);
  work.finalMessage = content;
  return ended("finished");
}

function namesOf(tools: ToolSet): string[] {
  return tools.specs.map(({ name }) => name);
}

function addServed({ models, providers }: Served, { servedModel, servedBy }: ChatTurn): Served {
  const add = (names: readonly string[], name: string | null): string[] => [
    ...new Set([...names, ...(name === null ? [] : [name])]),
  ];
  return { models: add(models, servedModel), providers: add(providers, servedBy) };
}

/** A second snapshot or provider within one trial is another experiment (openrouter.md §8). */
function driftIn({ models, providers }: Served): string | undefined {
  const [names, what] = models.length > 1 ? [models, "snapshot"] : [providers, "provider"];
  return names.length > 1 ? `the ${what} changed in mid-trial: ${names.join(", then ")}` : undefined;
}

/** Runs a turn's calls one after the other, in the model's order. */
async function carryOut(turn: ChatTurn, work: Work, loop: ToolLoop): Promise<AgentEnd | undefined> {
  const { tools, container, limits, record, signal, now = () => performance.now() } = loop;
  work.messages.push(turn.message);
  work.nudged = false;
  let invalid = false;
  for (const call of turn.message.toolCalls) {
    const left = secondsLeft(work.used, limits);
    if (left <= 0) return ended("time_limit");
    signal?.throwIfAborted();
    const timeoutMs = Math.ceil(Math.min(limits.commandSeconds, left) * 1000);
    const started = now();
    const answer = await tools.execute(call, { container, timeoutMs, signal });
    const seconds = (now() - started) / 1000;
    signal?.throwIfAborted();
    work.used = addToolCall(work.used, answer, seconds);
    work.messages.push({ role: "tool", toolCallId: call.id, content: answer.text });
    record({ kind: "tool", toolCallId: call.id, name: call.name, text: answer.text, seconds });
    invalid ||= answer.kind === "invalid";
  }
  work.invalidTurns = invalid ? work.invalidTurns + 1 : 0;
  return work.invalidTurns >= mostInvalidTurns ? ended("invalid_calls") : undefined;
}

type WordsFault = { readonly stop: StopReason; readonly nudge: string };

/** Why a turn without calls is no final message; undefined when it is one. */
function faultOfWords({ message, finish }: ChatTurn, textCall: boolean): WordsFault | undefined {
  const text = message.content ?? "";
  const goOn = "Call a tool, or say in a few words that you are done.";
  if (text.trim() === "") return { stop: "blank_turns", nudge: `Your last turn was empty. ${goOn}` };
  if (textCall) {
    const nudge = `Your last turn wrote a tool call as text; it was not carried out. ${goOn}`;
    return { stop: "invalid_calls", nudge };
  }
  if (finish === "length") return { stop: "blank_turns", nudge: `Your last turn was cut off. ${goOn}` };
  if (finish === "tool_calls")
    return { stop: "blank_turns", nudge: `Your last turn held no tool call. ${goOn}` };
  return undefined;
}

/** Asks once more; a second such turn in a row ends the work. */
function nudge(
  { message }: ChatTurn,
  fault: WordsFault,
  work: Work,
  record: ToolLoop["record"],
): AgentEnd | undefined {
  if (work.nudged) return ended(fault.stop);
  work.nudged = true;
  // An empty assistant message is refused by some routes, and two user messages in a row by others.
  const blank = (message.content ?? "").trim() === "";
  work.messages.push(blank ? { ...message, content: "(no answer)" } : message, {
    role: "user",
    content: fault.nudge,
  });
  record({ kind: "note", text: `nudged: ${fault.nudge}` });
  return undefined;
}

function ended(stop: StopReason): AgentEnd {
  return { kind: "ended", stop };
}

/** What an absent turn means for the work. A first request that does not fit is a matter of configuration. */
function endOfFailure({ failure, message }: ChatFailure, first: boolean): AgentEnd {
  switch (failure) {
    case "infrastructure":
      return { kind: "void", reason: message };
    case "context_exhausted":
      return first ? { kind: "stop_model", reason: message } : ended("context_exhausted");
    case "blocked":
    case "stop_model":
    case "stop_all":
    case "budget":
      return { kind: failure, reason: message };
    default:
      return unreachable(failure);
  }
}

function endNote(end: AgentEnd): string {
  switch (end.kind) {
    case "ended":
      return `stopped: ${end.stop}`;
    case "void":
    case "blocked":
    case "stop_model":
    case "stop_all":
    case "budget":
      return `${end.kind}: ${end.reason}`;
    default:
      return unreachable(end);
  }
}
