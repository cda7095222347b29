import { rootOf } from "./recount-intervals-quantiles.ts";

/** An estimate with the square of its standard error. */
export type Known = { readonly value: number; readonly variance: number };

export type Pulled = {
  readonly mean: number;
  readonly tauSquared: number;
  readonly estimates: readonly { readonly value: number; readonly sd: number }[];
};

/** Steps in which a place is sought where the likelihood has its top. */
const steps = 2000;

/**
 * Estimates pulled towards their mean. The variance between true values is that of the greatest restricted likelihood:
 * found where its slope crosses 0, all of which are compared, and with no variance at all. Null from fewer than three.
 */
export function pulledTogether(estimates: readonly Known[]): Pulled | null {
  if (estimates.length < 3) return null;
  const tauSquared = likeliest(estimates);
  const mean = meanAt(estimates, tauSquared);
  return {
    ...{ mean, tauSquared },
    estimates: estimates.map(({ value, variance }) => {
      // The two sources of knowledge, weighed by how exact they are.
      if (tauSquared === 0) return { value: mean, sd: 0 };
      const exactness = 1 / variance + 1 / tauSquared;
      return { value: (value / variance + mean / tauSquared) / exactness, sd: Math.sqrt(1 / exactness) };
    }),
  };
}

function meanAt(estimates: readonly Known[], between: number): number {
  let [sum, weights] = [0, 0];
  for (const { value, variance } of estimates) {
    const weight = 1 / (variance + between);
    sum += weight * value;
    weights += weight;
  }
  return sum / weights;
}

/** Of minus twice the restricted log-likelihood. */
function slopeAt(estimates: readonly Known[], between: number): number {
  const mean = meanAt(estimates, between);
  let [slope, weights, squares] = [0, 0, 0];
  for (const { value, variance } of estimates) {
    const weight = 1 / (variance + between);
    slope += weight - (weight * (value - mean)) ** 2;
    weights += weight;
    squares += weight ** 2;
  }
  return slope - squares / weights;
}

function unlikeliness(estimates: readonly Known[], between: number): number {
  const mean = meanAt(estimates, between);
  let [sum, weights] = [0, 0];
  for (const { value, variance } of estimates) {
    const weight = 1 / (variance + between);
    sum += weight * (value - mean) ** 2 - Math.log(weight);
    weights += weight;
  }
  return sum + Math.log(weights);
}

function likeliest(estimates: readonly Known[]): number {
  const values = estimates.map(({ value }) => value);
  const range = Math.max(...values) - Math.min(...values);
  if (range === 0) return 0;
  const tops = [0];
  const placeOf = (step: number): number => (2 * range * (step / steps)) ** 2;
  for (let step = 0; step < steps; step++) {
    const [from, to] = [placeOf(step), placeOf(step + 1)];
    // Rising slope: the unlikeliness has a dip between them.
    if (slopeAt(estimates, from) < 0 && slopeAt(estimates, to) >= 0)
      tops.push(rootOf(from, to, (between) => slopeAt(estimates, between)));
  }
  return tops.reduce((best, top) =>
    unlikeliness(estimates, top) < unlikeliness(estimates, best) ? top : best,
  );
}
