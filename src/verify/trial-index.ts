import { type PlannedTrial, trialName } from "../artefacts/trial.ts";

/** Where each planned trial stands in the plan, by its name. */
export type TrialIndex = ReadonlyMap<string, number>;

export function indexTrials(trials: readonly PlannedTrial[]): TrialIndex {
  return new Map(trials.map((planned, at) => [trialName(planned), at]));
}
