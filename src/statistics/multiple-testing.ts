/** Adjusted p in the order given; control of the family-wise error. Source: Holm 1979. */
export function holm(p: readonly number[]): readonly number[] {
  return adjusted(p, (value, rank) => value * (p.length - rank), "up");
}

/** Adjusted p in the order given; control of the false discovery rate. Source: Benjamini and Hochberg 1995. */
export function benjaminiHochberg(p: readonly number[]): readonly number[] {
  return adjusted(p, (value, rank) => (value * p.length) / (rank + 1), "down");
}

export function bonferroni(p: readonly number[]): readonly number[] {
  return adjusted(p, (value) => value * p.length, "up");
}

/** `up`: no adjusted p is below that of a smaller one; `down`: none is above that of a larger one. */
function adjusted(
  p: readonly number[],
  scale: (value: number, rank: number) => number,
  monotone: "up" | "down",
): readonly number[] {
  const wrong = p.find((value) => !(value >= 0 && value <= 1));
  if (wrong !== undefined) throw new RangeError(`p: ${wrong} is not within 0 and 1`);
  const order = p.map((_, at) => at).sort((a, b) => (p[a] ?? 0) - (p[b] ?? 0));
  const out = new Array<number>(p.length).fill(1);
  const ranks = order.map((at, rank) => ({ at, scaled: Math.min(1, scale(p[at] ?? 0, rank)) }));
  let bound = monotone === "up" ? 0 : 1;
  for (const { at, scaled } of monotone === "up" ? ranks : ranks.toReversed()) {
    bound = monotone === "up" ? Math.max(bound, scaled) : Math.min(bound, scaled);
    out[at] = bound;
  }
  return out;
}
