/** A rational number in whole numbers, so that ties of thirds are ties. `denominator` > 0. */
export type Fraction = { readonly numerator: number; readonly denominator: number };

export function fraction(numerator: number, denominator = 1): Fraction {
  requireWhole("numerator", numerator);
  requireWhole("denominator", denominator);
  if (denominator <= 0) throw new RangeError(`denominator: ${denominator} is not above 0`);
  return { numerator, denominator };
}

/** `a − b`, for two rates k/n. */
export function difference(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);
}

/** The mean of at least one fraction. */
export function meanOf(values: readonly Fraction[]): Fraction {
  if (values.length === 0) throw new RangeError("values: empty, so they have no mean");
  const { totals, unit } = onLattice(values);
  return reduced(
    totals.reduce((sum, total) => sum + total, 0),
    unit * values.length,
  );
}

export function toNumber({ numerator, denominator }: Fraction): number {
  return numerator / denominator;
}

/** The values as whole multiples of `1 / unit`, the coarsest lattice that holds them all. */
export function onLattice(values: readonly Fraction[]): {
  readonly totals: readonly number[];
  readonly unit: number;
} {
  const small = values.map(({ numerator, denominator }) => reduced(numerator, denominator));
  const unit = small.reduce((all, { denominator }) => (all / gcd(all, denominator)) * denominator, 1);
  const totals = small.map(({ numerator, denominator }) => numerator * (unit / denominator));
  const largest = Math.max(unit, ...totals.map(Math.abs));
  if (!Number.isSafeInteger(largest))
    throw new RangeError(`values: their common denominator ${unit} is too large to count with`);
  return { totals, unit };
}

function reduced(numerator: number, denominator: number): Fraction {
  const common = gcd(Math.abs(numerator), denominator);
  return fraction(numerator / common, denominator / common);
}

function gcd(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small !== 0) [large, small] = [small, large % small];
  return large === 0 ? 1 : large;
}

function requireWhole(name: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name}: ${value} is not a whole number`);
}
