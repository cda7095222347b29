import { trialName } from "../artefacts/trial.ts";
import type { CampaignFound } from "./found.ts";
import type { Look } from "./look.ts";

/** Nothing was made that the plan's looks had not released: more trials after a stop could be chosen by what they show. */
export function checkLooks({ plan, trials, released }: CampaignFound): Look {
  if ((plan.analysis?.looks ?? null) === null)
    return { differences: [], words: "the plan has no looks: all of its trials are to be made" };
  const beyond = trials.filter(({ planned, trial }) => trial.kind !== "absent" && !released.has(planned.key));
  return {
    differences: beyond.map(({ planned }) => ({
      place: `trials/${trialName(planned)}`,
      expected: "nothing: by the verdicts that lie here the looks had not released it",
      came: "a trial",
    })),
    words: `trials that are there against the ${released.size} of ${trials.length} that the looks released`,
  };
}
