import type { Served, StopReason } from "../artefacts/trial.ts";
import { unreachable } from "../errors.ts";
import type { ChatFailure, ChatTurn } from "../models/port.ts";
import { holdsCallAsText } from "./calls-as-text.ts";
import type { AgentEnd } from "./port.ts";

/** What one answer of a model means for the work. */
export type Meaning =
  | { readonly kind: "end"; readonly end: AgentEnd }
  /** Calls to carry out. */
  | { readonly kind: "calls"; readonly turn: ChatTurn }
  /** No turn to build on: it is asked once more, with these words. */
  | { readonly kind: "nudge"; readonly turn: ChatTurn; readonly words: string };

export type AnswerContext = {
  /** For words. */
  readonly model: string;
  /** No turn came before. */
  readonly first: boolean;
  /** The turn before was answered with a nudge. */
  readonly nudged: boolean;
  /** Who answered in this trial, this answer included. */
  readonly served: Served;
  readonly toolNames: readonly string[];
};

/**
 * The table of openrouter.md §8 for everything a model client hands out, in one place that knows neither arm nor skill:
 * what is infrastructure voids, what is the model's own counts and is graded as it stands, and a filter's block is
 * neither. Whose a provider's fault is was decided before (models/classify-error.ts).
 */
export function meaningOf(answer: ChatTurn | ChatFailure, context: AnswerContext): Meaning {
  if (answer.kind === "failure") return end(endOfFailure(answer, context.first));
  const drift = driftIn(context.served);
  if (drift !== undefined) return end({ kind: "void", reason: `${context.model}: ${drift}` });
  if (answer.message.toolCalls.length > 0) return { kind: "calls", turn: answer };
  if (answer.finish === "content_filter") return end(ended("refused"));
  const fault = faultOfWords(answer, context.toolNames);
  if (fault === undefined) return end(ended("finished"));
  return context.nudged ? end(ended(fault.stop)) : { kind: "nudge", turn: answer, words: fault.words };
}

/** Whether a turn without calls wrote one into its text. */
export function isTextCall({ message }: ChatTurn, toolNames: readonly string[]): boolean {
  return message.toolCalls.length === 0 && holdsCallAsText(message.content ?? "", toolNames);
}

export function ended(stop: StopReason): AgentEnd {
  return { kind: "ended", stop };
}

function end(how: AgentEnd): Meaning {
  return { kind: "end", end: how };
}

/** A first request that does not fit is a matter of configuration; later it is the model's own doing. */
function endOfFailure({ failure, message }: ChatFailure, first: boolean): AgentEnd {
  switch (failure) {
    case "infrastructure":
      return { kind: "void", reason: message };
    case "context_exhausted":
      return first ? { kind: "stop_model", reason: message } : ended("context_exhausted");
    case "blocked":
    case "stop_model":
    case "stop_all":
    case "budget":
      return { kind: failure, reason: message };
    default:
      return unreachable(failure);
  }
}

/** A second snapshot or provider within one trial is another experiment. */
function driftIn({ models, providers }: Served): string | undefined {
  const [names, what] = models.length > 1 ? [models, "snapshot"] : [providers, "provider"];
  return names.length > 1 ? `the ${what} changed in mid-trial: ${names.join(", then ")}` : undefined;
}

/** Why a turn without calls is no final message; undefined when it is one. */
function faultOfWords(
  turn: ChatTurn,
  toolNames: readonly string[],
): { readonly stop: StopReason; readonly words: string } | undefined {
  const goOn = "Call a tool, or say in a few words that you are done.";
  const blank = (what: string): { readonly stop: StopReason; readonly words: string } => ({
    stop: "blank_turns",
    words: `Your last turn ${what}. ${goOn}`,
  });
  if ((turn.message.content ?? "").trim() === "") return blank("was empty");
  if (isTextCall(turn, toolNames)) {
    const words = `Your last turn wrote a tool call as text; it was not carried out. ${goOn}`;
    return { stop: "invalid_calls", words };
  }
  if (turn.finish === "length") return blank("was cut off");
  return turn.finish === "tool_calls" ? blank("held no tool call") : undefined;
}
