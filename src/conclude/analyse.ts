import {
  type Analysis,
  analysisFormat,
  type AnalysisRow,
  type AnalysisSettings,
  type ArmCell,
  type Comparison,
  type Evidence,
  type Tested,
} from "../artefacts/analysis.ts";
import { shrunk } from "../statistics/shrunk.ts";
import { agrestiCaffoVariance, weightedUplift } from "../statistics/weighted-interval.ts";
import { adjusted } from "./family.ts";
import { groupBy } from "./group-by.ts";
import { isUsable, leftOutOf, pairsOf, requireCells } from "./pairs.ts";
import { comparisonsOf, rowsOf } from "./rows.ts";
import { scopeKey } from "./scopes.ts";
import { unitsOf, weightedCells } from "./units.ts";

/**
 * Every figure about correctness that the frozen settings ask for. Pure: the same cells and settings give the same
 * analysis. Cells without a verdict in one arm are listed and leave the paired set. Throws `RangeError` for counts that
 * cannot be.
 */
export function analyse(cells: readonly ArmCell[], settings: AnalysisSettings): Analysis {
  requireCells(cells);
  const compared = comparisonsOf(cells, settings);
  const rows = compared.flatMap((comparison) => rowsOf(cells, comparison, settings));
  const finished = adjusted(joined(rows, settings), settings);
  const primary = compared
    .filter(({ role }) => role === "primary")
    .map(({ arm, against }) => ({ arm, against }));
  return {
    format: analysisFormat,
    settings,
    rows: [...finished],
    leftOut: compared.flatMap(({ arm, against }) =>
      leftOutOf(pairsOf(cells, { arm, against }), { arm, against }),
    ),
    tasks: primary.flatMap((comparison) =>
      unitsOf(pairsOf(cells, comparison).filter(isUsable), "tasks").map(({ skill, benchmark, value }) => ({
        comparison,
        skill,
        benchmark: benchmark ?? "",
        uplift: value,
      })),
    ),
    shrunk: primary.flatMap((comparison) => shrunkSkills(cells, comparison) ?? []),
  };
}

/** Gives every hypothesis what it has to be seen with: the placebo's comparison and the noise between equal arms. */
function joined(rows: readonly AnalysisRow[], settings: AnalysisSettings): readonly AnalysisRow[] {
  const places = new Map<string, AnalysisRow[]>();
  for (const row of rows) {
    const key = scopeKey(row);
    places.set(key, [...(places.get(key) ?? []), row]);
  }
  return rows.map((row) => {
    if (row.role !== "primary") return row;
    const here = places.get(scopeKey(row)) ?? [];
    const beside = here.find((one) => one.role === "placebo" && one.comparison.arm === row.comparison.arm);
    const floors = here.flatMap((one) =>
      one.role === "again" && one.evidence !== null ? [Math.abs(one.evidence.uplift)] : [],
    );
    if (settings.noiseFloor !== null) floors.push(settings.noiseFloor);
    return {
      ...(beside === undefined ? row : withPlacebo(row, beside)),
      noiseFloor: floors.length === 0 ? null : Math.max(...floors),
    };
  });
}

function withPlacebo(row: AnalysisRow, beside: AnalysisRow): AnalysisRow {
  const both = (own: Evidence, other: Evidence | null): Evidence => ({
    ...own,
    set: { ...own.set, pJoint: jointOf(own.set, other?.set) },
    tasks: { ...own.tasks, pJoint: jointOf(own.tasks, other?.tasks) },
  });
  const against = beside.imputed?.against ?? beside.evidence;
  const inFavour = beside.imputed?.inFavour ?? beside.evidence;
  // What only the placebo misses can change what the row says, too.
  const imputed = row.imputed ?? (beside.imputed === null ? null : sameTwice(row.evidence));
  return {
    ...row,
    placeboRan: true,
    evidence: row.evidence === null ? null : both(row.evidence, beside.evidence),
    imputed:
      imputed === null
        ? null
        : { against: both(imputed.against, against), inFavour: both(imputed.inFavour, inFavour) },
  };
}

function sameTwice(evidence: Evidence | null): AnalysisRow["imputed"] {
  return evidence === null ? null : { against: evidence, inFavour: evidence };
}

function jointOf(own: Tested, other: Tested | undefined): number {
  return other !== undefined && own.toward > 0 && other.toward > 0 ? Math.max(own.p, other.p) : 1;
}

/** Null where too few skills have a usable cell. */
function shrunkSkills(cells: readonly ArmCell[], comparison: Comparison): Analysis["shrunk"][number] | null {
  const skills = groupBy(pairsOf(cells, comparison).filter(isUsable), ({ skill }) => skill).map((pairs) => {
    const weighted = weightedCells(pairs, "tasks");
    return {
      skill: pairs[0].skill,
      value: weightedUplift(weighted)?.uplift ?? 0,
      variance: agrestiCaffoVariance(weighted) ?? 0,
    };
  });
  const pulled = shrunk(skills);
  if (pulled === null) return null;
  return {
    comparison,
    mean: pulled.mean,
    tauSquared: pulled.tauSquared,
    skills: skills.map(({ skill, value }, at) => ({
      skill,
      uplift: value,
      shrunk: pulled.estimates[at]?.value ?? value,
      sd: pulled.estimates[at]?.sd ?? 0,
    })),
  };
}
