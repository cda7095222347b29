/** A family of hypotheses, each of whose p is adjusted for all of them. */
export class Family {
  private readonly ordered: readonly number[];
  private readonly correction: "holm" | "bh";

  constructor(ps: readonly number[], correction: "holm" | "bh") {
    this.ordered = ps.toSorted((a, b) => a - b);
    this.correction = correction;
  }

  /**
   * Of a member whose p is `own`, or would be in place of the `member`'s. Holm: the largest, over every p up to it, of
   * p × how many are not smaller. Benjamini and Hochberg: the smallest, over every p from it on, of p × all ÷ how many
   * are not larger.
   */
  adjusted(own: number, member: number = own): number {
    const others = this.ordered.toSpliced(this.ordered.indexOf(member), 1);
    const all = others.length + 1;
    const ps = [...others, own];
    const adjusted =
      this.correction === "holm"
        ? ps.filter((p) => p <= own).map((p) => p * (all - countBelow(others, p)))
        : ps.filter((p) => p >= own).map((p) => (p * all) / (countUpTo(others, p) + 1));
    const bound = this.correction === "holm" ? greatest(adjusted) : least(adjusted);
    return Math.min(1, bound);
  }
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function least(values: readonly number[]): number {
  return values.reduce((fewest, value) => Math.min(fewest, value), Infinity);
}

/** Of ordered values, those below `value`. */
function countBelow(ordered: readonly number[], value: number): number {
  return placeOf(ordered, (one) => one < value);
}

function countUpTo(ordered: readonly number[], value: number): number {
  return placeOf(ordered, (one) => one <= value);
}

/** How many hold, where those that do come first; by halving. */
function placeOf(ordered: readonly number[], holds: (value: number) => boolean): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const at = Math.floor((low + high) / 2);
    if (holds(ordered[at] ?? NaN)) low = at + 1;
    else high = at;
  }
  return low;
}
