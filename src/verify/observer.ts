import type { CampaignFound, TrialFound } from "./found.ts";
import type { Look } from "./look.ts";

/**
 * A check at work. `see` is called once for every planned trial, in the plan's order; then `look` is, once. There may be a
 * hundred thousand trials: what is kept of one is a count or a difference, never the trial.
 */
export type Observer = {
  readonly see: (one: TrialFound) => void;
  readonly look: () => Look;
};

export type Check = (found: CampaignFound) => Observer;

/** A check that looks at no trial. */
export function withoutTrials(check: (found: CampaignFound) => Look): Check {
  return (found) => ({ see: () => undefined, look: () => check(found) });
}
