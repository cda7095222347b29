import { betaCdf, logBeta } from "./distributions.ts";

/** Natural logarithms, but `e`. */
export type EValue = {
  readonly logE: number;
  readonly e: number;
  readonly logEHelps: number;
  readonly logEHurts: number;
};

/**
 * Evidence against "a discordant pair is as likely to favour either arm", valid at whatever moment somebody looks: a
 * uniform mixture over the chance that the skill wins such a pair, on (0, 1), and on either half for the two sides. At
 * 20 the null would be exceeded in at most one campaign of 20. Source: Ramdas, Grünwald, Vovk and Shafer 2023.
 */
export function eValue(onlyWithPasses: number, onlyWithoutPasses: number): EValue {
  const [a, b] = [onlyWithPasses, onlyWithoutPasses];
  if (![a, b].every((count) => Number.isSafeInteger(count) && count >= 0))
    throw new RangeError(`pairs: ${a} and ${b} are no counts`);
  const logE = (a + b) * Math.LN2 + logBeta(a + 1, b + 1);
  const half = (wins: number, losses: number): number =>
    logE + Math.LN2 + Math.log(betaCdf(0.5, losses + 1, wins + 1));
  return { logE, e: Math.exp(logE), logEHelps: half(a, b), logEHurts: half(b, a) };
}
