import type { AnalysisSettings } from "./artefacts/analysis.ts";
import type { Look, ReportedLooks } from "./artefacts/looks.ts";
import type { Plan } from "./artefacts/plan.ts";
import type { PlannedTrial, Trial } from "./artefacts/trial.ts";
import type { Verdict } from "./artefacts/verdict.ts";
import { type Ending, type Frontier, frontierOf, settingsAt } from "./conclude/frontier.ts";
import { awaitsJudges } from "./grade/verdict.ts";
import { outcomeOf, type TrialOnDisk } from "./report/outcome.ts";
import { isLeaky } from "./report/leaks.ts";

/** What became of a trial; null while the same command would work on it again. */
export function endingOf(trial: Pick<Trial, "outcome"> | null, verdict: Verdict | null): Ending | null {
  if (trial === null) return null;
  if (trial.outcome.kind === "blocked") return "none";
  if (verdict === null || awaitsJudges(verdict)) return null;
  return verdict.verdict === "ungraded" ? "none" : verdict.verdict;
}

/** The frontier of a plan; of one without hypotheses or looks, all of it. */
export function campaignFrontier(plan: Plan, ending: (trial: PlannedTrial) => Ending | null): Frontier {
  const leaky = new Set(
    plan.benchmarks
      .filter((benchmark) => plan.leaky === "exclude" && isLeaky(benchmark))
      .map(({ skill, benchmark }) => JSON.stringify([skill, benchmark])),
  );
  const counts = ({ skill, benchmark }: Pick<PlannedTrial, "skill" | "benchmark">): boolean =>
    !leaky.has(JSON.stringify([skill, benchmark]));
  if (plan.analysis === null)
    return { released: plan.trials, looks: [], ended: false, settledCells: 0, cells: 0 };
  return frontierOf(plan.trials, plan.analysis, { endingOf: ending, counts });
}

/** Says which of a plan's trials are to be made next, while they come to their ends. */
export class CampaignLooks {
  private readonly plan: Plan;
  private readonly endings = new Map<PlannedTrial["key"], Ending>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  see({ key }: PlannedTrial, ending: Ending | null): void {
    if (ending !== null) this.endings.set(key, ending);
  }

  /** Trials to work on now, in order; and the looks that led here. */
  next(): {
    readonly open: readonly PlannedTrial[];
    readonly looks: readonly Look[];
    readonly ended: boolean;
  } {
    const { released, looks, ended } = campaignFrontier(
      this.plan,
      ({ key }) => this.endings.get(key) ?? null,
    );
    return { open: released.filter(({ key }) => !this.endings.has(key)), looks, ended };
  }

  /** Those of `left` that may be made at most, for an estimate: no further look stops anything, no cell settles. */
  atMost(left: readonly PlannedTrial[]): readonly PlannedTrial[] {
    const { released, ended } = campaignFrontier(this.plan, ({ key }) => this.endings.get(key) ?? null);
    if (ended) {
      // The look that ended it released all that is ever made.
      const keys = new Set(released.map(({ key }) => key));
      return left.filter(({ key }) => keys.has(key));
    }
    const trials = this.plan.analysis?.looks?.trials ?? Infinity;
    return left.filter(({ n }) => n <= trials);
  }
}

/** Of a report's entries. */
export function frontierOnDisk(plan: Plan, entries: readonly TrialOnDisk[]): Frontier {
  const endings = new Map(entries.map((entry) => [entry.planned.key, endingOnDisk(entry)]));
  return campaignFrontier(plan, ({ key }) => endings.get(key) ?? null);
}

function endingOnDisk(entry: TrialOnDisk): Ending | null {
  const outcome = outcomeOf(entry);
  if (outcome.kind === "graded") return outcome.passed ? "passed" : "failed";
  return outcome.cause === "missing" || outcome.cause === "judges_unreached" ? null : "none";
}

/** The entries that a report counts. */
export function releasedOf<T extends { readonly planned: PlannedTrial }>(
  entries: readonly T[],
  { released }: Frontier,
): readonly T[] {
  const keys = new Set(released.map(({ key }) => key));
  return entries.filter(({ planned }) => keys.has(planned.key));
}

/** The settings to conclude by. Null between looks, where nothing is concluded. */
export function analysisAt({ analysis }: Plan, { looks, ended }: Frontier): AnalysisSettings | null {
  if (analysis === null || analysis.looks === null) return analysis;
  const last = looks.at(-1);
  return ended && last !== undefined ? settingsAt(analysis, last.look) : null;
}

export function reportedLooks({ analysis, trials }: Plan, frontier: Frontier): ReportedLooks | null {
  const settings = analysis?.looks ?? null;
  if (settings === null) return null;
  const { released, looks, ended, settledCells, cells } = frontier;
  const atMost = trials.filter(({ n }) => n <= settings.trials).length;
  return {
    ...{ settings, taken: [...looks], ended, atMost, settledCells, cells },
    notReleased: atMost - released.length,
  };
}

/** For the line of progress. */
export function lookWords({ look, blocks, ofBlocks, nominalP, rows, stops }: Look): string {
  const said = rows.map(({ skill, arm, against, kind }) => {
    return `${skill}, ${arm} against ${against}: ${kind.replaceAll("_", " ")}`;
  });
  const end = stops ? "; no further trial is begun" : "";
  return `look ${look} after ${blocks} of at most ${ofBlocks} blocks, p at most ${nominalP.toPrecision(2)}: ${said.join("; ")}${end}`;
}
