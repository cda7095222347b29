import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import tCdf from "@stdlib/stats-base-dists-t-cdf";

/** Halvings until two numbers between 0 and 2^60 are neighbours. */
const halvings = 200;

/** A report asks for the same few ones thousands of times. */
const known = new Map<string, number>();

/** Standard normal: the value below which a share of `p` lies. Found by halving over the distribution function. */
export function normalAt(p: number): number {
  return kept(`${p}`, () => symmetricAt(p, (x) => normalCdf(x, 0, 1)));
}

/** The same of Student's t. */
export function tAt(p: number, degrees: number): number {
  return kept(`${p} ${degrees}`, () => symmetricAt(p, (x) => tCdf(x, degrees)));
}

function kept(name: string, find: () => number): number {
  const value = known.get(name) ?? find();
  known.set(name, value);
  return value;
}

/** By the lower tail, whose shares are not rounded towards 1. */
function symmetricAt(p: number, below: (x: number) => number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`p: ${p} is not between 0 and 1`);
  if (p > 0.5) return -symmetricAt(1 - p, below);
  let low = -1;
  while (below(low) > p) low *= 2;
  return rootOf(low, 0, (x) => below(x) - p);
}

/** Where a function that rises from below 0 to above it crosses 0. */
export function rootOf(from: number, to: number, rising: (x: number) => number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < halvings; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
