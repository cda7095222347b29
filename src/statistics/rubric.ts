export type RubricRow = {
  readonly weight: number;
  readonly applicable: boolean;
  readonly confirmed: boolean;
};

/** Confirmed weight of the applicable weight; null when nothing applies. */
export function weightedCompleteness(rows: readonly RubricRow[]): number | null {
  const weigh = (some: readonly RubricRow[]): number => some.reduce((total, { weight }) => total + weight, 0);
  const applicable = rows.filter((row) => row.applicable);
  return share(weigh(applicable.filter(({ confirmed }) => confirmed)), weigh(applicable));
}

/** Findings that were confirmed, of those that could be checked; null when none could. */
export function findingPrecision(confirmed: number, checkable: number): number | null {
  return share(confirmed, checkable);
}

/** Trials that confirm one finding, of those that could; null when none could. */
export function findingConsistency(confirming: number, trials: number): number | null {
  return share(confirming, trials);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
