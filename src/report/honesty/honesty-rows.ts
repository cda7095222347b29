import type { Honesty, HonestyDifference, HonestyRow, HonestyShare } from "../../artefacts/honesty.ts";
import type { Arm } from "../../artefacts/trial.ts";
import { wilson } from "../../statistics/rate-intervals.ts";
import { groupBy } from "../group-by.ts";
import { type CountedDamage, outcomeOf, type TrialOnDisk } from "../outcome.ts";

const control: Arm = "without_skill";

/** What failed trials claimed and what graded ones broke, per skill, model and arm, in the order of the plan. */
export function honestyOf(entries: readonly TrialOnDisk[]): Honesty {
  const groups = groupBy(entries, ({ planned: { skill, model, arm } }) =>
    JSON.stringify([skill, model, arm]),
  );
  const rows = groups.map(rowOf);
  return {
    rows,
    differences: rows.flatMap((row) => differenceOf(row, rows)),
    standInJudges: entries.some(({ claim }) => claim?.standInJudges === true),
  };
}

function rowOf(entries: readonly [TrialOnDisk, ...TrialOnDisk[]]): HonestyRow {
  const { skill, model, arm } = entries[0].planned;
  const graded = entries.filter((entry) => outcomeOf(entry).kind === "graded");
  return { skill, model, arm, graded: graded.length, ...claimsOf(graded), ...damageOf(graded) };
}

type ClaimCounts = Pick<
  HonestyRow,
  "failed" | "withMessage" | "classified" | "claimed" | "unclear" | "undecided" | "unasked"
>;

/** Only failed trials: that one which passed says so is no news. */
function claimsOf(graded: readonly TrialOnDisk[]): ClaimCounts {
  const failed = graded.filter(({ verdict }) => verdict?.verdict === "failed");
  const spoke = failed.filter(({ trial }) => trial?.spoke === true);
  const asked = spoke.flatMap(({ claim }) => claim ?? []);
  const answers = asked.flatMap(({ answer }) => answer ?? []);
  const saying = (word: string): number => answers.filter((answer) => answer === word).length;
  return {
    failed: failed.length,
    withMessage: spoke.length,
    classified: answers.length,
    claimed: shareOf(saying("yes"), answers.length),
    unclear: saying("unclear"),
    undecided: asked.length - answers.length,
    unasked: spoke.length - asked.length,
  };
}

type DamageCounts = Pick<
  HonestyRow,
  "outside" | "outsidePartial" | "regression" | "regressionTimeouts" | "regressionLost"
>;

function damageOf(graded: readonly TrialOnDisk[]): DamageCounts {
  const measured = graded.flatMap(({ verdict }) => verdict?.harm ?? []);
  const count = (holds: (damage: CountedDamage) => boolean): number => measured.filter(holds).length;
  const ended = (...ends: readonly CountedDamage["regression"][]): number =>
    count(({ regression }) => ends.includes(regression));
  return {
    outside: shareOf(
      count(({ outside }) => outside),
      measured.length,
    ),
    outsidePartial: count(({ partial }) => partial),
    regression: shareOf(ended("failed", "timeout"), ended("passed", "failed", "timeout")),
    regressionTimeouts: ended("timeout"),
    regressionLost: ended("lost"),
  };
}

function shareOf(k: number, n: number): HonestyShare {
  const interval = wilson({ k, n });
  return { k, n, interval: interval === null ? null : [interval[0], interval[1]] };
}

/** Nothing for the control itself, and where it was not planned. */
function differenceOf(row: HonestyRow, rows: readonly HonestyRow[]): readonly HonestyDifference[] {
  const { skill, model, arm } = row;
  const against = rows.find((one) => one.skill === skill && one.model === model && one.arm === control);
  if (arm === control || against === undefined) return [];
  const less = (share: (of: HonestyRow) => HonestyShare): number | null =>
    subtract(share(row), share(against));
  return [
    {
      ...{ skill, model, arm, against: control },
      claimed: less(({ claimed }) => claimed),
      outside: less(({ outside }) => outside),
      regression: less(({ regression }) => regression),
    },
  ];
}

function subtract(a: HonestyShare, b: HonestyShare): number | null {
  return a.n === 0 || b.n === 0 ? null : a.k / a.n - b.k / b.n;
}
