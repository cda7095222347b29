import type { Report } from "../../artefacts/report.ts";

/** Why a report has no conclusion; the rest of the sentence is about what stands on its page. */
export function withoutConclusion({ looks }: Pick<Report, "looks">): string {
  return looks !== null && !looks.ended
    ? "with looks nothing is concluded between them"
    : "the plan has no hypothesis, or this report counts by another rule than the plan's";
}
