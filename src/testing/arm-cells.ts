import { type AnalysisSettings, analysisSettingsSchema, type ArmCell } from "../artefacts/analysis.ts";
import { expect } from "vitest";
import type { z } from "zod";
import type { Tally } from "../artefacts/tally.ts";

/**
 * Cells of one skill and model. By task the counts of each arm in order: `5/5 0/5` for passed / graded, `0/1/5` where
 * five were planned and one has a verdict.
 */
export function armCells(
  arms: readonly string[],
  tasks: Readonly<Record<string, string>>,
  { skill = "skill", model = "model" }: { readonly skill?: string; readonly model?: string } = {},
): readonly ArmCell[] {
  return Object.entries(tasks).map(([benchmark, counts]) => ({
    skill,
    benchmark,
    model,
    arms: Object.fromEntries(counts.split(" ").map((one, at) => [arms[at] ?? "", tallyOf(one)])),
  }));
}

function tallyOf(counts: string): Tally {
  const [passed = NaN, graded = NaN, planned = graded] = counts.split("/").map(Number);
  return { passed, graded, planned };
}

/** Tasks `t1`, `t2`, …: so many times these counts, then so many times the next. */
export function alike(
  ...groups: readonly (readonly [times: number, counts: string])[]
): Record<string, string> {
  const all = groups.flatMap(([times, counts]) => Array.from({ length: times }, () => counts));
  return Object.fromEntries(all.map((counts, at) => [`t${at + 1}`, counts]));
}

export function settingsOf(raw: z.input<typeof analysisSettingsSchema> = {}): AnalysisSettings {
  return analysisSettingsSchema.parse(raw);
}

/** Equal but for what the order of a sum leaves in the last digits; for `toEqual`. */
export function nearly(value: unknown): unknown {
  if (typeof value === "number") return expect.closeTo(value, 9);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(nearly);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, nearly(one)]));
}
