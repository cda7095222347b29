import type { TrialUsage } from "../artefacts/trial.ts";
import type { Figures } from "./figures.ts";
import type { Counted } from "./counted.ts";

type Values = Readonly<Record<string, (usage: TrialUsage) => number | null>>;

/** What is read off a trial's usage; null where its provider did not tell. */
const told: Values = {
  inputTokens: (usage) => usage.inputTokens,
  uncachedInputTokens: (usage) => usage.uncachedInputTokens,
  cachedInputTokens: (usage) => usage.cachedInputTokens,
  outputTokens: (usage) => usage.outputTokens,
  costUsd: (usage) => usage.costUsd,
  modelCalls: (usage) => usage.modelCalls,
  toolCalls: ({ toolCalls }) => Object.values(toolCalls).reduce((sum, calls) => sum + calls, 0),
  peakContextTokens: (usage) => usage.peakContextTokens,
};

const seconds: Values = {
  agentSeconds: (usage) => usage.modelSeconds + usage.toolSeconds,
  waitingSeconds: (usage) => usage.waitingSeconds,
};

type Sum = { total: number; known: number; of: number };

/** Means over finished trials, by skill, model and arm, of what was told; null where nothing was. */
export function countUsage(trials: readonly Counted[], figures: Figures): void {
  countMeans(told, trials, figures);
}

/** The same of how long they took. */
export function countSeconds(trials: readonly Counted[], figures: Figures): void {
  countMeans(seconds, trials, figures);
}

function countMeans(values: Values, trials: readonly Counted[], figures: Figures): void {
  const sums = new Map<string, { readonly path: readonly string[]; readonly sum: Sum }>();
  for (const { planned, trial } of trials) {
    for (const [name, valueOf] of Object.entries(values)) {
      const path = ["usage", planned.skill, planned.model, planned.arm, name];
      const entry = sums.get(JSON.stringify(path)) ?? { path, sum: { total: 0, known: 0, of: 0 } };
      sums.set(JSON.stringify(path), entry);
      if (trial === null) continue;
      const value = valueOf(trial.usage);
      entry.sum.of += 1;
      entry.sum.known += value === null ? 0 : 1;
      entry.sum.total += value ?? 0;
    }
  }
  for (const { path, sum } of sums.values()) {
    figures.set([...path, "mean"], sum.known === 0 ? null : sum.total / sum.known);
    figures.set([...path, "known"], sum.known);
    figures.set([...path, "of"], sum.of);
  }
}
