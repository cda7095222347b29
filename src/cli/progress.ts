import type { PipelineEvent } from "../events.ts";
import { unreachable } from "../errors.ts";

/** One plain line for an event, with what has been spent where a trial ended. Agent and author text is cut to one printable line: a terminal must not obey it. */
export function lineOf(event: PipelineEvent, spent: string | null = null): string {
  switch (event.kind) {
    case "stage":
      return `${event.stage.padEnd(8)} ${printable(event.words)}`;
    case "warning":
      return `warning  ${printable(event.words)}`;
    case "lane":
      return `model    ${printable(event.words)}`;
    case "attempt":
      return `author   ${event.benchmark}: attempt ${event.attempt} of ${event.of}`;
    case "gated":
      return `gate     ${event.benchmark}: ${event.passed ? "passed" : "refused"}: ${printable(event.words)}`;
    case "kept":
      return `kept     ${event.benchmark}${event.unchanged ? " (unchanged since its gate)" : ""}`;
    case "given_up":
      return `given up ${event.benchmark}: ${printable(event.words)}`;
    case "trials":
      return `trials   ${event.planned} planned, ${event.finished} already finished`;
    case "trial_done":
      return `trial    ${trialName(event)}: ${printable(event.words)} (${event.left} left${spent === null ? "" : `, ${spent} spent`})`;
    case "trial_void":
      return `void     ${trialName(event)}: ${printable(event.reason)}${event.again ? ", once more" : ", left ungraded"}`;
    case "model_stopped":
      return `stopped  ${event.model}: ${printable(event.reason)}`;
    default:
      return unreachable(event);
  }
}

function trialName({ trial }: Extract<PipelineEvent, { kind: "trial_done" | "trial_void" }>): string {
  return [trial.skill, trial.benchmark, trial.model, trial.arm, trial.n].join("/");
}

/** Control characters become spaces and the rest is cut, so that foreign text stays one harmless line. */
export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > 240 ? `${line.slice(0, 239)}…` : line;
}
