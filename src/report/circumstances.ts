import type { Report, VoidRate } from "../artefacts/report.ts";
import type { Arm } from "../artefacts/trial.ts";
import { groupBy } from "./group-by.ts";
import { outcomeOf, type TrialOnDisk, trialName } from "./outcome.ts";

/** How trials ended, what was lost and what could not be graded, per arm: a reader must see if arms differ. */
export function circumstancesOf(
  entries: readonly TrialOnDisk[],
): Pick<Report, "stops" | "ungraded" | "notComparable" | "graderErrors" | "voids" | "leftOut"> {
  const stopped = entries.flatMap(({ planned, trial }) =>
    trial?.outcome.kind === "ended" ? [{ arm: planned.arm, stop: trial.outcome.stop }] : [],
  );
  const ungraded = entries.flatMap((entry) => {
    const outcome = outcomeOf(entry);
    if (outcome.kind === "graded") return [];
    const { cause, reason } = outcome;
    return [{ trial: trialName(entry.planned), arm: entry.planned.arm, cause, reason }];
  });
  return {
    stops: groupBy(stopped, ({ arm, stop }) => `${arm} ${stop}`).map((group) => ({
      ...group[0],
      trials: group.length,
    })),
    ungraded,
    notComparable: notComparableOf(entries),
    graderErrors: groupBy(entries, ({ planned }) => planned.arm).map((group) => ({
      arm: group[0].planned.arm,
      trials: group.filter(({ verdict }) => verdict?.reason?.startsWith("grader_error") === true).length,
    })),
    voids: voidsOf(entries),
    leftOut: leftOutOf(entries),
  };
}

/** Per model and arm. */
export function voidsOf(entries: readonly TrialOnDisk[]): VoidRate[] {
  return groupBy(entries, ({ planned }) => JSON.stringify([planned.model, planned.arm])).map((group) => {
    const { model, arm } = group[0].planned;
    const lost = group.reduce((sum, { voids }) => sum + voids, 0);
    return { model, arm, lost, attempts: lost + group.filter(({ trial }) => trial !== null).length };
  });
}

/** An input filter may dislike the skill's text: the other arm alone says nothing then. */
function notComparableOf(entries: readonly TrialOnDisk[]): Report["notComparable"] {
  return groupBy(entries, ({ planned }) => String(planned.block)).flatMap((block) => {
    const blocked = block.flatMap(({ planned, trial }): Arm[] =>
      trial?.outcome.kind === "blocked" ? [planned.arm] : [],
    );
    if (blocked.length === 0 || blocked.length === block.length) return [];
    const { skill, benchmark, model, n } = block[0].planned;
    return [{ block: `${skill}/${benchmark}/${model}/${n}`, blocked }];
  });
}

/** Where a trial was graded by less than its agent left. */
function leftOutOf(entries: readonly TrialOnDisk[]): Report["leftOut"] {
  const taken = entries.flatMap(({ planned, trial }) =>
    trial?.outcome.kind === "ended" ? [{ planned, words: trial.outcome.snapshot.leftOut }] : [],
  );
  const trials = taken.flatMap(({ planned, words }) =>
    words === undefined ? [] : [{ trial: trialName(planned), arm: planned.arm, words }],
  );
  return { snapshots: taken.length, trials };
}
