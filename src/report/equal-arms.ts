import type { Cell, Report } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import { groupBy } from "./group-by.ts";
import { points, rate } from "./headline.ts";

/** What an arm and its repetition differ by. Fractions; tasks weigh alike, models alike inside a task. */
type EqualArms = {
  readonly skill: string;
  /** Null for all models. */
  readonly model: string | null;
  readonly arm: string;
  readonly against: string;
  readonly difference: number;
  readonly cells: number;
  readonly passed: readonly [Tally, Tally];
};

type Pair = Pick<EqualArms, "skill" | "model" | "arm" | "against"> & {
  readonly benchmark: string;
  readonly tallies: readonly [Tally, Tally];
};

/** Of every arm `X@label` beside `X`, per skill and model and per skill; cells without a verdict in one are left out. */
export function equalArmsOf(cells: readonly Cell[]): readonly EqualArms[] {
  const pairs = cells.flatMap(pairsOf);
  const perModel = groupBy(pairs, ({ skill, model, arm }) => JSON.stringify([skill, model, arm]));
  const perSkill = groupBy(pairs, ({ skill, arm }) => JSON.stringify([skill, arm]));
  return [
    ...perModel.map((group) => differenceOf(group, group[0].model)),
    ...perSkill.map((group) => differenceOf(group, null)),
  ];
}

function pairsOf({ skill, benchmark, model, arms }: Cell): readonly Pair[] {
  const tallies = new Map(Object.entries(arms));
  return [...tallies].flatMap(([arm, one]) => {
    const against = arm.split("@")[0] ?? arm;
    const other = tallies.get(against);
    if (arm === against || !one || !other || one.graded === 0 || other.graded === 0) return [];
    return [{ skill, benchmark, model, arm, against, tallies: [one, other] }];
  });
}

function differenceOf(pairs: readonly [Pair, ...Pair[]], model: string | null): EqualArms {
  const [{ skill, arm, against }] = pairs;
  const tasks = groupBy(pairs, ({ benchmark }) => benchmark).map((task) =>
    meanOf(task.map(({ tallies: [one, other] }) => one.passed / one.graded - other.passed / other.graded)),
  );
  const sum = (at: 0 | 1, key: keyof Tally): number =>
    pairs.reduce((total, { tallies }) => total + tallies[at][key], 0);
  const tally = (at: 0 | 1): Tally => ({
    passed: sum(at, "passed"),
    graded: sum(at, "graded"),
    planned: sum(at, "planned"),
  });
  return {
    ...{ skill, model, arm, against, difference: meanOf(tasks), cells: pairs.length },
    passed: [tally(0), tally(1)],
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * For the headline of a campaign that does not plan both with_skill and without_skill: what its equal arms differ by, if
 * it has any. Null for one that does, or of which no cell counts.
 */
export function insteadOfUplift(cells: readonly Cell[]): readonly string[] | null {
  const isPlanned = cells.some(
    ({ arms }) => arms.with_skill !== undefined && arms.without_skill !== undefined,
  );
  if (cells.length === 0 || isPlanned) return null;
  return equalArmsOf(cells)
    .filter(({ model }) => model === null)
    .map(
      ({ skill, arm, against, difference, cells: count, passed: [one, other] }) =>
        `${skill}: the equal arms ${arm} and ${against} differ by ${points(difference)} over ${count} ` +
        `benchmark × model cell(s), ${rate(one)} and ${rate(other)} passed.`,
    );
}

type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

/** What equal arms differ by is noise, and below it nothing is concluded. */
export function equalArmsSection({ cells, leaks }: Pick<Report, "cells" | "leaks">, table: Table): string {
  const leftOut = leaks.benchmarks.filter((one) => one.leftOut);
  const counted = cells.filter(
    ({ skill, benchmark }) => !leftOut.some((one) => one.skill === skill && one.benchmark === benchmark),
  );
  const rows = equalArmsOf(counted);
  if (rows.length === 0) return "";
  const floor = Math.max(...rows.map(({ difference }) => Math.abs(difference)));
  const told = rows.map(({ skill, model, arm, against, difference, cells: count, passed: [one, other] }) => [
    ...[skill, model ?? "all models", `${arm} against ${against}`],
    ...[points(difference), rate(one), rate(other), String(count)],
  ]);
  const header = ["skill", "model", "arms", "difference", "passed", "of the other", "cells"];
  const words =
    "These arms deliver the same, so what they differ by is noise. A later campaign withholds what is smaller than the " +
    `largest of these with \`analysis.noiseFloor: ${Number(floor.toFixed(4))}\`.`;
  return `## Equal arms\n\n${table(header, told)}\n\n${words}`;
}
