import type { ArmUsage, Mean } from "../artefacts/report.ts";
import type { Timings } from "../artefacts/timings.ts";
import { groupBy } from "./group-by.ts";
import type { CountedTrial, TrialOnDisk } from "./outcome.ts";

type Figure = (trial: CountedTrial) => number | null;

const toolCalls: Figure = ({ usage: { toolCalls: calls } }) =>
  calls.bash + calls.read_file + calls.write_file + calls.invalid;

/** Means over the finished trials of each skill × model × arm. */
export function usageOf(entries: readonly TrialOnDisk[]): ArmUsage[] {
  return byArm(entries).map(({ skill, model, arm, of }) => ({
    skill,
    model,
    arm,
    inputTokens: of(({ usage }) => usage.inputTokens),
    uncachedInputTokens: of(({ usage }) => usage.uncachedInputTokens),
    cachedInputTokens: of(({ usage }) => usage.cachedInputTokens),
    outputTokens: of(({ usage }) => usage.outputTokens),
    costUsd: of(({ usage }) => usage.costUsd),
    modelCalls: of(({ usage }) => usage.modelCalls),
    toolCalls: of(toolCalls),
    peakContextTokens: of(({ usage }) => usage.peakContextTokens),
  }));
}

/** How long the same trials took and waited; another execution takes another time. */
export function secondsOf(entries: readonly TrialOnDisk[]): Timings["seconds"] {
  return byArm(entries).map(({ skill, model, arm, of }) => ({
    skill,
    model,
    arm,
    agentSeconds: of(({ usage }) => usage.modelSeconds + usage.toolSeconds),
    waitingSeconds: of(({ usage }) => usage.waitingSeconds),
  }));
}

type ArmFigures = Pick<ArmUsage, "skill" | "model" | "arm"> & { readonly of: (figure: Figure) => Mean };

function byArm(entries: readonly TrialOnDisk[]): ArmFigures[] {
  const groups = groupBy(entries, ({ planned }) =>
    JSON.stringify([planned.skill, planned.model, planned.arm]),
  );
  return groups.map((group) => {
    const trials = group.flatMap(({ trial }) => (trial === null ? [] : [trial]));
    const { skill, model, arm } = group[0].planned;
    return { skill, model, arm, of: (figure) => meanOf(trials.map(figure)) };
  });
}

function meanOf(values: readonly (number | null)[]): Mean {
  const known = values.filter((value) => value !== null);
  const total = known.reduce((sum, value) => sum + value, 0);
  return { mean: known.length === 0 ? null : total / known.length, known: known.length, of: values.length };
}
