import type { CampaignComparison, Change, ChangeKind, ComparedRow } from "../artefacts/comparison.ts";
import type { Tally } from "../artefacts/tally.ts";
import { holm } from "../statistics/multiple-testing.ts";
import {
  type CellWithControl,
  type ChangeSettings,
  meanRate,
  rateChange,
  taskOf,
  upliftChange,
} from "./change.ts";
import type { FittingCell } from "./fitting.ts";
import { kindOf, type Kinds, verdictOf } from "./verdict.ts";

export type RowSettings = CampaignComparison["settings"] &
  Pick<ChangeSettings, "seed"> & { readonly sharedControl: boolean };

type Place = Pick<ComparedRow, "level" | "skill" | "model" | "benchmark">;
type Group = { readonly place: Place; readonly cells: readonly FittingCell[] };

/** A row per skill, per skill × model and per cell. Rows of one of the first two levels are one family. */
export function comparedRows(cells: readonly FittingCell[], settings: RowSettings): readonly ComparedRow[] {
  const skills = grouped(cells, ({ skill }) => ({ level: "skill", skill, model: null, benchmark: null }));
  const models = grouped(cells, ({ skill, model }) => ({
    ...{ level: "skill-model", skill, model, benchmark: null },
  }));
  const single = grouped(cells, ({ skill, model, benchmark }) => ({
    level: "cell",
    skill,
    model,
    benchmark,
  }));
  return [
    ...concluded(skills, settings),
    ...concluded(models, settings),
    ...single.map((group) => rowOf(group, settings)),
  ];
}

function grouped(cells: readonly FittingCell[], placeOf: (cell: FittingCell) => Place): readonly Group[] {
  const groups = new Map<string, { readonly place: Place; readonly cells: FittingCell[] }>();
  for (const cell of cells) {
    const place = placeOf(cell);
    const group = groups.get(JSON.stringify(place)) ?? { place, cells: [] };
    group.cells.push(cell);
    groups.set(JSON.stringify(place), group);
  }
  return [...groups.values()];
}

/** A row without its conclusion. */
function rowOf({ place, cells }: Group, settings: RowSettings): ComparedRow {
  const rate = rateChange(cells, settings);
  const withControl = cells.filter(hasControl);
  return {
    ...place,
    cells: cells.length,
    upliftCells: withControl.length,
    tasks: new Set(cells.map(taskOf)).size,
    arm: { a: summed(cells.map(({ arm }) => arm.a)), b: summed(cells.map(({ arm }) => arm.b)) },
    control: {
      a: summed(withControl.map(({ control }) => control.a)),
      b: summed(withControl.map(({ control }) => control.b)),
    },
    uplift: upliftOf(withControl, settings),
    rate: { a: meanRate(cells, ({ arm }) => arm.a), b: meanRate(cells, ({ arm }) => arm.b), change: rate },
    verdict: null,
  };
}

/** With a shared control the uplifts differ as the rates do, and the control's chance is in neither. */
function upliftOf(cells: readonly CellWithControl[], settings: RowSettings): ComparedRow["uplift"] {
  if (cells.length === 0) return null;
  const mean = (side: "a" | "b"): number =>
    meanRate(cells, ({ arm }) => arm[side]) -
    meanRate(
      cells.map((cell) => ({ ...cell, arm: cell.control })),
      ({ arm }) => arm[side],
    );
  const change = settings.sharedControl ? rateChange(cells, settings) : upliftChange(cells, settings);
  return { a: mean("a"), b: mean("b"), change };
}

/** Rows of one level, each with what may be said of it. */
function concluded(groups: readonly Group[], settings: RowSettings): readonly ComparedRow[] {
  const rows = groups.map((group) => rowOf(group, settings));
  const p = rows.map(({ rate }) => rate.change.set.p ?? 1);
  const adjusted = holm(p);
  return rows.map((row, at) => {
    const { rate } = row;
    const set = { ...rate.change.set, pAdjusted: adjusted[at] ?? 1 };
    const whole = { ...row, rate: { ...rate, change: { ...rate.change, set } } };
    const of = (some: ComparedRow): ChangeKind => {
      const own = holm(p.with(at, some.rate.change.set.p ?? 1))[at] ?? 1;
      return kindOf(
        { rate: some.rate.change, pAdjusted: own, uplift: upliftGround(some, settings) },
        settings,
      );
    };
    const kinds: Kinds = { own: of(whole), imputed: imputedKinds(groups[at], settings, of) };
    return { ...whole, verdict: verdictOf(whole, kinds, settings) };
  });
}

/** With a shared control the uplift says nothing that the rate does not. */
function upliftGround({ uplift }: ComparedRow, { sharedControl }: RowSettings): Change | null {
  return sharedControl ? null : (uplift?.change ?? null);
}

/** Null when no trial of these cells lacks a verdict. */
function imputedKinds(
  group: Group | undefined,
  settings: RowSettings,
  of: (row: ComparedRow) => ChangeKind,
): Kinds["imputed"] {
  const lacks = ({ graded, planned }: Tally): boolean => graded < planned;
  const tallies = (group?.cells ?? []).flatMap(({ arm, control }) => [
    ...[arm.a, arm.b],
    ...(control === null ? [] : [control.a, control.b]),
  ]);
  if (group === undefined || !tallies.some(lacks)) return null;
  const row = (ofB: boolean): ComparedRow =>
    rowOf({ ...group, cells: group.cells.map((cell) => imputed(cell, ofB, settings)) }, settings);
  return { against: of(row(false)), inFavour: of(row(true)) };
}

/** Every trial without a verdict gets one: all in B's favour, or all against it. A shared control is on neither side. */
function imputed(cell: FittingCell, inFavour: boolean, { sharedControl }: RowSettings): FittingCell {
  const { arm, control } = cell;
  const filled = (tally: Tally, pass: boolean): Tally => ({
    ...tally,
    passed: tally.passed + (pass ? tally.planned - tally.graded : 0),
    graded: tally.planned,
  });
  return {
    ...cell,
    arm: { a: filled(arm.a, !inFavour), b: filled(arm.b, inFavour) },
    control:
      control === null || sharedControl
        ? control
        : { a: filled(control.a, inFavour), b: filled(control.b, !inFavour) },
  };
}

function hasControl(cell: FittingCell): cell is CellWithControl {
  return cell.control !== null;
}

function summed(tallies: readonly Tally[]): Tally {
  const of = (count: (tally: Tally) => number): number => tallies.reduce((sum, one) => sum + count(one), 0);
  return {
    passed: of(({ passed }) => passed),
    graded: of(({ graded }) => graded),
    planned: of((one) => one.planned),
  };
}
