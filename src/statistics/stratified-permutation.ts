/** Passes and trials of both arms in one cell (task × model). */
export type PermutedCell = {
  readonly withPass: number;
  readonly withN: number;
  readonly withoutPass: number;
  readonly withoutN: number;
};

export type StratifiedPermutation = {
  readonly withPassTotal: number;
  readonly expectedUnderNull: number;
  readonly pTwoSided: number;
  readonly pGreater: number;
  readonly pLess: number;
  /** 1 when no cell is informative. */
  readonly midPTwoSided: number;
};

/**
 * Shuffles arm labels inside every cell: the exact distribution of the passes with the skill is the convolution of the
 * cells' hypergeometric distributions. Two-sided by distance from the null mean. Tests "the skill changes nothing in
 * any cell of this set". Throws `RangeError` for counts that are none.
 */
export function stratifiedPermutation(cells: readonly PermutedCell[]): StratifiedPermutation {
  for (const cell of cells) requireCounts(cell);
  const withPassTotal = cells.reduce((sum, { withPass }) => sum + withPass, 0);
  const informative = cells.filter(isInformative);
  const fixed = cells.filter((cell) => !isInformative(cell)).reduce((sum, { withPass }) => sum + withPass, 0);
  const { least, shares } = convolved(informative, fixed);
  const { unit, mean } = nullMean(informative, fixed);
  const distance = (total: number): bigint => absolute(BigInt(total) * unit - mean);
  const observed = distance(withPassTotal);
  let [beyond, tied, above, below] = [0, 0, 0, 0];
  for (const [at, share] of shares.entries()) {
    const total = least + at;
    const away = distance(total);
    if (away >= observed) beyond += share;
    if (away === observed) tied += share;
    if (total >= withPassTotal) above += share;
    if (total <= withPassTotal) below += share;
  }
  return {
    withPassTotal,
    expectedUnderNull: Number(mean) / Number(unit),
    pTwoSided: Math.min(1, beyond),
    pGreater: Math.min(1, above),
    pLess: Math.min(1, below),
    midPTwoSided: informative.length === 0 ? 1 : beyond - tied / 2,
  };
}

/** Chances of `least` and of every total behind it. */
type Distribution = { readonly least: number; readonly shares: Float64Array | readonly number[] };

/** Below this share of all a tail is dropped: it cannot move a p that anybody prints. */
const negligible = 1e-300;

/** Of the sum of what the cells give, and of `fixed`. Two arrays in turns: ten thousand cells would leave as many. */
function convolved(cells: readonly PermutedCell[], fixed: number): Distribution {
  const owns = cells.map(hypergeometric);
  const width = owns.reduce((sum, own) => sum + own.shares.length - 1, 1);
  let [shares, next] = [new Float64Array(width), new Float64Array(width)];
  shares[0] = 1;
  let [from, to] = [0, 1];
  for (const own of owns) {
    while (from < to && (shares[from] ?? 0) < negligible) from++;
    while (to > from && (shares[to - 1] ?? 0) < negligible) to--;
    const end = to + own.shares.length - 1;
    next.fill(0, from, end);
    // Plain indices: with hundreds of cells of hundreds of trials, iterators would make seconds of this.
    for (let at = from; at < to; at++) {
      const share = shares[at] ?? 0;
      if (share < negligible) continue;
      for (let more = 0; more < own.shares.length; more++) {
        next[at + more] = (next[at + more] ?? 0) + share * (own.shares[more] ?? 0);
      }
    }
    [shares, next] = [next, shares];
    to = end;
  }
  const least = owns.reduce((sum, own) => sum + own.least, fixed);
  return { least: least + from, shares: shares.subarray(from, to) };
}

/** Of the passes that fall to the skill's trials when all of the cell's passes are dealt out at random. */
function hypergeometric({ withPass, withN, withoutPass, withoutN }: PermutedCell): Distribution {
  const passes = withPass + withoutPass;
  const least = Math.max(0, passes - withoutN);
  const most = Math.min(passes, withN);
  const weights = [1];
  for (let x = least; x < most; x++) {
    const ratio = ((passes - x) * (withN - x)) / ((x + 1) * (withoutN - passes + x + 1));
    weights.push((weights.at(-1) ?? 0) * ratio);
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { least, shares: weights.map((weight) => weight / sum) };
}

/** The mean under the null in whole multiples of 1 / unit, so that equal distances are equal. */
function nullMean(
  cells: readonly PermutedCell[],
  fixed: number,
): { readonly unit: bigint; readonly mean: bigint } {
  const unit = cells.reduce((all, cell) => lcm(all, BigInt(trialsOf(cell))), 1n);
  const mean = cells.reduce(
    (sum, cell) => {
      const passes = BigInt(cell.withPass + cell.withoutPass);
      return sum + (passes * BigInt(cell.withN) * unit) / BigInt(trialsOf(cell));
    },
    BigInt(fixed) * unit,
  );
  return { unit, mean };
}

/** Both arms have trials, and not all of them ended alike. */
function isInformative(cell: PermutedCell): boolean {
  const passes = cell.withPass + cell.withoutPass;
  return cell.withN > 0 && cell.withoutN > 0 && passes > 0 && passes < trialsOf(cell);
}

function trialsOf({ withN, withoutN }: PermutedCell): number {
  return withN + withoutN;
}

function requireCounts({ withPass, withN, withoutPass, withoutN }: PermutedCell): void {
  for (const [k, n] of [
    [withPass, withN],
    [withoutPass, withoutN],
  ] as const) {
    if (!Number.isSafeInteger(k) || !Number.isSafeInteger(n) || k < 0 || k > n)
      throw new RangeError(`cells: ${k} of ${n} is no count of passes and trials`);
  }
}

function lcm(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small !== 0n) [large, small] = [small, large % small];
  return (a / large) * b;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
