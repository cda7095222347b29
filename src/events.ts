import type { PlannedTrial } from "./artefacts/trial.ts";
import type { Verdict } from "./artefacts/verdict.ts";

/** What the pipeline says while it works. The command line turns these into progress; nothing else reads them. */
export type PipelineEvent =
  | { readonly kind: "stage"; readonly stage: string; readonly words: string }
  | { readonly kind: "warning"; readonly words: string }
  /** How the way to a model goes: fewer at once, a pause, an end. */
  | {
      readonly kind: "lane";
      readonly change: "shrink" | "grow" | "wait" | "pause" | "resume" | "stop";
      readonly words: string;
    }
  | { readonly kind: "attempt"; readonly benchmark: string; readonly attempt: number; readonly of: number }
  | { readonly kind: "gated"; readonly benchmark: string; readonly passed: boolean; readonly words: string }
  | { readonly kind: "kept"; readonly benchmark: string; readonly unchanged: boolean }
  | { readonly kind: "given_up"; readonly benchmark: string; readonly words: string }
  | { readonly kind: "trials"; readonly planned: number; readonly finished: number }
  | {
      readonly kind: "trial_done";
      readonly trial: PlannedTrial;
      readonly words: string;
      readonly left: number;
    }
  | {
      readonly kind: "trial_void";
      readonly trial: PlannedTrial;
      readonly reason: string;
      readonly again: boolean;
    }
  | { readonly kind: "model_stopped"; readonly model: string; readonly reason: string }
  | LiveEvent;

/** What a screen shows and a log has no line for. */
export type LiveEvent =
  /** A command or a part of it (one skill) begins, with these stages, in this order. */
  | {
      readonly kind: "began";
      readonly title: string;
      readonly part: string | null;
      readonly stages: readonly StageName[];
    }
  /** The gate has a draft and is at work on it. */
  | { readonly kind: "gating"; readonly benchmark: string }
  | { readonly kind: "counted"; readonly stage: StageName; readonly done: number; readonly of: number }
  /** A trial has a verdict, of this start or of an earlier one; the later of two holds. */
  | { readonly kind: "verdict"; readonly trial: PlannedTrial; readonly verdict: Verdict["verdict"] }
  /** Pairs so far and their e-value, which may be looked at at any time. */
  | {
      readonly kind: "evidence";
      readonly better: number;
      readonly worse: number;
      readonly pairs: number;
      readonly e: number;
    };

export type StageName =
  "chunk" | "embed" | "cluster" | "author" | "gate" | "isolation" | "trials" | "verdicts" | "report";

/** How the way to one model stands at this moment. */
export type LaneReading = {
  readonly lane: string;
  /** Attempts under way, how many there may be at once, and how many wait for a place. */
  readonly underWay: number;
  readonly window: number;
  readonly waiting: number;
  /** Milliseconds until something may be sent again; 0 when it may. */
  readonly closedMs: number;
  /** `paused`: the endpoint is unwell and is tried again; `stopped`: nothing more is sent. */
  readonly health: "well" | "paused" | "stopped";
};

export type Listen = (event: PipelineEvent) => void;
