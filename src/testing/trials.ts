import type { PlannedTrial, StopReason, Trial, TrialUsage } from "../artefacts/trial.ts";
import { trialFormat } from "../artefacts/trial.ts";
import { type Verdict, verdictFormat } from "../artefacts/verdict.ts";

export const noUsage: TrialUsage = {
  inputTokens: null,
  uncachedInputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  costUsd: null,
  modelCalls: 1,
  toolCalls: { bash: 0, read_file: 0, write_file: 1, invalid: 0 },
  repairedCalls: 0,
  lengthTurns: 0,
  textCalls: 0,
  peakContextTokens: null,
  modelSeconds: 1,
  toolSeconds: 1,
  waitingSeconds: 0,
};

export function endedTrial(
  planned: PlannedTrial,
  over: { stop?: StopReason; usage?: Partial<TrialUsage> } = {},
): Trial {
  return {
    format: trialFormat,
    trial: planned,
    outcome: { kind: "ended", stop: over.stop ?? "finished", snapshot: { sha256: "s", bytes: 1024 } },
    finalMessage: "done",
    activations: [],
    usage: { ...noUsage, ...over.usage },
    prompts: { system: "s", task: "t", tools: "u" },
    served: { models: ["acme/coder-20260127"], providers: ["Alpha"] },
    request: { sent: { model: planned.model, max_tokens: 1024 }, withheld: [] },
    standIn: false,
    image: "sha256:0",
    voids: 0,
  };
}

export function verdictOf(verdict: Verdict["verdict"], reason: string | null = null): Verdict {
  return {
    format: verdictFormat,
    verdict,
    reason,
    assertions: [],
    answers: [],
    grader: { exitCode: verdict === "passed" ? 0 : 1, signal: null, timedOut: false, seconds: 1 },
    standInJudges: false,
    snapshot: "s",
    bundleHash: "b",
  };
}
