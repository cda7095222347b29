import type { FileTree } from "../artefacts/tree.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import type { Author, AuthorAnswer, AuthorRequest } from "../author/port.ts";
import { InfrastructureError, unreachable } from "../errors.ts";
import type { ChatModel } from "../models/port.ts";
import { type Sandbox, SandboxError } from "../sandbox/port.ts";
import type { AgentEnd, AgentLimits } from "./port.ts";
import { runToolLoop } from "./tool-loop.ts";
import { agentTools } from "./tools.ts";

export type OpenRouterAuthorParts = {
  /** Opened anew for every attempt, which has a budget of its own. */
  readonly model: { readonly id: string; readonly open: () => Promise<ChatModel> };
  readonly sandbox: Sandbox;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  /** One folder out of a snapshot, with limits; what was left out is named in `faults`. */
  readonly readTree: (
    tar: AsyncIterable<Uint8Array>,
    limits: DraftLimits,
  ) => Promise<{ readonly tree: FileTree; readonly faults: readonly string[] }>;
  readonly limits: AgentLimits;
  /** Written on the container. */
  readonly campaign: string;
  readonly seed: number;
};

type DraftLimits = {
  readonly bytes: number;
  readonly entries: number;
  readonly depth: number;
  readonly nameBytes: number;
  readonly below: string;
};

/** Wider than a bundle's own limits, so that a draft over those comes back with their words. */
const draftLimits: DraftLimits = {
  bytes: 32 * 1024 * 1024,
  entries: 2000,
  depth: 64,
  nameBytes: 4096,
  below: "draft",
};
const keptLogCharacters = 16_000;

const system = `You write benchmarks for coding agents. You work in a Linux container without network, with three tools: bash, read_file and write_file. The current directory is /workspace.

Deliver the benchmark as files below /workspace/draft. Files to look at, if there are any, are below /workspace/assets. What lies below /workspace/draft when you stop is your delivery; nothing else is looked at.

Try what you write before you stop: solve the task by your own reference in a copy of the fixtures and start your grader on it, on the untouched fixtures and on an empty folder. Then end with one short message without a tool call. Nobody answers questions.`;

/**
 * The built-in author: a model called from the host, whose tools are executed in a network-less container. Throws
 * `InfrastructureError` when the provider or the container is lost, or the model cannot be used: not an attempt.
 */
export function openRouterAuthor(parts: OpenRouterAuthorParts): Author {
  return {
    backend: `openrouter ${parts.model.id}`,
    isolated: true,
    draft: async (request, signal) => {
      try {
        return await draftInContainer(request, parts, signal);
      } catch (error) {
        if (!(error instanceof SandboxError)) throw error;
        throw new InfrastructureError(`the author's container: ${error.message}`, { cause: error });
      }
    },
  };
}

async function draftInContainer(
  request: AuthorRequest,
  { model, sandbox, pack, readTree, limits, campaign, seed }: OpenRouterAuthorParts,
  signal: AbortSignal | undefined,
): Promise<AuthorAnswer> {
  const labels = { campaign, trial: `author ${request.id} ${request.attempt}` };
  const container = await sandbox.open({ role: "agent", labels, skill: null }, signal);
  try {
    await container.unpack(pack(startingTree(request)), "/workspace");
    const lines: TranscriptLine[] = [];
    const { end } = await runToolLoop({
      model: await model.open(),
      tools: agentTools,
      task: { system, task: request.prompt, seed: seed + request.attempt, subject: request.id },
      container,
      limits,
      record: (line) => lines.push(line),
      signal,
    });
    const stopped = stopWords(end);
    return answerFrom(await readTree(container.snapshot(), draftLimits), stopped, logOf(lines));
  } finally {
    await container.dispose();
  }
}

function answerFrom(
  { tree, faults }: { readonly tree: FileTree; readonly faults: readonly string[] },
  stopped: string,
  log: string,
): AuthorAnswer {
  if (faults.length > 0) {
    return {
      kind: "nothing",
      reason: `the draft folder could not be taken over:\n${faults.join("\n")}`,
      log,
    };
  }
  if (tree.length === 0)
    return { kind: "nothing", reason: `the author ${stopped} and left no file below /workspace/draft`, log };
  return { kind: "draft", tree, log };
}

function startingTree(request: AuthorRequest): FileTree {
  const under = (folder: string, tree: FileTree): FileTree =>
    tree.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
  return [...under("assets", request.assets), ...under("draft", request.previous)];
}

/** How the work ended, for the reason of an empty draft. A draft left at a limit is tried like any other. */
function stopWords(end: AgentEnd): string {
  switch (end.kind) {
    case "ended":
      return end.stop === "finished" ? "stopped by itself" : `was stopped (${end.stop.replaceAll("_", " ")})`;
    case "blocked":
      return `was blocked by the provider's filter (${end.reason})`;
    case "budget":
      return `was stopped (${end.reason})`;
    case "void":
    case "stop_model":
    case "stop_all":
      throw new InfrastructureError(`the authoring model cannot go on: ${end.reason}`);
    default:
      return unreachable(end);
  }
}

/** The end of the transcript as text; system prompt and task are known already. */
function logOf(lines: readonly TranscriptLine[]): string {
  return lines.map(lineText).join("").slice(-keptLogCharacters);
}

function lineText(line: TranscriptLine): string {
  switch (line.kind) {
    case "system":
    case "user":
      return "";
    case "assistant":
      return (
        [line.text ?? "", ...line.toolCalls.map((call) => `> ${call.name} ${call.arguments}`)]
          .join("\n")
          .trim() + "\n"
      );
    case "tool":
      return `${line.text.trimEnd()}\n`;
    case "note":
      return `[${line.text}]\n`;
    default:
      return unreachable(line);
  }
}
