import type { StopReason, TrialUsage } from "../../artefacts/trial.ts";
import type { Answer } from "../../artefacts/verdict.ts";
import { grouped, unavailable, usd } from "../html/figures.ts";
import type { TrialView } from "./trial-view.ts";

export type Standing = "passed" | "failed" | "ungraded";

/** What a trial counts as, and why, in a sentence. The reason may quote foreign text. */
export function standingOf(view: Pick<TrialView, "trial" | "verdict" | "voids" | "torn">): {
  readonly standing: Standing;
  readonly words: string;
} {
  const { trial, verdict, voids, torn } = view;
  const ungraded = (words: string) => ({ standing: "ungraded", words }) as const;
  if (torn !== null)
    return ungraded(
      `What lies in its place cannot be used (${torn}). It counts as not done; eval does it again.`,
    );
  if (trial === null) {
    return ungraded(
      voids > 0
        ? `Not done: ${times(voids, "attempt")} lost to infrastructure, which is no verdict.`
        : "Not done yet.",
    );
  }
  if (trial.outcome.kind === "blocked")
    return ungraded(
      `An input filter refused the request, so there is nothing to grade: ${trial.outcome.reason}`,
    );
  if (verdict === null) return ungraded("The agent is done; there is no verdict yet.");
  const found = [...assertionWords(verdict.assertions), ...answerWords(verdict.answers)];
  const reason = verdict.reason === null ? [] : [verdict.reason];
  const words = [...found, ...reason].join("; ");
  return { standing: verdict.verdict, words: words === "" ? "No reason was recorded." : `${words}.` };
}

function assertionWords(assertions: readonly { readonly passed: boolean }[]): readonly string[] {
  if (assertions.length === 0) return [];
  const passed = assertions.filter((assertion) => assertion.passed).length;
  return [`${passed} of ${times(assertions.length, "assertion")} of the grader passed`];
}

function answerWords(answers: readonly Answer[]): readonly string[] {
  if (answers.length === 0) return [];
  const expected = answers.filter(({ answer, question }) => answer === question.expect).length;
  const open = answers.filter(({ answer }) => answer === null).length;
  const undecided = open === 0 ? "" : `, ${open} undecided`;
  return [
    `${expected} of ${times(answers.length, "question")} answered by the judges as expected${undecided}`,
  ];
}

/** `1 attempt`, `2 attempts`. */
export function times(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

const stops: Readonly<Record<StopReason, string>> = {
  finished: "The agent said that it was done.",
  turn_limit: "The limit of turns was reached; graded as it stood.",
  token_limit: "The limit of tokens was reached; graded as it stood.",
  time_limit: "The limit of time was reached; graded as it stood.",
  context_exhausted: "The model's window was full; graded as it stood.",
  refused: "The model refused; graded as it stood.",
  invalid_calls: "Too many calls in a row were not valid; graded as it stood.",
  blank_turns: "Too many turns in a row were empty; graded as it stood.",
};

export function stopWords({ trial }: Pick<TrialView, "trial">): string {
  if (trial === null) return unavailable;
  return trial.outcome.kind === "blocked" ? "Blocked before it began." : stops[trial.outcome.stop];
}

/** Terms and figures of what a trial used. What the provider did not say is unavailable. */
export function usageRows(usage: TrialUsage): readonly (readonly [string, string])[] {
  const { toolCalls } = usage;
  const calls = toolCalls.bash + toolCalls.read_file + toolCalls.write_file + toolCalls.invalid;
  return [
    ["Cost", usd(usage.costUsd)],
    [
      "Tokens in",
      `${tokens(usage.inputTokens)} (not cached ${tokens(usage.uncachedInputTokens)}, cached ${tokens(usage.cachedInputTokens)})`,
    ],
    ["Tokens out", tokens(usage.outputTokens)],
    [
      "Largest context",
      `${tokens(usage.peakContextTokens)}${usage.peakContextTokens === null ? "" : " tokens"}`,
    ],
    ["Model calls", grouped(usage.modelCalls)],
    [
      "Tool calls",
      `${grouped(calls)} (bash ${toolCalls.bash}, read_file ${toolCalls.read_file}, write_file ${toolCalls.write_file}, not valid ${toolCalls.invalid})`,
    ],
    [
      "Seconds",
      `model ${seconds(usage.modelSeconds)}, tools ${seconds(usage.toolSeconds)}, waiting ${seconds(usage.waitingSeconds)} (not the agent's time)`,
    ],
  ];
}

function tokens(count: number | null): string {
  return count === null ? unavailable : grouped(count);
}

export function seconds(value: number): string {
  return grouped(value, 1);
}
