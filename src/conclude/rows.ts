import type { AnalysisRow, AnalysisSettings, ArmCell, Comparison } from "../artefacts/analysis.ts";
import { evidenceOf } from "./evidence.ts";
import { groupBy } from "./group-by.ts";
import { imputed, type Pair, pairsOf, summed } from "./pairs.ts";
import { averagingOf, type ScopedPairs, scopesOf } from "./scopes.ts";

type Role = AnalysisRow["role"];

/** Everything that is compared: the hypotheses, what *helps* needs besides, and arms against their own repeats. */
export function comparisonsOf(
  cells: readonly ArmCell[],
  { comparisons, placebo }: AnalysisSettings,
): readonly (Comparison & { readonly role: Role })[] {
  const arms = new Set(cells.flatMap((cell) => Object.keys(cell.arms)));
  const named = new Map<string, Comparison & { readonly role: Role }>();
  const add = (role: Role, arm: string, against: string): void => {
    const key = JSON.stringify([arm, against]);
    if (arm !== against && arms.has(arm) && arms.has(against) && !named.has(key))
      named.set(key, { role, arm, against });
  };
  for (const { arm, against } of comparisons) add("primary", arm, against);
  if (placebo !== null) {
    for (const { arm } of comparisons) add("placebo", arm, placebo);
    for (const { against } of comparisons) add("nothing", placebo, against);
  }
  for (const arm of arms) add("again", arm, repeated(arm));
  return [...named.values()];
}

/** `without_skill@again` repeats `without_skill`. */
function repeated(arm: string): string {
  return arm.split("@")[0] ?? arm;
}

/** Rows of one comparison, as if no other were made. */
export function rowsOf(
  cells: readonly ArmCell[],
  { arm, against, role }: Comparison & { readonly role: Role },
  settings: AnalysisSettings,
): readonly AnalysisRow[] {
  const comparison = { arm, against };
  return scopesOf(pairsOf(cells, comparison)).map((scoped) => rowOf(scoped, { comparison, role, settings }));
}

function rowOf(
  { pairs, usable, ...scope }: ScopedPairs,
  { comparison, role, settings }: Pick<AnalysisRow, "comparison" | "role"> & { settings: AnalysisSettings },
): AnalysisRow {
  const averaging = averagingOf(scope.level);
  const { resamples } = settings.bootstrap;
  const of = (some: readonly Pair[], draws: number): AnalysisRow["evidence"] =>
    evidenceOf(some, averaging, { settings, resamples: draws });
  const missing = pairs.some((pair) =>
    [pair.treated, pair.control].some((tally) => tally.graded < tally.planned),
  );
  const [against, inFavour] = missing
    ? [of(imputed(pairs, "against"), 0), of(imputed(pairs, "inFavour"), 0)]
    : [];
  return {
    ...scope,
    comparison,
    role,
    cellsPlanned: pairs.length,
    cells: usable.length,
    tasksPlanned: tasksIn(pairs),
    tasks: tasksIn(usable),
    uniformCells: usable.filter(isUniform).length,
    treated: summed(pairs.map(({ treated }) => treated)),
    control: summed(pairs.map(({ control }) => control)),
    evidence: of(usable, resamples),
    imputed: against && inFavour ? { against, inFavour } : null,
    placeboRan: false,
    noiseFloor: null,
  };
}

function tasksIn(pairs: readonly Pair[]): number {
  return groupBy(pairs, ({ skill, benchmark }) => JSON.stringify([skill, benchmark])).length;
}

function isUniform({ treated, control }: Pair): boolean {
  const passed = treated.passed + control.passed;
  return passed === 0 || passed === treated.graded + control.graded;
}
