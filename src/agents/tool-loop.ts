import type { Served, StopReason, TrialUsage } from "../artefacts/trial.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import { unreachable } from "../errors.ts";
import type { ChatMessage, ChatModel, ChatTurn, RequestRecord } from "../models/port.ts";
import { type Container, SandboxError } from "../sandbox/port.ts";
import { ended, isTextCall, meaningOf } from "./answer-meaning.ts";
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
  const first = work.used.modelCalls === 0;
  const toolNames = tools.specs.map(({ name }) => name);
  const answer = await model.complete(request, signal);
  if (answer.kind === "failure") work.used = addFailure(work.used, answer);
  else takeUp(answer, toolNames, work, record);
  const { nudged, served } = work;
  const meaning = meaningOf(answer, { model: model.id, first, nudged, served, toolNames });
  if (meaning.kind === "end") {
    if (answer.kind === "turn" && isLastWord(meaning.end)) work.finalMessage = answer.message.content;
    return meaning.end;
  }
  if (meaning.kind === "calls") return carryOut(meaning.turn, work, loop);
  nudge(meaning.turn, meaning.words, work, record);
  return undefined;
}

/** Counts a turn and writes it down, whatever it will come to. */
function takeUp(turn: ChatTurn, toolNames: readonly string[], work: Work, record: ToolLoop["record"]): void {
  work.used = addTurn(work.used, turn, isTextCall(turn, toolNames));
  work.outputTokens += turn.usage.outputTokens ?? 0;
  work.request ??= turn.sent;
  work.served = addServed(work.served, turn);
  const { content, toolCalls } = turn.message;
  record({ kind: "assistant", text: content, toolCalls: [...toolCalls], finish: turn.finish });
}

/** What a turn said stands as the final message when the model ended by it. */
function isLastWord(end: AgentEnd): boolean {
  return end.kind === "ended" && (end.stop === "finished" || end.stop === "refused");
}

function addServed({ models, providers }: Served, { servedModel, servedBy }: ChatTurn): Served {
  const add = (names: readonly string[], name: string | null): string[] => [
    ...new Set([...names, ...(name === null ? [] : [name])]),
  ];
  return { models: add(models, servedModel), providers: add(providers, servedBy) };
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

/** Asks once more; a second such turn in a row ends the work. */
function nudge({ message }: ChatTurn, words: string, work: Work, record: ToolLoop["record"]): void {
  work.nudged = true;
  // An empty assistant message is refused by some routes, and two user messages in a row by others.
  const blank = (message.content ?? "").trim() === "";
  work.messages.push(blank ? { ...message, content: "(no answer)" } : message, {
    role: "user",
    content: words,
  });
  record({ kind: "note", text: `nudged: ${words}` });
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
