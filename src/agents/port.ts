import type { Container } from "../sandbox/port.ts";
import type { Served, StopReason, TrialUsage } from "../artefacts/trial.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import type { RequestRecord } from "../models/port.ts";

export type AgentTask = {
  /** System prompt: constant text, plus the skill block where the arm delivers one. */
  readonly system: string;
  /** First user message: task.md. */
  readonly task: string;
  readonly seed: number;
  /** Whose work it is (a trial's name, a bundle's id): for the ledger, never told the model. */
  readonly subject: string;
};

export type AgentLimits = {
  readonly turns: number;
  readonly outputTokens: number;
  /** Model and tool time together; waiting for a provider does not count. */
  readonly seconds: number;
  readonly commandSeconds: number;
  readonly maxTokensPerTurn: number;
};

/** How the agent's work came to its end. Only `ended` is graded; `void` also when another model or provider took over. */
export type AgentEnd =
  | { readonly kind: "ended"; readonly stop: StopReason }
  | { readonly kind: "void"; readonly reason: string }
  | { readonly kind: "blocked"; readonly reason: string }
  | { readonly kind: "stop_model" | "stop_all" | "budget"; readonly reason: string };

export type AgentRecord = {
  readonly end: AgentEnd;
  readonly finalMessage: string | null;
  readonly usage: TrialUsage;
  readonly served: Served;
  /** Of the first turn; null when there was none. */
  readonly request: RequestRecord | null;
};

/** Works on one task in one container. */
export interface Agent {
  /** As written in the YAML and in paths. */
  readonly id: string;
  readonly standIn: boolean;
  /**
   * Works until it stops by itself, meets a limit, or infrastructure fails under it. Every line of what is said
   * and done goes to `record` as it happens. Never throws for model or container faults; those are in `end`.
   */
  work(
    task: AgentTask,
    container: Container,
    options: {
      readonly limits: AgentLimits;
      readonly record: (line: TranscriptLine) => void;
      readonly signal?: AbortSignal;
    },
  ): Promise<AgentRecord>;
}
