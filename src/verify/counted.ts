import type { Claim } from "../artefacts/honesty.ts";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import { type TrialFound, valueOf } from "./found.ts";

/** A planned trial as far as it was done. */
export type Counted = {
  readonly planned: PlannedTrial;
  readonly trial: Trial | null;
  readonly verdict: Verdict | null;
  readonly claim?: Claim | null;
  readonly voids: number;
};

export function countedOf({ planned, trial, verdict, claim, voids }: TrialFound): Counted {
  return { planned, trial: valueOf(trial), verdict: valueOf(verdict), claim: valueOf(claim), voids };
}
