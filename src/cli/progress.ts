import type { PipelineEvent } from "../events.ts";
import { unreachable } from "../errors.ts";

/**
 * One plain line for an event, with what has been spent where a trial ended; null for what only a screen shows. Agent
 * and author text is cut to one printable line: a terminal must not obey it.
 */
export function lineOf(event: PipelineEvent, spent: string | null = null): string | null {
  switch (event.kind) {
    case "stage":
      return `${printable(event.stage).padEnd(8)} ${printable(event.words)}`;
    case "warning":
      return `warning  ${printable(event.words)}`;
    case "lane":
      return `model    ${printable(event.words)}`;
    case "attempt":
      return `author   ${printable(event.benchmark)}: attempt ${event.attempt} of ${event.of}`;
    case "gated":
      return `gate     ${printable(event.benchmark)}: ${event.passed ? "passed" : "refused"}: ${printable(event.words)}`;
    case "kept":
      return `kept     ${printable(event.benchmark)}${event.unchanged ? " (unchanged since its gate)" : ""}`;
    case "given_up":
      return `given up ${printable(event.benchmark)}: ${printable(event.words)}`;
    case "trials":
      return `trials   ${event.planned} planned, ${event.finished} already finished`;
    case "trial_done":
      return `trial    ${trialName(event)}: ${printable(event.words)} (${event.left} left${spent === null ? "" : `, ${spent} spent`})`;
    case "trial_void":
      return `void     ${trialName(event)}: ${printable(event.reason)}${event.again ? ", once more" : ", left ungraded"}`;
    case "model_stopped":
      return `stopped  ${printable(event.model)}: ${printable(event.reason)}`;
    case "began":
    case "gating":
    case "counted":
    case "verdict":
    case "evidence":
      return null;
    default:
      return unreachable(event);
  }
}

function trialName({ trial }: Extract<PipelineEvent, { kind: "trial_done" | "trial_void" }>): string {
  return printable([trial.skill, trial.benchmark, trial.model, trial.arm, trial.n].join("/"));
}

const mostCharacters = 240;
/** Longer text is cut before it is looked at, so that it costs the same however long it is. */
const looked = 100 * mostCharacters;

/** Control characters become spaces and the rest is cut, so that foreign text stays one harmless line. */
export function printable(text: string, most = mostCharacters): string {
  const line = text
    .slice(0, looked)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  if (line.length <= most && text.length <= looked) return line;
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Text of several lines for a terminal, with nothing in it that a terminal obeys but the ends of the lines and tabs. */
export function harmless(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, " ");
}
