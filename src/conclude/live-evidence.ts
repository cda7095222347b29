import type { Comparison } from "../artefacts/analysis.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import { eValue } from "../statistics/e-value.ts";

/** What may be asked for at any moment without spoiling the analysis. */
export type LiveReading = {
  /** Pairs of one block that differ, in favour of the arm and of the control. */
  readonly better: number;
  readonly worse: number;
  /** Pairs in which both arms have a verdict. */
  readonly pairs: number;
  /** Two-sided; 20 and more would come up in at most one campaign of 20 without an effect, however often one looks. */
  readonly e: number;
};

/**
 * Evidence of the pairs that are finished, for those who watch a campaign: an e-value, which stays valid whenever it is
 * looked at. It decides nothing; conclusions are the plan's. Null where the plan compares nothing.
 */
export class LiveEvidence {
  private readonly comparison: Comparison;
  private readonly open = new Map<string, { readonly arm: string; readonly passed: boolean }>();
  private better = 0;
  private worse = 0;
  private pairs = 0;

  private constructor(comparison: Comparison) {
    this.comparison = comparison;
  }

  static of(comparison: Comparison | undefined): LiveEvidence | null {
    return comparison === undefined ? null : new LiveEvidence(comparison);
  }

  /** Each trial once; one without a verdict makes no pair. */
  see(planned: PlannedTrial, { verdict }: Pick<Verdict, "verdict">): void {
    if (verdict !== "ungraded") this.add(planned, verdict === "passed");
  }

  private add({ skill, benchmark, model, n, arm }: PlannedTrial, passed: boolean): void {
    const { arm: treated, against } = this.comparison;
    if (arm !== treated && arm !== against) return;
    const block = JSON.stringify([skill, benchmark, model, n]);
    const other = this.open.get(block);
    if (other === undefined || other.arm === arm) {
      this.open.set(block, { arm, passed });
      return;
    }
    this.open.delete(block);
    this.pairs++;
    const [withIt, without] = arm === treated ? [passed, other.passed] : [other.passed, passed];
    if (withIt && !without) this.better++;
    if (without && !withIt) this.worse++;
  }

  read(): LiveReading {
    const { better, worse, pairs } = this;
    return { better, worse, pairs, e: eValue(better, worse).e };
  }
}

/** For the line of progress; empty before the first pair. */
export function liveWords({ better, worse, pairs, e }: LiveReading): string {
  if (pairs === 0) return "";
  const value = e >= 100 ? e.toExponential(1) : e.toFixed(1);
  return `; so far ${better} better, ${worse} worse of ${pairs} pair(s), e-value ${value}`;
}
