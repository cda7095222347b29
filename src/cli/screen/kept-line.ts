import type { PipelineEvent } from "../../events.ts";
import { lineOf } from "../progress.ts";

/** The line of an event that stays in the scroll-back over the screen; null for what the screen itself shows. */
export function keptLine(event: PipelineEvent): string | null {
  return isKept(event) ? lineOf(event) : null;
}

function isKept(event: PipelineEvent): boolean {
  switch (event.kind) {
    case "warning":
    case "kept":
    case "given_up":
    case "trial_void":
    case "model_stopped":
      return true;
    case "stage":
      return event.stage !== "canary";
    case "lane":
      return event.change === "pause" || event.change === "resume" || event.change === "stop";
    case "attempt":
    case "gated":
    case "trials":
    case "trial_done":
    case "began":
    case "gating":
    case "counted":
    case "verdict":
    case "evidence":
      return false;
  }
}
