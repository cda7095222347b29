import type { TrialUsage } from "../artefacts/trial.ts";
import type { ChatTurn } from "../models/port.ts";
import type { ToolAnswer } from "./tools.ts";

export const noUsage: TrialUsage = {
  inputTokens: 0,
  uncachedInputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  modelCalls: 0,
  toolCalls: { bash: 0, read_file: 0, write_file: 0, invalid: 0 },
  repairedCalls: 0,
  lengthTurns: 0,
  textCalls: 0,
  peakContextTokens: 0,
  modelSeconds: 0,
  toolSeconds: 0,
  waitingSeconds: 0,
};

/** One unknown addend makes the sum unknown. */
function sum(...addends: readonly (number | null)[]): number | null {
  return addends.reduce((total, addend) => (total === null || addend === null ? null : total + addend), 0);
}

/** The context of a turn is its whole prompt and what it answered. `textCall`: it wrote a call as text. */
export function addTurn(used: TrialUsage, turn: ChatTurn, textCall: boolean): TrialUsage {
  const { inputTokens, uncachedInputTokens, cachedInputTokens, outputTokens, costUsd } = turn.usage;
  const context = sum(inputTokens, outputTokens);
  const peak = used.peakContextTokens;
  return {
    ...used,
    inputTokens: sum(used.inputTokens, inputTokens),
    uncachedInputTokens: sum(used.uncachedInputTokens, uncachedInputTokens),
    cachedInputTokens: sum(used.cachedInputTokens, cachedInputTokens),
    outputTokens: sum(used.outputTokens, outputTokens),
    costUsd: sum(used.costUsd, costUsd),
    modelCalls: used.modelCalls + 1,
    repairedCalls: used.repairedCalls + turn.repairs,
    lengthTurns: used.lengthTurns + Number(turn.finish === "length"),
    textCalls: used.textCalls + Number(textCall),
    peakContextTokens: peak === null || context === null ? null : Math.max(peak, context),
    modelSeconds: used.modelSeconds + turn.modelSeconds,
    waitingSeconds: used.waitingSeconds + turn.waitedSeconds,
  };
}

export function addToolCall(used: TrialUsage, answer: ToolAnswer, seconds: number): TrialUsage {
  const kind = answer.kind === "done" ? answer.tool : "invalid";
  return {
    ...used,
    toolCalls: { ...used.toolCalls, [kind]: used.toolCalls[kind] + 1 },
    toolSeconds: used.toolSeconds + seconds,
  };
}

/** A request that gave no turn: its waiting, and that what it cost may not be known. */
export function addFailure(
  used: TrialUsage,
  failure: { readonly waitedSeconds: number; readonly costUnknown: boolean },
): TrialUsage {
  return {
    ...used,
    waitingSeconds: used.waitingSeconds + failure.waitedSeconds,
    costUsd: failure.costUnknown ? null : used.costUsd,
  };
}
