import type { PlannedTrial, TrialUsage } from "../artefacts/trial.ts";
import type { TrialOnDisk } from "../report/outcome.ts";
import { endedTrial, verdictOf } from "./trials.ts";

/** By benchmark and arm, a sign per trial: `+` passed, `-` failed, `?` no verdict, `!` void after three attempts, `.` not done. */
export type TrialTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Over = {
  readonly skill?: string;
  readonly model?: string;
  readonly usage?: (planned: PlannedTrial) => Partial<TrialUsage>;
  /** Of every trial that failed or has no verdict. */
  readonly reason?: string | null;
};

/** What a report reads of a campaign with these trials. */
export function trialEntries(
  table: TrialTable,
  { skill = "sample", model = "a/x", usage = () => ({}), reason = null }: Over = {},
): readonly TrialOnDisk[] {
  return Object.entries(table).flatMap(([benchmark, arms], at) =>
    Object.entries(arms).flatMap(([arm, signs]) =>
      Array.from(signs, (sign, trial): TrialOnDisk => {
        const n = trial + 1;
        const planned = { skill, benchmark, model, arm, n, block: 100 * at + n, key: "k", seed: 7 };
        if (sign === "." || sign === "!")
          return { planned, trial: null, verdict: null, voids: sign === "!" ? 3 : 0 };
        const verdict =
          sign === "+" ? verdictOf("passed") : verdictOf(sign === "-" ? "failed" : "ungraded", reason);
        return { planned, trial: endedTrial(planned, { usage: usage(planned) }), verdict, voids: 0 };
      }),
    ),
  );
}
