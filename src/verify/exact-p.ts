/** Trials of two arms in one cell. */
export type PairCount = {
  readonly treated: { readonly passed: number; readonly graded: number };
  readonly control: { readonly passed: number; readonly graded: number };
};

export type TwoPs = { readonly twoSided: number; readonly greater: number };

/** Differences this close are ties. */
const tie = 1e-9;

/**
 * Chance that passes dealt out at random within each cell lie as far from their mean as those that were seen. Counted by
 * another way than the report's: each cell's distribution from logarithms of factorials, distances as plain numbers.
 */
export function dealtOut(cells: readonly PairCount[]): TwoPs {
  const logs = logFactorials(
    Math.max(0, ...cells.map(({ treated, control }) => treated.graded + control.graded)),
  );
  let chances = [1]; // by total
  let mean = 0;
  let seen = 0;
  for (const { treated, control } of cells) {
    const all = treated.graded + control.graded;
    const passes = treated.passed + control.passed;
    mean += (passes * treated.graded) / all;
    seen += treated.passed;
    const ways = (n: number, k: number): number => (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
    const most = Math.min(passes, treated.graded);
    const next = new Array<number>(chances.length + most).fill(0);
    for (let x = Math.max(0, passes - control.graded); x <= most; x++) {
      const log = ways(treated.graded, x) + ways(control.graded, passes - x) - ways(all, passes);
      const own = Math.exp(log);
      for (let total = 0; total < chances.length; total++) {
        next[total + x] = (next[total + x] ?? 0) + (chances[total] ?? 0) * own;
      }
    }
    chances = next;
  }
  const away = Math.abs(seen - mean);
  let [twoSided, greater] = [0, 0];
  for (const [total, chance] of chances.entries()) {
    if (Math.abs(total - mean) >= away - tie) twoSided += chance;
    if (total >= seen) greater += chance;
  }
  return { twoSided: Math.min(1, twoSided), greater: Math.min(1, greater) };
}

/** More totals than this are too many to count here. */
const mostTotals = 200_000;

/**
 * Chance of a total as far from 0 when every difference may as well have the other sign; null where there are too many
 * totals to count.
 */
export function signsFlipped(differences: readonly number[]): TwoPs | null {
  const values = differences.filter((value) => Math.abs(value) > tie);
  if (values.length === 0) return { twoSided: 1, greater: 1 };
  let totals = new Map<number, { readonly total: number; readonly chance: number }>([
    [0, { total: 0, chance: 1 }],
  ]);
  for (const value of values) {
    const next = new Map<number, { readonly total: number; readonly chance: number }>();
    for (const { total, chance } of totals.values()) {
      for (const sum of [total + value, total - value]) {
        const name = Math.round(sum * 1e7);
        next.set(name, { total: sum, chance: (next.get(name)?.chance ?? 0) + chance / 2 });
      }
    }
    if (next.size > mostTotals) return null;
    totals = next;
  }
  const seen = values.reduce((sum, value) => sum + value, 0);
  let [twoSided, greater] = [0, 0];
  for (const { total, chance } of totals.values()) {
    if (Math.abs(total) >= Math.abs(seen) - 1e-6) twoSided += chance;
    if (total >= seen - 1e-6) greater += chance;
  }
  return { twoSided: Math.min(1, twoSided), greater: Math.min(1, greater) };
}

function logFactorials(most: number): readonly number[] {
  const logs = [0];
  for (let n = 1; n <= most; n++) logs.push((logs[n - 1] ?? 0) + Math.log(n));
  return logs;
}
