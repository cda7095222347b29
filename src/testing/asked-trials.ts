import type { Plan } from "../artefacts/plan.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import type { FakeLogEntry } from "./fake-openrouter.mjs";
import { marker } from "./sample-campaign.ts";

/** A request of a sample campaign's agent, and the trial it was made for. */
export type Asked = { readonly trial: PlannedTrial; readonly entry: FakeLogEntry };

/** What agents asked a fake server, in its order: a seed names the block, the skill's marker the arm. */
export function askedTrials(plan: Plan, log: readonly FakeLogEntry[]): Asked[] {
  return log
    .filter(({ path }) => path.endsWith("chat/completions"))
    .map((entry) => {
      const arm = JSON.stringify(entry.body["messages"]).includes(marker) ? "with_skill" : "without_skill";
      const trial = plan.trials.find((planned) => planned.seed === entry.body["seed"] && planned.arm === arm);
      if (trial === undefined) throw new Error(`request ${entry.n} is of no planned trial`);
      return { trial, entry };
    });
}
