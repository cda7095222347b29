/** An estimate with the square of its standard error. */
export type Estimate = { readonly value: number; readonly variance: number };

export type Shrunk = {
  /** Of the estimates, each weighted by how well it is known. */
  readonly mean: number;
  /** Variance between the true values, by restricted maximum likelihood. */
  readonly tauSquared: number;
  /** In the order given; `sd` is that of the true value around it, with `mean` and `tauSquared` taken as known. */
  readonly estimates: readonly { readonly value: number; readonly sd: number }[];
};

/** Fewer estimates do not show how far true values lie apart. */
const fewest = 3;

/**
 * Estimates pulled towards their mean, the less is known of each the further: value ~ Normal(true, variance), true ~
 * Normal(mean, τ²). Null from fewer than three. Throws `RangeError` for a value that is not finite or a variance that is
 * not above 0. Sources: Patterson and Thompson 1971; Efron and Morris 1975.
 */
export function shrunk(estimates: readonly Estimate[]): Shrunk | null {
  for (const { value, variance } of estimates) {
    if (!Number.isFinite(value)) throw new RangeError(`value: ${value} is not finite`);
    if (!(variance > 0 && Number.isFinite(variance)))
      throw new RangeError(`variance: ${variance} is not above 0`);
  }
  if (estimates.length < fewest) return null;
  const tauSquared = mostLikely(estimates);
  const mean = meanAt(estimates, tauSquared);
  return {
    mean,
    tauSquared,
    estimates: estimates.map(({ value, variance }) => {
      const kept = tauSquared / (tauSquared + variance);
      return { value: mean + kept * (value - mean), sd: Math.sqrt(kept * variance) };
    }),
  };
}

function meanAt(estimates: readonly Estimate[], tauSquared: number): number {
  let [sum, weights] = [0, 0];
  for (const { value, variance } of estimates) {
    sum += value / (tauSquared + variance);
    weights += 1 / (tauSquared + variance);
  }
  return sum / weights;
}

/** Minus twice the restricted log-likelihood, without its constant. */
function deviance(estimates: readonly Estimate[], tauSquared: number): number {
  const mean = meanAt(estimates, tauSquared);
  let [sum, weights] = [0, 0];
  for (const { value, variance } of estimates) {
    const total = tauSquared + variance;
    sum += Math.log(total) + (value - mean) ** 2 / total;
    weights += 1 / total;
  }
  return sum + Math.log(weights);
}

const steps = 400;
const rounds = 80;
const golden = (Math.sqrt(5) - 1) / 2;

/** τ² of the least deviance: the best of a grid, since there may be several dips, then golden sections around it. */
function mostLikely(estimates: readonly Estimate[]): number {
  const values = estimates.map(({ value }) => value);
  // No spread of true values beyond the range of the estimates is the likeliest.
  const most = (2 * (Math.max(...values) - Math.min(...values))) ** 2;
  if (most === 0) return 0;
  // Squared steps: finer near 0.
  const at = (step: number): number => most * (Math.min(Math.max(step, 0), steps) / steps) ** 2;
  let best = 0;
  for (let step = 1; step <= steps; step++)
    if (deviance(estimates, at(step)) < deviance(estimates, at(best))) best = step;
  let [low, high] = [at(best - 1), at(best + 1)];
  for (let round = 0; round < rounds; round++) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)];
    if (deviance(estimates, left) <= deviance(estimates, right)) high = right;
    else low = left;
  }
  const found = (low + high) / 2;
  return deviance(estimates, 0) <= deviance(estimates, found) ? 0 : found;
}
