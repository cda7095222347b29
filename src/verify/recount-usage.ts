import type { TrialUsage } from "../artefacts/trial.ts";
import type { Figures } from "./figures.ts";
import type { Counted } from "./counted.ts";

export type Values = Readonly<Record<string, (usage: TrialUsage) => number | null>>;

/** What is read off a trial's usage; null where its provider did not tell. */
export const told: Values = {
  inputTokens: (usage) => usage.inputTokens,
  uncachedInputTokens: (usage) => usage.uncachedInputTokens,
  cachedInputTokens: (usage) => usage.cachedInputTokens,
  outputTokens: (usage) => usage.outputTokens,
  costUsd: (usage) => usage.costUsd,
  modelCalls: (usage) => usage.modelCalls,
  toolCalls: ({ toolCalls }) => Object.values(toolCalls).reduce((sum, calls) => sum + calls, 0),
  peakContextTokens: (usage) => usage.peakContextTokens,
};

/** The same of how long it took. */
export const seconds: Values = {
  agentSeconds: (usage) => usage.modelSeconds + usage.toolSeconds,
  waitingSeconds: (usage) => usage.waitingSeconds,
};

type Sum = { total: number; known: number; of: number };

/** Means over finished trials, by skill, model and arm, of what was told; null where nothing was. */
export class UsageMeans {
  private readonly values: readonly (readonly [string, Values[string]])[];
  private readonly groups = new Map<
    string,
    { readonly path: readonly string[]; readonly sums: readonly Sum[] }
  >();

  constructor(values: Values) {
    this.values = Object.entries(values);
  }

  see({ planned, trial }: Pick<Counted, "planned" | "trial">): void {
    const path = [planned.skill, planned.model, planned.arm];
    const name = JSON.stringify(path);
    const group = this.groups.get(name) ?? {
      path,
      sums: this.values.map(() => ({ total: 0, known: 0, of: 0 })),
    };
    this.groups.set(name, group);
    if (trial === null) return;
    for (const [at, [, valueOf]] of this.values.entries()) {
      const sum = group.sums[at];
      if (sum === undefined) continue;
      const value = valueOf(trial.usage);
      sum.of += 1;
      sum.known += value === null ? 0 : 1;
      sum.total += value ?? 0;
    }
  }

  setFigures(figures: Figures): void {
    for (const { path, sums } of this.groups.values()) {
      for (const [at, [name]] of this.values.entries()) {
        const { total, known, of } = sums[at] ?? { total: 0, known: 0, of: 0 };
        const its = ["usage", ...path, name];
        figures.set([...its, "mean"], known === 0 ? null : total / known);
        figures.set([...its, "known"], known);
        figures.set([...its, "of"], of);
      }
    }
  }
}
