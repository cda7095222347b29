/**
 * Pairs of trials that differ: exact binomial p and mid-p, two-sided. Source: McNemar 1947; mid-p as in Fagerland,
 * Lydersen and Laake 2013, with their rule for equal counts.
 */
export function mcnemar(
  onlyWithPasses: number,
  onlyWithoutPasses: number,
): { readonly pExact: number; readonly pMid: number } {
  for (const [name, count] of Object.entries({ onlyWithPasses, onlyWithoutPasses })) {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new RangeError(`${name}: ${count} is no count of pairs`);
  }
  const n = onlyWithPasses + onlyWithoutPasses;
  if (n === 0) return { pExact: 1, pMid: 1 };
  const few = Math.min(onlyWithPasses, onlyWithoutPasses);
  const shares = binomialHalf(n);
  const point = shares[few] ?? 0;
  const tail = shares.slice(0, few + 1).reduce((sum, share) => sum + share, 0);
  if (onlyWithPasses === onlyWithoutPasses) return { pExact: 1, pMid: 1 - point / 2 };
  return { pExact: Math.min(1, 2 * tail), pMid: 2 * tail - point };
}

/** Probabilities of 0 … n heads; from the middle outwards, so that nothing underflows before it is negligible. */
function binomialHalf(n: number): readonly number[] {
  const weights = new Array<number>(n + 1).fill(0);
  const middle = Math.floor(n / 2);
  weights[middle] = 1;
  for (let k = middle; k > 0; k--) weights[k - 1] = ((weights[k] ?? 0) * k) / (n - k + 1);
  for (let k = middle; k < n; k++) weights[k + 1] = ((weights[k] ?? 0) * (n - k)) / (k + 1);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
