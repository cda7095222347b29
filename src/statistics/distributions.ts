import logBetaOf from "@stdlib/math-base-special-betaln";
import betaCdfOf from "@stdlib/stats-base-dists-beta-cdf";
import betaQuantileOf from "@stdlib/stats-base-dists-beta-quantile";
import normalCdfOf from "@stdlib/stats-base-dists-normal-cdf";
import normalQuantileOf from "@stdlib/stats-base-dists-normal-quantile";
import tCdfOf from "@stdlib/stats-base-dists-t-cdf";
import tQuantileOf from "@stdlib/stats-base-dists-t-quantile";

/** Of the standard normal distribution, at 0 < p < 1. */
export function normalQuantile(p: number): number {
  return normalQuantileOf(p, 0, 1);
}

export function normalCdf(x: number): number {
  return normalCdfOf(x, 0, 1);
}

/** Of Student's t with `degrees` > 0, at 0 < p < 1. */
export function tQuantile(p: number, degrees: number): number {
  return tQuantileOf(p, degrees);
}

export function tCdf(x: number, degrees: number): number {
  return tCdfOf(x, degrees);
}

/** Of the beta distribution with both shapes > 0, at 0 < p < 1. */
export function betaQuantile(p: number, alpha: number, beta: number): number {
  return betaQuantileOf(p, alpha, beta);
}

/** Of the beta distribution with both shapes > 0, at 0 ≤ x ≤ 1. */
export function betaCdf(x: number, alpha: number, beta: number): number {
  return betaCdfOf(x, alpha, beta);
}

/** Natural logarithm of the beta function. */
export function logBeta(alpha: number, beta: number): number {
  return logBetaOf(alpha, beta);
}
