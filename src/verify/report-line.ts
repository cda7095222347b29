import { z } from "zod";
import { timingsSchema } from "../artefacts/timings.ts";
import { sha256 } from "../hash.ts";
import type { Chain } from "./chain.ts";
import type { CampaignFound } from "./found.ts";
import type { Look } from "./look.ts";

const headSchema = z.object({ evidenceHead: timingsSchema.shape.evidenceHead });

/**
 * The 1-based line that the report was made at, where others came behind it since; null when it is of the last line, of
 * none, or cannot be read.
 */
export function earlierLine(
  { report, lines }: Pick<CampaignFound, "report" | "lines">,
  { head }: Pick<Chain, "head">,
): number | null {
  const came = headIn(report["timings.json"] ?? null);
  if (came === null || came === head) return null;
  const at = lines.findIndex((line) => sha256(line) === came);
  return at === -1 ? null : at + 1;
}

function headIn(text: string | null): string | null {
  try {
    return headSchema.parse(JSON.parse(text ?? "null")).evidenceHead;
  } catch {
    return null; // told by report-head
  }
}

/** Looks at a report only where it is of all the evidence: otherwise every figure of it may differ, for one reason. */
export function ofAllEvidence(
  check: (found: CampaignFound) => Look,
): (found: CampaignFound, chain: Chain) => Look {
  return (found, chain) => {
    const line = earlierLine(found, chain);
    if (line === null) return check(found);
    const words = `not compared: the report is of an earlier line, ${line} of ${found.lines.length}`;
    return { differences: [], words, partial: true };
  };
}
