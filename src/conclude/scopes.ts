import type { Level } from "../artefacts/analysis.ts";
import { groupBy } from "./group-by.ts";
import { isUsable, type Pair } from "./pairs.ts";
import type { Averaging } from "./units.ts";

/** Which pairs a row is about. */
export type Scope = {
  readonly level: Level;
  readonly skill: string | null;
  readonly model: string | null;
  readonly taskClass: string | null;
};

/** `usable`: those of `pairs` that have a verdict in both arms. */
export type ScopedPairs = Scope & { readonly pairs: readonly Pair[]; readonly usable: readonly Pair[] };

/** Levels at which hypotheses are tested. The others describe. */
export const confirmatory: readonly Level[] = ["skill-model", "class", "skill"];

export function averagingOf(level: Level): Averaging {
  switch (level) {
    case "skill-model":
    case "class":
    case "skill":
      return "tasks";
    case "model":
    case "micro":
      return "cells";
    case "macro":
      return "skills";
  }
}

/** Every row that the pairs of one comparison give. */
export function scopesOf(pairs: readonly Pair[]): readonly ScopedPairs[] {
  if (pairs.length === 0) return [];
  const usable = pairs.filter(isUsable);
  const all = { skill: null, model: null, taskClass: null };
  const by = (level: Level, keyOf: (pair: Pair) => Omit<Scope, "level">): readonly ScopedPairs[] =>
    groupBy(pairs, (pair) => JSON.stringify(keyOf(pair))).map((group) => ({
      level,
      ...keyOf(group[0]),
      pairs: group,
      usable: group.filter(isUsable),
    }));
  return [
    ...by("skill-model", ({ skill, model }) => ({ skill, model, taskClass: null })),
    ...by("class", ({ skill, taskClass }) => ({ skill, model: null, taskClass })).filter(
      ({ taskClass }) => taskClass !== null,
    ),
    ...by("skill", ({ skill }) => ({ skill, model: null, taskClass: null })),
    ...by("model", ({ model }) => ({ skill: null, model, taskClass: null })),
    { level: "micro", ...all, pairs, usable },
    { level: "macro", ...all, pairs, usable },
  ];
}

export function scopeKey({ level, skill, model, taskClass }: Scope): string {
  return JSON.stringify([level, skill, model, taskClass]);
}
