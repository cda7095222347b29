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
import type { CampaignFound, TrialFound } from "./found.ts";
import { ofAllEvidence } from "./report-line.ts";
import type { CheckName, CheckOutcome, Verification } from "../artefacts/verification.ts";
import type { Look } from "./look.ts";
import { type Check, withoutTrials } from "./observer.ts";

const checks: readonly (readonly [CheckName, Check])[] = [
  ["chain-links", withoutTrials(checkLinks)],
  ["published-head", withoutTrials(checkHead)],
  ["plan-frozen", withoutTrials(checkPlan)],
  ["plan-before-data", withoutTrials(checkPlanFirst)],
  ["looks-kept", checkLooks],
  ["records", checkRecords],
  ["settled", checkSettled],
  ["snapshots", checkSnapshots],
  ["verdicts-follow", checkVerdicts],
  ["claims-follow", checkClaims],
  ["skills-unchanged", withoutTrials(checkSkills)],
  ["benchmarks-unchanged", withoutTrials(checkBenchmarks)],
  ["sections-kept", withoutTrials(checkSections)],
  ["same-start", checkStart],
  ["same-task", checkTask],
  ["same-model", checkModel],
  ["arms-isolated", checkIsolation],
  ["rubric-unchanged", checkRubric],
  ["prices", withoutTrials(checkPrices)],
  ["unavailable-is-null", checkUnavailable],
  ["report-head", withoutTrials(checkReportHead)],
  ["report-numbers", ofAllEvidence(checkNumbers)],
  ["conclusions-follow", ofAllEvidence(checkConclusions)],
  ["report-bytes", ofAllEvidence(withoutTrials(checkBytes))],
];

/**
 * Holds a campaign's records against each other and against its evidence. `trials`: one for each that is planned, in the
 * plan's order; each is taken once and let go before the next. Whoever can write all of it can make all of it fit: only a
 * head that was published elsewhere tells then.
 */
export async function verifyFound(
  found: CampaignFound,
  trials: Iterable<TrialFound> | AsyncIterable<TrialFound>,
): Promise<Verification> {
  const open = openVerification(found);
  for await (const one of trials) open.see(one);
  return open.close();
}

export type OpenVerification = {
  readonly see: (one: TrialFound) => void;
  /** After the last trial. */
  readonly close: () => Verification;
};

/** The same for whoever has the trials at hand. */
export function openVerification(found: CampaignFound): OpenVerification {
  const observers = checks.map(([name, check]) => ({ name, observer: check(found) }));
  return {
    see: (one) => {
      for (const { observer } of observers) observer.see(one);
    },
    close: () => {
      const looked = observers.map(({ name, observer }) => ({ name, look: observer.look() }));
      const findings = looked.flatMap(({ name, look }) =>
        look.differences.map((difference) => ({ check: name, ...difference })),
      );
      return {
        passed: findings.length === 0,
        head: found.chain.head,
        findings,
        checks: looked.map(({ name, look }) => ({ name, outcome: outcomeOf(look), words: look.words })),
      };
    },
  };
}

function outcomeOf({ differences, partial = false }: Look): CheckOutcome {
  if (differences.length > 0) return "failed";
  return partial ? "not_compared" : "passed";
}

function checkLinks({ chain, torn }: CampaignFound): Look {
  const rest = torn ? "; a part of a line that a kill left behind them counts for nothing" : "";
  return {
    differences: chain.differences,
    words: `${chain.lines} line(s) of evidence.jsonl, each against the one before${rest}`,
  };
}

function checkHead({ publishedHead, chain: { head } }: CampaignFound): Look {
  if (publishedHead === null) {
    const words = "no head to compare with: give the one that was published, --head HASH";
    return { differences: [], words, partial: true };
  }
  const words = "the published head against the last line of evidence.jsonl";
  if (head === publishedHead) return { differences: [], words };
  const came = `${head ?? "none"}: other lines than those that were published`;
  return { differences: [{ place: "evidence.jsonl", expected: publishedHead, came }], words };
}
