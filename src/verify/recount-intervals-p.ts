import { type Complex, Sum, windowOf } from "./recount-intervals-sum.ts";

/** Trials of two arms in one cell. */
export type PairCount = {
  readonly treated: { readonly passed: number; readonly graded: number };
  readonly control: { readonly passed: number; readonly graded: number };
};

/** Chances under "the skill changes nothing", and which way what was seen points. */
export type Chances = {
  readonly pTwoSided: number;
  readonly pGreater: number;
  readonly midPTwoSided: number;
  readonly midPGreater: number;
  readonly toward: -1 | 0 | 1;
};

/** A sum over all angles loses that much at most; a p is given to a thousand millionths. */
export const rounding = 1e-9;

/**
 * Of passes dealt out at random within each cell. Counted by another way than the report's, which adds cell to cell: the
 * characteristic function of the sum is the product of those of the cells, alike ones at once, and is turned back into
 * chances.
 */
export function shuffledChances(cells: readonly PairCount[]): Chances {
  const kinds = kindsOf(cells);
  const most = cells.reduce((sum, cell) => sum + mostOf(cell) - leastOf(cell), 0);
  const seen = cells.reduce((sum, cell) => sum + cell.treated.passed - leastOf(cell), 0);
  const toward = signOf(cells.reduce((sum, cell) => sum + cell.treated.passed - meanOf(cell), 0));
  if (most === 0) return { pTwoSided: 1, pGreater: 1, midPTwoSided: 1, midPGreater: 0.5, toward };
  const { twice, unit } = doubleMean(kinds);
  const spread = { least: 0, most, mean: Number(twice) / Number(2n * unit), sd: deviationOf(kinds) };
  const sum = new Sum(windowOf(spread), (angle) => ofCells(kinds, angle));
  // The place as far from the mean on its other side is whole or not; whole numbers tell it exactly.
  const other = twice - BigInt(seen) * unit;
  const isWhole = other % unit === 0n;
  const below = Number((other - (((other % unit) + unit) % unit)) / unit);
  const above = isWhole ? below : below + 1;
  const isAbove = BigInt(seen) * unit * 2n >= twice;
  const [tie, mirrored] = [sum.at(seen), isWhole && below !== seen ? sum.at(below) : 0];
  const atLeast = sum.from(seen);
  const upTo = 1 - sum.from(seen + 1);
  const beyond = isAbove
    ? atLeast + (below === seen ? upTo - tie : 1 - sum.from(below + 1))
    : upTo + sum.from(above);
  return {
    pTwoSided: share(beyond),
    pGreater: share(atLeast),
    midPTwoSided: share(beyond - (tie + mirrored) / 2),
    midPGreater: share(atLeast - tie / 2),
    toward,
  };
}

export function share(value: number): number {
  return Math.min(1, Math.max(0, value));
}

export function signOf(value: number): -1 | 0 | 1 {
  return Math.abs(value) <= rounding ? 0 : value > 0 ? 1 : -1;
}

function leastOf({ treated, control }: PairCount): number {
  return Math.max(0, treated.passed + control.passed - control.graded);
}

function mostOf({ treated, control }: PairCount): number {
  return Math.min(treated.passed + control.passed, treated.graded);
}

function meanOf({ treated, control }: PairCount): number {
  return ((treated.passed + control.passed) * treated.graded) / (treated.graded + control.graded);
}

/** Cells of equal counts: chances of `from`, `from` + 1, … passes beyond the fewest that can be; others are as good as 0. */
type Kind = {
  readonly cell: PairCount;
  readonly from: number;
  readonly shares: readonly number[];
  times: number;
};

function kindsOf(cells: readonly PairCount[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const cell of cells) {
    const { treated, control } = cell;
    const name = JSON.stringify([treated.passed + control.passed, treated.graded, control.graded]);
    const kind = kinds.get(name) ?? { cell, ...sharesOf(cell), times: 0 };
    kinds.set(name, kind);
    kind.times += 1;
  }
  return [...kinds.values()];
}

/** A chance below it moves no p that anybody prints. */
const negligible = 1e-25;

function sharesOf(cell: PairCount): Pick<Kind, "from" | "shares"> {
  const { treated, control } = cell;
  const passes = treated.passed + control.passed;
  const least = leastOf(cell);
  const all = Array.from({ length: mostOf(cell) - least + 1 }, (_, at) => {
    const x = least + at;
    return Math.exp(
      logWays(treated.graded, x) +
        logWays(control.graded, passes - x) -
        logWays(treated.graded + control.graded, passes),
    );
  });
  const from = all.findIndex((one) => one > negligible);
  return { from, shares: all.slice(from, all.findLastIndex((one) => one > negligible) + 1) };
}

/** Of passes dealt out: the variance of a hypergeometric number, by cells. */
function deviationOf(kinds: readonly Kind[]): number {
  let variance = 0;
  for (const { cell, times } of kinds) {
    const { treated, control } = cell;
    const [passes, all] = [treated.passed + control.passed, treated.graded + control.graded];
    const rate = passes / all;
    if (all > 1) variance += (times * treated.graded * control.graded * rate * (1 - rate)) / (all - 1);
  }
  return Math.sqrt(variance);
}

const logFactorials = [0];

/** ln of n over k. */
export function logWays(n: number, k: number): number {
  for (let next = logFactorials.length; next <= n; next++)
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  return (logFactorials[n] ?? 0) - (logFactorials[k] ?? 0) - (logFactorials[n - k] ?? 0);
}

/** Twice the mean above the fewest passes, in whole multiples of 1 / unit. */
function doubleMean(kinds: readonly Kind[]): { readonly twice: bigint; readonly unit: bigint } {
  let unit = 1n;
  for (const { cell } of kinds)
    unit = commonMultiple(unit, BigInt(cell.treated.graded + cell.control.graded));
  let twice = 0n;
  for (const { cell, times } of kinds) {
    const { treated, control } = cell;
    const passes = BigInt(treated.passed + control.passed);
    const all = BigInt(treated.graded + control.graded);
    const above = (passes * BigInt(treated.graded) * unit) / all - BigInt(leastOf(cell)) * unit;
    twice += 2n * BigInt(times) * above;
  }
  return { twice, unit };
}

function commonMultiple(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small > 0n) [large, small] = [small, large % small];
  return (a * b) / large;
}

function ofCells(kinds: readonly Kind[], angle: number): Complex {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [length, turn] = [1, 0];
  for (const { from, shares, times } of kinds) {
    let [x, y] = [0, 0];
    for (let at = shares.length - 1; at >= 0; at--) {
      const turned = x * cos - y * sin;
      y = x * sin + y * cos;
      x = turned + (shares[at] ?? 0);
    }
    length *= Math.hypot(x, y) ** times;
    turn += (Math.atan2(y, x) + angle * from) * times;
  }
  return [length, turn];
}
