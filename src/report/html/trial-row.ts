import type { PlannedTrial } from "../../artefacts/trial.ts";
import { outcomeOf, type TrialOnDisk } from "../outcome.ts";
import { trialHref } from "./links.ts";

/** One planned trial as the report's list shows it. */
export type TrialRow = {
  readonly planned: PlannedTrial;
  readonly verdict: "passed" | "failed" | "ungraded";
  /** Why it is ungraded, or failed where that is no plain verdict of the grader; null otherwise. */
  readonly reason: string | null;
  /** Address of its page, seen from the report's; null where it has none. */
  readonly href: string | null;
};

/** `pages`: whether trials have pages of their own beside the report; those that are not done yet too. */
export function trialRowOf(entry: TrialOnDisk, pages: boolean): TrialRow {
  const { planned, verdict } = entry;
  const outcome = outcomeOf(entry);
  const href = pages ? trialHref(planned) : null;
  if (outcome.kind === "ungraded") return { planned, verdict: "ungraded", reason: outcome.reason, href };
  const reason = outcome.passed ? null : (verdict?.reason ?? null);
  return { planned, verdict: outcome.passed ? "passed" : "failed", reason, href };
}
