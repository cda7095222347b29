export type Agreement = {
  /** Mean share of agreeing pairs of judges. */
  readonly meanAgreement: number | null;
  /** Null when all ratings fall into one category: chance alone would agree. */
  readonly fleissKappa: number | null;
  readonly gwetAC1: number | null;
  readonly krippendorffAlphaNominal: number | null;
  readonly unanimousShare: number | null;
};

/**
 * Agreement of judges. `counts`: one row per question, one column per category, how many judges chose it. Questions with
 * fewer than two ratings say nothing and are left out. Kappa alone condemns a panel that nearly always says the same, so
 * all measures are given. Sources: Fleiss 1971; Gwet 2008; Krippendorff 2004.
 */
export function agreement(counts: readonly (readonly number[])[]): Agreement {
  const rated = counts.filter((row) => sum(row) >= 2);
  const [first] = rated;
  if (first === undefined) {
    return {
      meanAgreement: null,
      fleissKappa: null,
      gwetAC1: null,
      krippendorffAlphaNominal: null,
      unanimousShare: null,
    };
  }
  const categories = first.length;
  if (rated.some((row) => row.length !== categories))
    throw new RangeError("counts: rows have different numbers of categories");
  const rows = rated.map((row) => ({ raters: sum(row), agreeing: pairsWithin(row) }));
  const ratings = sum(rows.map(({ raters }) => raters));
  const totals = first.map((_, category) => sum(rated.map((row) => row[category] ?? 0)));
  // Every question counts alike, whoever was absent from it (Gwet 2008); with equal panels that is total ÷ ratings.
  const shares = first.map(
    (_, category) => sum(rated.map((row) => (row[category] ?? 0) / sum(row))) / rated.length,
  );
  const mean = sum(rows.map(({ agreeing }) => agreeing)) / rows.length;
  const disagreeing = sum(rows.map(({ raters, agreeing }) => raters * (1 - agreeing))) / ratings;
  const expected = 1 - sum(totals.map((total) => total * (total - 1))) / (ratings * (ratings - 1));
  return {
    meanAgreement: mean,
    fleissKappa: beyond(mean, sum(shares.map((share) => share * share))),
    gwetAC1: beyond(mean, sum(shares.map((share) => share * (1 - share))) / (categories - 1)),
    krippendorffAlphaNominal: expected === 0 ? null : 1 - disagreeing / expected,
    unanimousShare: rows.filter(({ agreeing }) => agreeing === 1).length / rows.length,
  };
}

/** Share of pairs of judges who chose the same. */
function pairsWithin(row: readonly number[]): number {
  const raters = sum(row);
  return sum(row.map((count) => count * (count - 1))) / (raters * (raters - 1));
}

/** Agreement beyond chance; null when chance leaves nothing. */
function beyond(observed: number, chance: number): number | null {
  return 1 - chance < 1e-12 ? null : (observed - chance) / (1 - chance);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
