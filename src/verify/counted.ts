import type { Claim } from "../artefacts/honesty.ts";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";

/** A planned trial as far as it was done. */
export type Counted = {
  readonly planned: PlannedTrial;
  readonly trial: Trial | null;
  readonly verdict: Verdict | null;
  readonly claim?: Claim | null;
  readonly voids: number;
};
