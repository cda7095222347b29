import { describe, expect, test } from "vitest";
import { z } from "zod";
import { expectGolden, goldenGroup } from "../testing/golden-stats.ts";
import { fraction, type Fraction, onLattice, toNumber } from "./fraction.ts";
import { mcnemar } from "./mcnemar.ts";
import { monteCarloP } from "./monte-carlo-p.ts";
import { benjaminiHochberg, bonferroni, holm } from "./multiple-testing.ts";
import { clopperPearson, jeffreys, newcombe, wilson } from "./rate-intervals.ts";
import { signFlip, signFlipReal } from "./sign-flip.ts";
import { stratifiedPermutation } from "./stratified-permutation.ts";
import { equivalence, tInterval } from "./t-interval.ts";

const rate = z.object({ k: z.number(), n: z.number() });

function exact(text: string): Fraction {
  const [numerator = "", denominator = "1"] = text.split("/");
  return fraction(Number(numerator), Number(denominator));
}

describe("sign flip", () => {
  test.for(goldenGroup("signFlip"))("$id", ({ input, expected, tolerance }) => {
    const { d, dExact } = z
      .object({ d: z.array(z.number()), dExact: z.array(z.string()).optional() })
      .parse(input);
    const values = dExact?.map(exact);
    const { nNonZero, pTwoSided, pGreater, pLess, midPTwoSided, midPGreater } =
      values === undefined ? signFlipReal(d, 7) : signFlip(values);
    const got = { nNonZero, pTwoSided, pGreater, pLess, midPTwoSided, midPGreater };
    expectGolden(got, expected, tolerance);
    if (values === undefined) return;
    const { totals, unit } = onLattice(values);
    const sum = totals.reduce((all, total) => all + total, 0) / unit;
    expectGolden({ n: values.length, sum, mean: sum / values.length }, expected, tolerance);
    expect(values.map(toNumber)).toEqual(d.map((one): unknown => expect.closeTo(one, 12)));
  });
});

describe("Monte Carlo p", () => {
  test.for(goldenGroup("monteCarloP"))("$id", ({ input, expected, tolerance }) => {
    const { exceedances, resamples } = z
      .object({ exceedances: z.number(), resamples: z.number() })
      .parse(input);
    expectGolden({ p: monteCarloP(exceedances, resamples) }, expected, tolerance);
  });
});

describe("multiple testing", () => {
  test.for(goldenGroup("multipleTesting"))("$id", ({ input, expected, tolerance }) => {
    const { p } = z.object({ p: z.array(z.number()) }).parse(input);
    const got = { holm: holm(p), bh: benjaminiHochberg(p), bonferroni: bonferroni(p) };
    expectGolden(got, expected, tolerance);
  });
});

describe("rate intervals", () => {
  test.for(goldenGroup("rateIntervals"))("$id", ({ input, expected, tolerance }) => {
    const { confidence, ...given } = rate.extend({ confidence: z.number() }).parse(input);
    const got = {
      wilson: wilson(given, confidence),
      clopperPearson: clopperPearson(given, confidence),
      jeffreys: jeffreys(given, confidence),
    };
    expectGolden(got, expected, tolerance);
  });
});

describe("difference of rates", () => {
  test.for(goldenGroup("rateDifference"))("$id", ({ input, expected, tolerance }) => {
    const { withSkill, without, confidence } = z
      .object({ withSkill: rate, without: rate, confidence: z.number() })
      .parse(input);
    const difference = withSkill.k / withSkill.n - without.k / without.n;
    expectGolden({ difference, ci: newcombe(withSkill, without, confidence) }, expected, tolerance);
  });
});

describe("McNemar", () => {
  test.for(goldenGroup("mcnemar"))("$id", ({ input, expected, tolerance }) => {
    const { onlyWithPasses, onlyWithoutPasses } = z
      .object({ onlyWithPasses: z.number(), onlyWithoutPasses: z.number() })
      .parse(input);
    expectGolden(mcnemar(onlyWithPasses, onlyWithoutPasses), expected, tolerance);
  });
});

describe("stratified permutation", () => {
  const cell = z.object({
    withPass: z.number(),
    withN: z.number(),
    withoutPass: z.number(),
    withoutN: z.number(),
  });
  test.for(goldenGroup("stratifiedPermutation"))("$id", ({ input, expected, tolerance }) => {
    const { cells } = z.object({ cells: z.array(cell) }).parse(input);
    expectGolden(stratifiedPermutation(cells), expected, tolerance);
  });
});

describe("t interval", () => {
  test.for(goldenGroup("tInterval"))("$id", ({ input, expected, tolerance }) => {
    const { values, confidence } = z
      .object({ values: z.array(z.number()), confidence: z.number() })
      .parse(input);
    const interval = tInterval(values, confidence);
    if (interval === null) expect(expected["ci"]).toBeNull();
    else expectGolden(interval, expected, tolerance);
  });
});

describe("equivalence", () => {
  test.for(goldenGroup("equivalence"))("$id", ({ input, expected, tolerance }) => {
    const { values, delta, alpha } = z
      .object({ values: z.array(z.number()), delta: z.number(), alpha: z.number() })
      .parse(input);
    const got = equivalence(values, delta, alpha);
    expect(got).not.toBeNull();
    if (got !== null) expectGolden(got, expected, tolerance);
  });
});
