import type { Agent, AgentLimits, AgentRecord } from "../agents/port.ts";
import type { Benchmark } from "../artefacts/benchmark.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import { type PlannedTrial, type SnapshotRef, type Trial, trialFormat } from "../artefacts/trial.ts";
import { sha256 } from "../hash.ts";
import { type Container, type Sandbox, SandboxError } from "../sandbox/port.ts";
import { type DeliveredSkill, systemPrompt } from "./prompts.ts";

/** What an arm gives to the agent; null for the arm without. */
export type Treatment = { readonly skill: DeliveredSkill; readonly files: FileTree } | null;

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
  | { readonly kind: "stop_model" | "stop_all"; readonly reason: string };

/** One agent, one benchmark, one arm, once, in a fresh container. Throws only when `signal` was aborted or we are wrong. */
export async function performTrial(
  planned: PlannedTrial,
  benchmark: Benchmark,
  treatment: Treatment,
  tools: TrialTools,
  context: TrialContext,
): Promise<TrialAttempt> {
  const system = systemPrompt(treatment?.skill ?? null);
  const { task } = benchmark.bundle;
  try {
    const labels = { campaign: context.campaign, trial: planned.key.slice(0, 16) };
    const request = { role: "agent", labels, skill: treatment?.files ?? null } as const;
    const container = await tools.sandbox.open(request, context.signal);
    try {
      await container.unpack(tools.pack(benchmark.bundle.fixtures), "/workspace");
      const record = await tools.agent.work({ system, task, seed: planned.seed }, container, {
        limits: context.limits,
        record: tools.record,
        ...(context.signal === undefined ? {} : { signal: context.signal }),
      });
      return await conclude(record, container, tools, (outcome) => ({
        format: trialFormat,
        trial: planned,
        outcome,
        finalMessage: record.finalMessage,
        usage: record.usage,
        prompts: { system: sha256(system), task: sha256(task), tools: context.toolsHash },
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

async function conclude(
  record: AgentRecord,
  container: Container,
  tools: TrialTools,
  trialWith: (outcome: Trial["outcome"]) => Trial,
): Promise<TrialAttempt> {
  const { end } = record;
  switch (end.kind) {
    case "ended": {
      const snapshot = await tools.spool(container.snapshot());
      return { kind: "trial", trial: trialWith({ kind: "ended", stop: end.stop, snapshot }) };
    }
    case "blocked":
      return { kind: "trial", trial: trialWith({ kind: "blocked", reason: end.reason }) };
    case "void":
      return { kind: "void", reason: end.reason };
    case "stop_model":
    case "stop_all":
      return { kind: end.kind, reason: end.reason };
  }
}
