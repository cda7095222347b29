import { normalCdf } from "./distributions.ts";

export type Boundary = "pocock" | "obrien-fleming";

/**
 * Critical values of equally spaced looks at a two-sided 5 %. Source: Jennison and Turnbull 2000, tables 2.1 and 2.3
 * (O'Brien–Fleming: constant × √(looks / look)).
 */
const constants: Readonly<Record<Boundary, readonly number[]>> = {
  // For 2, 3, 4 and 5 looks.
  pocock: [2.178, 2.289, 2.361, 2.413],
  "obrien-fleming": [1.977, 2.004, 2.024, 2.04],
};

export const mostLooks = 5;

/** |z| at which each look stops, and the p that a look's test is held against. Throws `RangeError` outside 2 to 5 looks. */
export function boundaryOf(
  boundary: Boundary,
  looks: number,
): readonly { readonly z: number; readonly nominalP: number }[] {
  const constant = constants[boundary][looks - 2];
  if (constant === undefined) throw new RangeError(`looks: ${looks} is not within 2 and ${mostLooks}`);
  return Array.from({ length: looks }, (_, at) => {
    const z = boundary === "pocock" ? constant : constant * Math.sqrt(looks / (at + 1));
    return { z, nominalP: 2 * (1 - normalCdf(z)) };
  });
}

/** One trial of each arm, as `[with, without]`. */
export type VerdictPair = readonly [boolean, boolean];

/** A cell gets no further trials once it has `settleAfter` pairs and every verdict of both arms was the same. */
export function isSettled(pairs: readonly VerdictPair[], settleAfter = 2): boolean {
  const [first] = pairs;
  if (first === undefined || pairs.length < settleAfter) return false;
  return pairs.every(([treated, control]) => treated === first[0] && control === first[0]);
}
