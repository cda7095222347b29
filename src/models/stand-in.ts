import { UserError } from "../errors.ts";
import { countTokens } from "../tokens.ts";
import type { ChatMessage, ChatModel, ChatRequest, ChatTurn, ToolCall } from "./port.ts";
import type { StandInBehaviour, StandInPolicy, StandInTask, StandInWrite } from "./stand-in-policy.ts";

/**
 * A stand-in for a model: no network, no chance. It decides from the text of its conversation alone, so that an
 * uplift appears only because the skill's text was delivered. Requests without tools are answered as a judge.
 * Throws `UserError` for an id the policy does not have.
 */
export function standInModel(id: string, policy: StandInPolicy): ChatModel {
  const tasks = policy.models.get(id);
  if (tasks === undefined) {
    const known = [...policy.models.keys()].join(", ") || "none";
    throw new UserError(`${policy.path} has no stand-in "${id}". It has: ${known}.`);
  }
  return standIn(id, (request) =>
    request.tools.length === 0 ? judge(request, policy) : act(request, tasks),
  );
}

/** A stand-in that only judges; every one follows the policy's `judges`, under whatever id. */
export function standInJudge(id: string, policy: StandInPolicy): ChatModel {
  return standIn(id, (request) => judge(request, policy));
}

type Answer = { readonly say: string | null; readonly calls: readonly Omit<ToolCall, "id">[] };

function standIn(id: string, answer: (request: ChatRequest) => Answer): ChatModel {
  return {
    id,
    standIn: true,
    complete: (request, signal) =>
      new Promise((resolve) => {
        signal?.throwIfAborted();
        resolve(turnOf(id, request, answer(request)));
      }),
  };
}

function turnOf(id: string, request: ChatRequest, { say, calls }: Answer): ChatTurn {
  const turn = request.messages.filter(({ role }) => role === "assistant").length + 1;
  const inputTokens = countTokens(JSON.stringify([request.tools, request.messages]));
  const toolCalls = calls.map((call, index) => ({ ...call, id: `call_${turn}_${index}` }));
  return {
    kind: "turn",
    message: { role: "assistant", content: say, toolCalls },
    finish: toolCalls.length > 0 ? "tool_calls" : "stop",
    usage: {
      inputTokens,
      uncachedInputTokens: inputTokens,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: countTokens(`${say ?? ""}${JSON.stringify(calls)}`),
      reasoningTokens: 0,
      costUsd: 0,
    },
    servedModel: id,
    servedBy: "stand-in",
    generationId: null,
    sent: { parameters: {}, withheld: [] },
    repairs: 0,
    modelSeconds: 0,
    waitedSeconds: 0,
  };
}

/** Looks first, then everything it does in one turn, then its last words. */
function act({ messages }: ChatRequest, tasks: readonly StandInTask[]): Answer {
  const opening = plain(messages.find(({ role }) => role === "user"));
  const task = tasks.find((candidate) => opening.includes(oneLine(candidate.task)));
  if (task === undefined) return { say: "I have no policy for this task.", calls: [] };
  const acted = messages.findIndex((message) => callsOf(message).some((call) => !isLook(call, task)));
  // What its own commands print must not teach it anything: only what stood there before it acted counts.
  const heard = (acted === -1 ? messages : messages.slice(0, acted))
    .filter(({ role }) => role !== "assistant")
    .map(plain)
    .join("\n");
  const behaviour = task.facts.every((fact) => heard.includes(oneLine(fact))) ? task.knowing : task.otherwise;
  if (acted !== -1) return { say: behaviour.say, calls: [] };
  const looked = new Set(messages.flatMap(callsOf).map((call) => call.arguments));
  const looks = task.look.filter((path) => heard.includes(path)).map(lookCall);
  const open = looks.filter((call) => !looked.has(call.arguments));
  const calls = open.length > 0 ? open : deeds(behaviour);
  return { say: calls.length > 0 ? null : behaviour.say, calls };
}

function lookCall(path: string): Omit<ToolCall, "id"> {
  return call("read_file", { path: `/skill/${path}` });
}

function isLook(candidate: ToolCall, task: StandInTask): boolean {
  return task.look.some((path) => {
    const look = lookCall(path);
    return candidate.name === look.name && candidate.arguments === look.arguments;
  });
}

function deeds({ writes, commands }: StandInBehaviour): Omit<ToolCall, "id">[] {
  const executables = writes.filter(({ executable }) => executable).map(({ path }) => quoted(path));
  const mode = executables.length === 0 ? [] : [`chmod +x -- ${executables.join(" ")}`];
  return [...writes.map(writeCall), ...[...mode, ...commands].map((command) => call("bash", { command }))];
}

/** write_file takes text; what is no UTF-8 goes through bash. */
function writeCall({ path, bytes }: StandInWrite): Omit<ToolCall, "id"> {
  const content = utf8(bytes);
  if (content !== undefined) return call("write_file", { path, content });
  const coded = Buffer.from(bytes).toString("base64");
  const target = quoted(path);
  return call("bash", {
    command: `mkdir -p -- "$(dirname -- ${target})" && base64 -d > ${target} <<'EOF'\n${coded}\nEOF`,
  });
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // binary: said by the caller
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function call(name: string, args: Readonly<Record<string, string>>): Omit<ToolCall, "id"> {
  return { name, arguments: JSON.stringify(args) };
}

function callsOf(message: ChatMessage): readonly ToolCall[] {
  return message.role === "assistant" ? message.toolCalls : [];
}

/** YES when the first rule whose question is asked finds all it looks for in the last user message. */
function judge({ messages, responseSchema }: ChatRequest, { judges }: StandInPolicy): Answer {
  const asked = messages.findLast(({ role }) => role === "user");
  const rule = judges.find(({ question }) => plain(asked).includes(oneLine(question)));
  const yes = rule?.yesIf.every((pattern) => pattern.test(rawText(asked))) ?? false;
  const answer = yes ? "YES" : "NO";
  if (responseSchema === undefined) return { say: answer, calls: [] };
  const reason = rule === undefined ? "no rule for this question" : "by the stand-in policy";
  const properties = responseSchema.schema["properties"] ?? {};
  return {
    say: JSON.stringify(Object.hasOwn(properties, "reason") ? { answer, reason } : { answer }),
    calls: [],
  };
}

function rawText(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function plain(message: ChatMessage | undefined): string {
  return oneLine(rawText(message));
}

/** Line breaks of a wrapped paragraph must not hide a sentence. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
