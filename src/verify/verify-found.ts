import { checkModel, checkStart, checkTask } from "./check-arms.ts";
import { checkClaims } from "./check-claims.ts";
import { checkIsolation } from "./check-isolation.ts";
import { checkBenchmarks, checkSkills } from "./check-material.ts";
import { checkPrices, checkUnavailable } from "./check-money.ts";
import { checkConclusions } from "./check-conclusions.ts";
import { checkLooks } from "./check-looks.ts";
import { checkPlan, checkPlanFirst } from "./check-plan.ts";
import { checkRecords } from "./check-records.ts";
import { checkBytes, checkNumbers, checkReportHead } from "./check-report.ts";
import { checkSections } from "./check-sections.ts";
import { checkSettled } from "./check-settled.ts";
import { checkRubric, checkSnapshots, checkVerdicts } from "./check-verdicts.ts";
import { type Chain, walkChain } from "./chain.ts";
import type { CampaignFound } from "./found.ts";
import { ofAllEvidence } from "./report-line.ts";
import type { CheckName, CheckOutcome, Verification } from "../artefacts/verification.ts";
import type { Look } from "./look.ts";

const checks: readonly (readonly [CheckName, (found: CampaignFound, chain: Chain) => Look])[] = [
  ["chain-links", checkLinks],
  ["published-head", checkHead],
  ["plan-frozen", checkPlan],
  ["plan-before-data", checkPlanFirst],
  ["looks-kept", checkLooks],
  ["records", checkRecords],
  ["settled", checkSettled],
  ["snapshots", checkSnapshots],
  ["verdicts-follow", checkVerdicts],
  ["claims-follow", checkClaims],
  ["skills-unchanged", checkSkills],
  ["benchmarks-unchanged", checkBenchmarks],
  ["sections-kept", checkSections],
  ["same-start", checkStart],
  ["same-task", checkTask],
  ["same-model", checkModel],
  ["arms-isolated", checkIsolation],
  ["rubric-unchanged", checkRubric],
  ["prices", checkPrices],
  ["unavailable-is-null", checkUnavailable],
  ["report-head", checkReportHead],
  ["report-numbers", ofAllEvidence(checkNumbers)],
  ["conclusions-follow", ofAllEvidence(checkConclusions)],
  ["report-bytes", ofAllEvidence(checkBytes)],
];

/**
 * Holds a campaign's records against each other and against its evidence. Whoever can write all of it can make all of
 * it fit: only a head that was published elsewhere tells then.
 */
export function verifyFound(found: CampaignFound): Verification {
  const chain = walkChain(found.lines);
  const looked = checks.map(([name, check]) => ({ name, look: check(found, chain) }));
  const findings = looked.flatMap(({ name, look }) =>
    look.differences.map((difference) => ({ check: name, ...difference })),
  );
  return {
    passed: findings.length === 0,
    head: chain.head,
    findings,
    checks: looked.map(({ name, look }) => ({ name, outcome: outcomeOf(look), words: look.words })),
  };
}

function outcomeOf({ differences, partial = false }: Look): CheckOutcome {
  if (differences.length > 0) return "failed";
  return partial ? "not_compared" : "passed";
}

function checkLinks({ lines, torn }: CampaignFound, { differences }: Chain): Look {
  const rest = torn ? "; a part of a line that a kill left behind them counts for nothing" : "";
  return {
    differences,
    words: `${lines.length} line(s) of evidence.jsonl, each against the one before${rest}`,
  };
}

function checkHead({ publishedHead }: CampaignFound, { head }: Chain): Look {
  if (publishedHead === null) {
    const words = "no head to compare with: give the one that was published, --head HASH";
    return { differences: [], words, partial: true };
  }
  const words = "the published head against the last line of evidence.jsonl";
  if (head === publishedHead) return { differences: [], words };
  const came = `${head ?? "none"}: other lines than those that were published`;
  return { differences: [{ place: "evidence.jsonl", expected: publishedHead, came }], words };
}
