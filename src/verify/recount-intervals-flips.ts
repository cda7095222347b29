import { randomFrom } from "../seed.ts";
import { type Chances, rounding, share, signOf } from "./recount-intervals-p.ts";
import { Sum, windowOf } from "./recount-intervals-sum.ts";

/** Whole multiples of one unit: each may as well have the other sign. */
export function flippedChances(steps: readonly number[]): Chances {
  const plain = steps.filter((step) => step !== 0);
  if (plain.length === 0) return { ...always, toward: 0 };
  const finest = plain.reduce((all, step) => Number(divisor(BigInt(all), BigInt(Math.abs(step)))), 0);
  const sizes = new Map<number, number>();
  let [reach, total] = [0, 0];
  for (const step of plain) {
    const size = Math.abs(step) / finest;
    sizes.set(size, (sizes.get(size) ?? 0) + 1);
    reach += size;
    total += step / finest;
  }
  const largest = Math.max(...sizes.keys());
  const sd = Math.sqrt([...sizes].reduce((sum, [size, times]) => sum + times * size ** 2, 0));
  const window = windowOf({ least: -reach, most: reach, mean: 0, sd, step: largest });
  const sum = new Sum(window, (angle) => {
    let value = 1;
    for (const [size, times] of sizes) value *= Math.cos(angle * size) ** times;
    return [value, 0];
  });
  const away = Math.abs(total);
  const far = away === 0 ? 1 : 2 * sum.from(away);
  const ties = away === 0 ? sum.at(0) : 2 * sum.at(away);
  const atLeast = sum.from(total);
  return {
    pTwoSided: share(far),
    pGreater: share(atLeast),
    midPTwoSided: share(far - ties / 2),
    midPGreater: share(atLeast - sum.at(total) / 2),
    toward: signOf(total),
  };
}

const always = { pTwoSided: 1, pGreater: 1, midPTwoSided: 1, midPGreater: 1 };

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}

/** So many values have all their signs tried; of more, signs are drawn. */
export const mostTried = 16;
const draws = 99_999;

/**
 * Values that are no multiples of anything. Of few every choice of signs is tried, each from the one before by one sign
 * (Gray's code); of more the signs are drawn again from the recorded seed.
 */
export function triedChances(all: readonly number[], seed: number): Chances {
  const values = all.filter((value) => value !== 0);
  if (values.length === 0) return { ...always, toward: 0 };
  const total = values.reduce((sum, value) => sum + value, 0);
  const near = rounding * values.reduce((sum, value) => sum + Math.abs(value), 0);
  const count = new Count(total, near);
  if (values.length <= mostTried) {
    tryAll(values, count);
    return { ...count.chances((times) => times / 2 ** values.length), toward: signOf(total) };
  }
  const random = randomFrom(seed, "sign-flip", values.length);
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += random() < 0.5 ? (values[at] ?? 0) : -(values[at] ?? 0);
    count.see(sum);
  }
  return { ...count.chances((times) => (times + 1) / (draws + 1)), toward: signOf(total) };
}

function tryAll(values: readonly number[], count: Count): void {
  const signs = values.map(() => 1);
  count.see(values.reduce((sum, value) => sum + value, 0));
  for (let step = 1; step < 2 ** values.length; step++) {
    // The lowest bit of the step's number is the sign that changes.
    const at = 31 - Math.clz32(step & -step);
    signs[at] = -(signs[at] ?? 1);
    count.see(values.reduce((sum, value, place) => sum + value * (signs[place] ?? 1), 0));
  }
}

class Count {
  private readonly total: number;
  private readonly near: number;
  private readonly times = { beyond: 0, tied: 0, above: 0, same: 0 };

  constructor(total: number, near: number) {
    this.total = total;
    this.near = near;
  }

  see(sum: number): void {
    const further = Math.abs(sum) - Math.abs(this.total);
    if (further >= -this.near) this.times.beyond += 1;
    if (Math.abs(further) <= this.near) this.times.tied += 1;
    if (sum - this.total >= -this.near) this.times.above += 1;
    if (Math.abs(sum - this.total) <= this.near) this.times.same += 1;
  }

  chances(shareOf: (times: number) => number): Omit<Chances, "toward"> {
    const { beyond, tied, above, same } = this.times;
    return {
      pTwoSided: share(shareOf(beyond)),
      pGreater: share(shareOf(above)),
      midPTwoSided: share(shareOf(beyond) - shareOf(tied) / 2),
      midPGreater: share(shareOf(above) - shareOf(same) / 2),
    };
  }
}
