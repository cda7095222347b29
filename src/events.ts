import type { PlannedTrial } from "./artefacts/trial.ts";

/** What the pipeline says while it works. The command line turns these into progress; nothing else reads them. */
export type PipelineEvent =
  | { readonly kind: "stage"; readonly stage: string; readonly words: string }
  | { readonly kind: "warning"; readonly words: string }
  /** How the way to a model goes: fewer at once, a pause, an end. */
  | { readonly kind: "lane"; readonly words: string }
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
  | { readonly kind: "model_stopped"; readonly model: string; readonly reason: string };

export type Listen = (event: PipelineEvent) => void;
