/** A complex number. */
export type Complex = readonly [length: number, turn: number];

/** Where nearly all chances of a sum lie: whole numbers from `from`, as many as `places`. */
export type Window = { readonly from: number; readonly places: number };

/**
 * Between `least` and `most`, and where both are far off, only so far from the mean that what is left out has a chance
 * below 1e-30, by Bernstein's inequality for steps of at most `step`.
 */
export function windowOf({
  least,
  most,
  mean,
  sd,
  step = 1,
}: Readonly<Record<"least" | "most" | "mean" | "sd", number>> & {
  readonly step?: number;
}): Window {
  const half = 12 * sd + 60 * step;
  const from = Math.max(least, Math.floor(mean - half));
  return { from, places: Math.min(most, Math.ceil(mean + half)) - from + 1 };
}

/** Chances of a whole-numbered sum, turned back from the values of its characteristic function at as many angles. */
export class Sum {
  private readonly window: Window;
  private readonly values: readonly Complex[];

  constructor(window: Window, of: (angle: number) => Complex) {
    this.window = window;
    this.values = Array.from({ length: window.places }, (_, at) => of(this.angle(at)));
  }

  at(total: number): number {
    const { from, places } = this.window;
    if (total < from || total >= from + places) return 0;
    let sum = 0;
    for (const [at, [length, turn]] of this.values.entries())
      sum += length * Math.cos(turn - this.angle(at) * total);
    return sum / places;
  }

  /** Of `total` and all above it. */
  from(total: number): number {
    const { from, places } = this.window;
    const above = total - from;
    if (above <= 0) return 1;
    if (above >= places) return 0;
    let sum = places - above;
    for (const [at, [length, turn]] of this.values.entries()) {
      if (at === 0) continue;
      const half = this.angle(at) / 2;
      // Sum of a geometric row of turns.
      const row = -Math.sin(half * above) / Math.sin(half);
      sum += length * row * Math.cos(turn - half * (2 * from + above - 1));
    }
    return sum / places;
  }

  private angle(at: number): number {
    return (2 * Math.PI * at) / this.window.places;
  }
}
