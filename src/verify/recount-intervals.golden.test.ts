import { describe, expect, test } from "vitest";
import { z } from "zod";
import { randomFrom } from "../seed.ts";
import { shrunk } from "../statistics/shrunk.ts";
import { expectGolden, goldenGroup } from "../testing/golden-stats.ts";
import { differenceEnds, scoreEnds, spreadOf, tEnds } from "./recount-intervals.ts";
import { Family } from "./recount-intervals-family.ts";
import { shuffledChances } from "./recount-intervals-p.ts";
import { normalAt } from "./recount-intervals-quantiles.ts";
import { pulledTogether } from "./recount-intervals-shrunk.ts";

const numbers = z.array(z.number());
const rate = z.object({ k: z.number(), n: z.number() });
const passes = ({ k, n }: z.infer<typeof rate>) => ({ passed: k, graded: n });

describe("the second count against the same golden values as the first", () => {
  test.for(goldenGroup("rateIntervals"))("rate: $id", ({ input, expected, tolerance }) => {
    const { confidence, ...of } = rate.extend({ confidence: z.number() }).parse(input);
    expectGolden({ wilson: scoreEnds(passes(of), confidence) }, expected, tolerance);
  });

  test.for(goldenGroup("rateDifference"))("difference: $id", ({ input, expected, tolerance }) => {
    const { withSkill, without, confidence } = z
      .object({ withSkill: rate, without: rate, confidence: z.number() })
      .parse(input);
    expectGolden({ ci: differenceEnds(passes(withSkill), passes(without), confidence) }, expected, tolerance);
  });

  test.for(goldenGroup("tInterval"))("mean: $id", ({ input, expected, tolerance }) => {
    const { values, confidence } = z.object({ values: numbers, confidence: z.number() }).parse(input);
    const spread = spreadOf(values);
    // One value has no spread, and so no interval.
    expect(spread === null).toBe(values.length < 2);
    if (spread === null) return;
    const { mean, sd } = spread;
    expectGolden({ mean, sd, ci: tEnds(spread, confidence) }, expected, tolerance);
  });

  test.for(goldenGroup("multipleTesting"))("family: $id", ({ input, expected, tolerance }) => {
    const { p } = z.object({ p: numbers }).parse(input);
    const adjusted = (correction: "holm" | "bh"): readonly number[] => {
      const family = new Family(p, correction);
      return p.map((one) => family.adjusted(one));
    };
    expectGolden({ holm: adjusted("holm"), bh: adjusted("bh") }, expected, tolerance);
  });

  test.for(goldenGroup("stratifiedPermutation"))("shuffled: $id", ({ input, expected, tolerance }) => {
    const cell = z.object({
      ...{ withPass: z.number(), withN: z.number() },
      ...{ withoutPass: z.number(), withoutN: z.number() },
    });
    const { cells } = z.object({ cells: z.array(cell) }).parse(input);
    const { pTwoSided, pGreater, midPTwoSided } = shuffledChances(
      cells.map(({ withPass, withN, withoutPass, withoutN }) => ({
        treated: { passed: withPass, graded: withN },
        control: { passed: withoutPass, graded: withoutN },
      })),
    );
    expectGolden({ pTwoSided, pGreater, midPTwoSided }, expected, tolerance);
  });
});

test("pulled together as the report does it, with and without a variance between skills", () => {
  const random = randomFrom(7, "pulled");
  let without = 0;
  for (let campaign = 0; campaign < 60; campaign++) {
    const spread = campaign % 3 === 0 ? 0 : 0.4;
    const skills = Array.from({ length: 3 + (campaign % 9) }, () => {
      const variance = 0.002 + random() / 50;
      const noise = normalAt(0.001 + 0.998 * random()) * Math.sqrt(variance);
      return { value: spread * (random() - 0.5) + noise, variance };
    });
    const [again, first] = [pulledTogether(skills), shrunk(skills)];
    if (first?.tauSquared === 0) without += 1;
    expect(again?.tauSquared).toBeCloseTo(first?.tauSquared ?? NaN, 7);
    expect(again?.mean).toBeCloseTo(first?.mean ?? NaN, 7);
    for (const [at, one] of (first?.estimates ?? []).entries()) {
      expect(again?.estimates[at]?.value).toBeCloseTo(one.value, 6);
      expect(again?.estimates[at]?.sd).toBeCloseTo(one.sd, 6);
    }
  }
  expect(without).toBeGreaterThan(0);
  expect(without).toBeLessThan(60);
  expect(pulledTogether([])).toBeNull();
});
