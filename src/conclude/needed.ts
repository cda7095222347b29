import type { AnalysisRow, AnalysisSettings, Evidence } from "../artefacts/analysis.ts";
import type { Conclusion } from "../artefacts/conclusion.ts";
import { counted, percent, size } from "./words.ts";

/** What would settle a question that stayed open, from the spread that these trials show. */
export function takeOf(
  question: Conclusion["question"],
  {
    evidence,
    row,
    settings,
  }: { readonly evidence: Evidence; readonly row: AnalysisRow; readonly settings: AnalysisSettings },
): string {
  const with_ = `with ${percent(settings.power)} power`;
  if (question === "set") {
    const { target, trialsPerArm } = evidence.set.needed;
    const now = row.cells === 0 ? 0 : (row.treated.graded + row.control.graded) / (2 * row.cells);
    if (trialsPerArm <= now) return beyondOne(`${Number(now.toFixed(1))} trials per arm and cell`);
    return `About ${counted(trialsPerArm, "trial")} per arm and cell would find ${size(target)} in this set ${with_}; there are ${Number(now.toFixed(1))}.`;
  }
  const { needed } = evidence.tasks;
  if (needed === null && evidence.uplift === 0)
    return "Tasks that tell the arms apart: on these all differences are equal.";
  if (needed === null) return beyondOne(counted(row.tasks, "task"));
  if (needed.tasks <= row.tasks) return beyondOne(counted(row.tasks, "task"));
  return `About ${counted(needed.tasks, "task")} would find ${size(needed.target)} ${with_}, as far as these differ; there are ${row.tasks}.`;
}

function beyondOne(now: string): string {
  return `More than the ${now}: they would do for one hypothesis and a normal test, and the family or the exact test asks for more.`;
}
