import { randomFrom } from "../seed.ts";
import { type Fraction, onLattice } from "./fraction.ts";
import { monteCarloP } from "./monte-carlo-p.ts";

/** Shares of sign vectors; `midP` takes half of the ties with the observed total off. */
export type SignFlip = {
  readonly nNonZero: number;
  readonly pTwoSided: number;
  readonly pGreater: number;
  readonly pLess: number;
  readonly midPTwoSided: number;
  readonly midPGreater: number;
  /** False when sign vectors were drawn instead of all counted. */
  readonly exact: boolean;
};

const nothing: SignFlip = {
  nNonZero: 0,
  pTwoSided: 1,
  pGreater: 1,
  pLess: 1,
  midPTwoSided: 1,
  midPGreater: 1,
  exact: true,
};

/**
 * Fisher's sign-flip test of paired differences, one per task: under "the skill changes nothing" each difference is as
 * likely with the other sign. Exact for any number of tasks, because totals are counted on the lattice that holds the
 * differences. With no non-zero difference every p is 1. Source: Fisher 1935; statistics of DESIGN §8.
 */
export function signFlip(differences: readonly Fraction[]): SignFlip {
  const totals = onLattice(differences).totals.filter((total) => total !== 0);
  if (totals.length === 0) return nothing;
  const reach = totals.reduce((sum, total) => sum + Math.abs(total), 0);
  let [shares, next] = [new Float64Array(2 * reach + 1), new Float64Array(2 * reach + 1)];
  shares[reach] = 1;
  let span = 0;
  for (const total of totals) {
    const step = Math.abs(total);
    // Holds what was two steps ago, which reached no further.
    next.fill(0, reach - span - step, reach + span + step + 1);
    for (let at = reach - span; at <= reach + span; at++) {
      const half = (shares[at] ?? 0) / 2;
      if (half === 0) continue;
      next[at + step] = (next[at + step] ?? 0) + half;
      next[at - step] = (next[at - step] ?? 0) + half;
    }
    span += step;
    [shares, next] = [next, shares];
  }
  const observed = totals.reduce((sum, total) => sum + total, 0);
  const share = (holds: (total: number) => boolean): number =>
    shares.reduce((sum, one, at) => (holds(at - reach) ? sum + one : sum), 0);
  return shared(totals.length, {
    beyond: share((total) => Math.abs(total) >= Math.abs(observed)),
    tied: share((total) => Math.abs(total) === Math.abs(observed)),
    above: share((total) => total >= observed),
    below: share((total) => total <= observed),
    same: share((total) => total === observed),
  });
}

type Shares = Readonly<Record<"beyond" | "tied" | "above" | "below" | "same", number>>;

function shared(nNonZero: number, { beyond, tied, above, below, same }: Shares): SignFlip {
  return {
    nNonZero,
    pTwoSided: Math.min(1, beyond),
    pGreater: Math.min(1, above),
    pLess: Math.min(1, below),
    midPTwoSided: beyond - tied / 2,
    midPGreater: above - same / 2,
    exact: true,
  };
}

const enumeratedUpTo = 16;
const draws = 99_999;
/** Totals this close, relative to the largest possible, are ties. */
const tie = 1e-9;

/**
 * The same for real values (log tokens, cost, rubric points): every sign vector up to 16 non-zero differences, beyond
 * that 99,999 drawn ones with p = (b + 1) / (B + 1). Throws `RangeError` for a value that is not finite.
 */
export function signFlipReal(differences: readonly number[], seed: number): SignFlip {
  const wrong = differences.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) throw new RangeError(`differences: ${wrong} is not finite`);
  const values = differences.filter((value) => value !== 0);
  if (values.length === 0) return nothing;
  const observed = values.reduce((sum, value) => sum + value, 0);
  const near = tie * values.reduce((sum, value) => sum + Math.abs(value), 0);
  const counts = { beyond: 0, tied: 0, above: 0, below: 0, same: 0 };
  const count = (total: number): void => {
    if (Math.abs(total) >= Math.abs(observed) - near) counts.beyond++;
    if (Math.abs(Math.abs(total) - Math.abs(observed)) <= near) counts.tied++;
    if (total >= observed - near) counts.above++;
    if (total <= observed + near) counts.below++;
    if (Math.abs(total - observed) <= near) counts.same++;
  };
  if (values.length <= enumeratedUpTo) {
    const vectors = 2 ** values.length;
    for (let signs = 0; signs < vectors; signs++)
      count(values.reduce((sum, value, at) => ((signs >> at) & 1 ? sum + value : sum - value), 0));
    const scaled = mapCounts(counts, (value) => value / vectors);
    return shared(values.length, scaled);
  }
  const random = randomFrom(seed, "sign-flip", values.length);
  for (let draw = 0; draw < draws; draw++)
    count(values.reduce((sum, value) => (random() < 0.5 ? sum + value : sum - value), 0));
  const drawn = mapCounts(counts, (value) => monteCarloP(value, draws));
  return { ...shared(values.length, drawn), exact: false };
}

function mapCounts(counts: Shares, map: (count: number) => number): Shares {
  const { beyond, tied, above, below, same } = counts;
  return { beyond: map(beyond), tied: map(tied), above: map(above), below: map(below), same: map(same) };
}
