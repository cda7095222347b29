import type { CampaignFound } from "./found.ts";
import { type Check, withoutTrials } from "./observer.ts";

/**
 * The 1-based line that the report was made at, where others came behind it since; null when it is of the last line, of
 * none, or cannot be read.
 */
export function earlierLine({ report, chain }: Pick<CampaignFound, "report" | "chain">): number | null {
  return report.head === null || report.head === chain.head ? null : chain.soughtLine;
}

/** Looks at a report only where it is of all the evidence: otherwise every figure of it may differ, for one reason. */
export function ofAllEvidence(check: Check): Check {
  return (found) => {
    const line = earlierLine(found);
    if (line === null) return check(found);
    const words = `not compared: the report is of an earlier line, ${line} of ${found.chain.lines}`;
    return withoutTrials(() => ({ differences: [], words, partial: true }))(found);
  };
}
