import type { Agent, AgentLimits, AgentRecord } from "../agents/port.ts";
import type { Benchmark } from "../artefacts/benchmark.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import {
  type PlannedTrial,
  type SnapshotRef,
  type Trial,
  trialFormat,
  trialName,
} from "../artefacts/trial.ts";
import { sha256 } from "../hash.ts";
import { type Container, type Sandbox, SandboxError } from "../sandbox/port.ts";
import { activationOf } from "./activation.ts";
import { openTrial, type Treatment } from "./open-trial.ts";

export type TrialTools = {
  readonly sandbox: Sandbox;
  readonly agent: Agent;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly record: (line: TranscriptLine) => void;
  readonly spool: (tar: AsyncIterable<Uint8Array>) => Promise<SnapshotRef>;
};

export type TrialContext = {
  readonly campaign: string;
  readonly limits: AgentLimits;
  readonly toolsHash: string;
  /** Attempts lost before this one. */
  readonly voids: number;
  readonly signal?: AbortSignal;
};

/** One attempt at a trial. Everything but `trial` leaves the trial to be done. */
export type TrialAttempt =
  | { readonly kind: "trial"; readonly trial: Trial }
  | { readonly kind: "void"; readonly reason: string }
  | { readonly kind: "stop_model" | "stop_all" | "budget"; readonly reason: string };

/** One agent, one benchmark, one arm, once, in a fresh container. Throws only when `signal` was aborted or we are wrong. */
export async function performTrial(
  planned: PlannedTrial,
  benchmark: Benchmark,
  treatment: Treatment,
  tools: TrialTools,
  context: TrialContext,
): Promise<TrialAttempt> {
  const { sandbox, pack } = tools;
  const lines: TranscriptLine[] = [];
  const record = (line: TranscriptLine): void => {
    lines.push(line);
    tools.record(line);
  };
  const labels = { campaign: context.campaign, trial: planned.key.slice(0, 16) };
  const signal = context.signal === undefined ? {} : { signal: context.signal };
  try {
    const place = { sandbox, pack, labels, ...signal };
    const { system, task, container } = await openTrial(benchmark, treatment, place);
    try {
      const work = { system, task, seed: planned.seed, subject: trialName(planned) };
      const worked = await tools.agent.work(work, container, { limits: context.limits, record, ...signal });
      return await conclude(worked, container, tools, (outcome) => ({
        format: trialFormat,
        trial: planned,
        outcome,
        finalMessage: worked.finalMessage,
        activations: [...activationOf(lines, treatment?.skills ?? [])],
        usage: worked.usage,
        prompts: { system: sha256(system), task: sha256(task), tools: context.toolsHash },
        served: worked.served,
        request: requestOf(worked),
        standIn: tools.agent.standIn,
        image: tools.sandbox.image.id,
        voids: context.voids,
      }));
    } finally {
      await container.dispose();
    }
  } catch (error) {
    if (error instanceof SandboxError) return { kind: "void", reason: error.message };
    throw error;
  }
}

function requestOf({ request }: AgentRecord): Trial["request"] {
  return request === null ? null : { sent: { ...request.parameters }, withheld: [...request.withheld] };
}

async function conclude(
  record: AgentRecord,
  container: Container,
  tools: TrialTools,
  trialWith: (outcome: Trial["outcome"]) => Trial,
): Promise<TrialAttempt> {
  const { end } = record;
  switch (end.kind) {
    case "ended": {
      // Over a limit by the agent's own doing: the trial counts, with what is within it.
      const leftOut: string[] = [];
      const onLeftOut = (words: string): void => {
        leftOut.push(words);
        tools.record({ kind: "note", text: `snapshot: ${words}` });
      };
      const spooled = await tools.spool(container.snapshot(onLeftOut));
      const snapshot = leftOut.length === 0 ? spooled : { ...spooled, leftOut: leftOut.join("; ") };
      return { kind: "trial", trial: trialWith({ kind: "ended", stop: end.stop, snapshot }) };
    }
    case "blocked":
      return { kind: "trial", trial: trialWith({ kind: "blocked", reason: end.reason }) };
    case "void":
      return { kind: "void", reason: end.reason };
    case "stop_model":
    case "stop_all":
    case "budget":
      return { kind: end.kind, reason: end.reason };
  }
}
