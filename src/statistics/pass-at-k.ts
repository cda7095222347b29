/**
 * `c` of `n` trials of one task passed. `passAtK`: at least one of k passes, 1 − C(n−c, k)/C(n, k); `passHatK`: all of k
 * pass, C(c, k)/C(n, k). Null for k > n. Sources: Chen et al. 2021; Yao et al. 2024.
 */
export function passAtK(
  n: number,
  c: number,
  k: number,
): { readonly passAtK: number | null; readonly passHatK: number | null } {
  if (![n, c, k].every(Number.isSafeInteger) || c < 0 || c > n || k < 1)
    throw new RangeError(`n, c, k: ${n}, ${c}, ${k} are no counts of trials, passes and draws`);
  if (k > n) return { passAtK: null, passHatK: null };
  return { passAtK: 1 - shareOfDraws(n - c, n, k), passHatK: shareOfDraws(c, n, k) };
}

/** C(some, k) / C(all, k): all of k draws without return fall on `some`. */
function shareOfDraws(some: number, all: number, k: number): number {
  if (k > some) return 0;
  let share = 1;
  for (let drawn = 0; drawn < k; drawn++) share *= (some - drawn) / (all - drawn);
  return share;
}
