import { randomFrom } from "../seed.ts";
import { difference, fraction } from "./fraction.ts";
import type { Sides } from "./required-tasks.ts";
import { signFlip } from "./sign-flip.ts";

/**
 * Power of the sign-flip test over `tasks` tasks of which each goes up by one with `pUp` and down by one with `pDown`:
 * the exact sum over how many move and which way. Counts rejections towards *helps* only.
 */
export function powerExact(design: {
  readonly tasks: number;
  readonly pUp: number;
  readonly pDown: number;
  readonly alpha: number;
  readonly sides: Sides;
}): number {
  const { tasks, pUp, pDown, alpha, sides } = design;
  const logs = logFactorials(tasks);
  const logOf = (p: number, count: number): number => (count === 0 ? 0 : count * Math.log(p));
  let power = 0;
  for (let moved = 1; moved <= tasks; moved++) {
    const least = leastUps(moved, alpha, sides);
    for (let ups = least; ups <= moved; ups++) {
      const ways =
        (logs[tasks] ?? 0) - (logs[ups] ?? 0) - (logs[moved - ups] ?? 0) - (logs[tasks - moved] ?? 0);
      const still = logOf(1 - pUp - pDown, tasks - moved);
      power += Math.exp(ways + logOf(pUp, ups) + logOf(pDown, moved - ups) + still);
    }
  }
  return power;
}

/** The fewest ups of `moved` tasks at which the test rejects; more than `moved` when it cannot. */
function leastUps(moved: number, alpha: number, sides: Sides): number {
  const logs = logFactorials(moved);
  let tail = 0;
  for (let ups = moved; ups > moved / 2; ups--) {
    const ways = (logs[moved] ?? 0) - (logs[ups] ?? 0) - (logs[moved - ups] ?? 0);
    tail += Math.exp(ways - moved * Math.LN2);
    if (tail * sides > alpha) return ups + 1;
  }
  return Math.floor(moved / 2) + 1;
}

function logFactorials(n: number): readonly number[] {
  const logs = [0];
  for (let k = 1; k <= n; k++) logs.push((logs[k - 1] ?? 0) + Math.log(k));
  return logs;
}

export type SimulatedPower = {
  readonly power: number;
  /** Of `power`, from the number of repetitions. */
  readonly monteCarloSE: number;
};

/**
 * Share of simulated campaigns whose sign-flip test over tasks rejects, in either direction. `tasks` are true pass rates
 * per arm.
 */
export function powerSimulated(design: {
  readonly tasks: readonly { readonly treated: number; readonly control: number }[];
  readonly trialsPerArm: number;
  readonly alpha: number;
  readonly sides: Sides;
  readonly repetitions: number;
  readonly seed: number;
}): SimulatedPower {
  const { tasks, trialsPerArm, alpha, sides, repetitions, seed } = design;
  const random = randomFrom(seed, "power", tasks.length, trialsPerArm);
  const passes = (rate: number): number => {
    let count = 0;
    for (let trial = 0; trial < trialsPerArm; trial++) if (random() < rate) count++;
    return count;
  };
  let rejected = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const differences = tasks.map(({ treated, control }) =>
      difference(fraction(passes(treated), trialsPerArm), fraction(passes(control), trialsPerArm)),
    );
    const { pTwoSided, pGreater } = signFlip(differences);
    if ((sides === 1 ? pGreater : pTwoSided) <= alpha) rejected++;
  }
  const power = rejected / repetitions;
  return { power, monteCarloSE: Math.sqrt((power * (1 - power)) / repetitions) };
}
