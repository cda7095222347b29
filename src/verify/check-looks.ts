import { trialName } from "../artefacts/trial.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Check, withoutTrials } from "./observer.ts";

/** Nothing was made that the plan's looks had not released: more trials after a stop could be chosen by what they show. */
export const checkLooks: Check = (found) => {
  const { plan, released } = found;
  if ((plan.analysis?.looks ?? null) === null) {
    const words = "the plan has no looks: all of its trials are to be made";
    return withoutTrials(() => ({ differences: [], words }))(found);
  }
  const differences: Difference[] = [];
  return {
    see: ({ planned, trial }) => {
      if (trial.kind === "absent" || released.has(planned.key)) return;
      differences.push({
        place: `trials/${trialName(planned)}`,
        expected: "nothing: by the verdicts that lie here the looks had not released it",
        came: "a trial",
      });
    },
    look: () => ({
      differences,
      words: `trials that are there against the ${released.size} of ${plan.trials.length} that the looks released`,
    }),
  };
};
