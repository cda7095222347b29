import type { Report } from "../artefacts/report.ts";

/** Of how many snapshots something is missing; a reader must see whether arms differ in it. */
export function leftOutSummary({ snapshots, trials }: Report["leftOut"]): string {
  if (trials.length === 0) return `None of ${snapshots} snapshots was over a limit of the sandbox.`;
  return (
    `${trials.length} of ${snapshots} snapshots were over a limit of the sandbox. Their trials were graded without what ` +
    "was left out:"
  );
}
