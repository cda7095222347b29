/** p of a drawn null distribution, never 0: (b + 1) / (B + 1). Source: Phipson and Smyth 2010. */
export function monteCarloP(exceedances: number, resamples: number): number {
  if (!(exceedances >= 0 && exceedances <= resamples))
    throw new RangeError(`exceedances: ${exceedances} is not within 0 and ${resamples}`);
  return (exceedances + 1) / (resamples + 1);
}
