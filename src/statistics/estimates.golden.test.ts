import { describe, expect, test } from "vitest";
import { z } from "zod";
import { expectGolden, goldenGroup } from "../testing/golden-stats.ts";
import { agreement } from "./agreement.ts";
import { bootstrapExact } from "./bootstrap-exact.ts";
import { bootstrapMean, mean } from "./bootstrap.ts";
import { costPerCorrect } from "./cost-per-correct.ts";
import { eValue } from "./e-value.ts";
import { fraction } from "./fraction.ts";
import { boundaryOf, isSettled } from "./looks.ts";
import { missingTrials } from "./missing-trials.ts";
import { passAtK } from "./pass-at-k.ts";
import { powerExact, powerSimulated } from "./power.ts";
import { requiredTasks } from "./required-tasks.ts";
import { findingConsistency, findingPrecision, weightedCompleteness } from "./rubric.ts";
import { tokenRatio } from "./token-ratio.ts";

const numbers = z.array(z.number());
const resamples = z.array(numbers);
const sides = z.union([z.literal(1), z.literal(2)]);

describe("bootstrap, given resamples", () => {
  test.for(goldenGroup("bootstrapFixedIndices"))("$id", ({ input, expected, tolerance }) => {
    const { values, confidence, resampleIndices } = z
      .object({ values: numbers, confidence: z.number(), resampleIndices: resamples })
      .parse(input);
    const got = bootstrapMean(values, resampleIndices, confidence);
    expect(got).not.toBeNull();
    if (got === null) return;
    const { bca, ...rest } = got;
    expectGolden(rest, expected, tolerance);
    const wanted = z.record(z.string(), z.unknown()).nullable().parse(expected["bca"]);
    if (wanted === null) expect(bca).toBeNull();
    else expectGolden({ ...bca }, wanted, tolerance);
    const firstFiveResampleMeans = resampleIndices
      .slice(0, 5)
      .map((indices) => mean(indices.map((at) => values[at] ?? NaN)));
    expectGolden({ firstFiveResampleMeans }, expected, tolerance);
  });
});

describe("bootstrap, exact", () => {
  test.for(goldenGroup("bootstrapExact"))("$id", ({ input, expected, tolerance }) => {
    const { valuesInUnits, unitsPerOne, confidence } = z
      .object({ valuesInUnits: numbers, unitsPerOne: z.number(), confidence: z.number() })
      .parse(input);
    const got = bootstrapExact(
      valuesInUnits.map((value) => fraction(value, unitsPerOne)),
      confidence,
    );
    expect(got).not.toBeNull();
    if (got !== null) expectGolden(got, expected, tolerance);
  });
});

describe("token ratio", () => {
  test.for(goldenGroup("tokenRatio"))("$id", ({ input, expected, tolerance }) => {
    const { withTokens, withoutTokens, confidence, resampleIndices } = z
      .object({
        withTokens: resamples,
        withoutTokens: resamples,
        confidence: z.number(),
        resampleIndices: resamples,
      })
      .parse(input);
    const tasks = withTokens.map((treated, at) => ({ treated, control: withoutTokens[at] ?? [] }));
    expectGolden({ ...tokenRatio(tasks, resampleIndices, confidence) }, expected, tolerance);
  });
});

describe("cost per correct", () => {
  test.for(goldenGroup("costPerCorrect"))("$id", ({ input, expected, tolerance }) => {
    const { costUsd, passed, confidence, resampleIndices } = z
      .object({ costUsd: resamples, passed: resamples, confidence: z.number(), resampleIndices: resamples })
      .parse(input);
    const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
    const tasks = costUsd.map((costs, at) => ({ costUsd: total(costs), passes: total(passed[at] ?? []) }));
    expectGolden({ ...costPerCorrect(tasks, resampleIndices, confidence) }, expected, tolerance);
  });

  test.for(goldenGroup("costPerCorrectFromMeans"))("$id", ({ input, expected, tolerance }) => {
    const { meanCostPerRun, runs, passes } = z
      .object({ meanCostPerRun: z.number(), runs: z.number(), passes: z.number() })
      .parse(input);
    const { costPerCorrect: got } = costPerCorrect([{ costUsd: meanCostPerRun * runs, passes }], []);
    expectGolden({ costPerCorrect: got }, expected, tolerance);
    expect(got?.toFixed(3)).toBe(z.number().parse(expected["rounded3"]).toFixed(3));
  });
});

describe("pass at k", () => {
  test.for(goldenGroup("passAtK"))("$id", ({ input, expected, tolerance }) => {
    const { n, c, k } = z.object({ n: z.number(), c: z.number(), k: z.number() }).parse(input);
    expectGolden(passAtK(n, c, k), expected, tolerance);
  });
});

describe("agreement of judges", () => {
  test.for(goldenGroup("judgeAgreement"))("$id", ({ input, expected, tolerance }) => {
    const { counts } = z.object({ counts: resamples }).parse(input);
    expectGolden({ ...agreement(counts) }, expected, tolerance);
  });
});

describe("rubric", () => {
  const row = z.object({ weight: z.number(), applicable: z.boolean(), confirmed: z.boolean() });
  test.for(goldenGroup("rubric"))("$id", ({ input, expected, tolerance }) => {
    const { rows, confirmedFindings, checkableFindings, consistency } = z
      .object({
        rows: z.array(row),
        confirmedFindings: z.number(),
        checkableFindings: z.number(),
        consistency: z.array(z.tuple([z.number(), z.number()])),
      })
      .parse(input);
    const got = {
      weightedCompleteness: weightedCompleteness(rows),
      findingPrecision: findingPrecision(confirmedFindings, checkableFindings),
      findingConsistency: consistency.map(([confirming, of]) => findingConsistency(confirming, of)),
    };
    expectGolden(got, expected, tolerance);
  });
});

describe("e-value", () => {
  test.for(goldenGroup("eValue"))("$id", ({ input, expected, tolerance }) => {
    const { onlyWithPasses, onlyWithoutPasses } = z
      .object({ onlyWithPasses: z.number(), onlyWithoutPasses: z.number() })
      .parse(input);
    expectGolden({ ...eValue(onlyWithPasses, onlyWithoutPasses) }, expected, tolerance);
  });
});

describe("looks", () => {
  const table = z.record(z.string(), z.object({ z: numbers, nominalP: numbers }));
  test.for(goldenGroup("groupSequentialBoundaries"))("$id", ({ expected, tolerance }) => {
    const allowed = z.object({ z: z.number(), p: z.number() }).loose().parse(tolerance);
    const { pocock, obrienFleming } = z.object({ pocock: table, obrienFleming: table }).parse(expected);
    for (const [name, rows] of [
      ["pocock", pocock],
      ["obrien-fleming", obrienFleming],
    ] as const) {
      for (const [looks, wanted] of Object.entries(rows)) {
        const got = boundaryOf(name, Number(looks));
        expectGolden({ z: got.map((look) => look.z) }, wanted, { abs: allowed.z });
        expectGolden({ nominalP: got.map((look) => look.nominalP) }, wanted, { abs: allowed.p });
      }
    }
  });

  test.for(goldenGroup("settleRule"))("settle: $id", ({ input, expected }) => {
    const bit = z.number().transform((value) => value === 1);
    const { pairs, settleAfter } = z
      .object({ pairs: z.array(z.tuple([bit, bit])), settleAfter: z.number() })
      .parse(input);
    expect({ settled: isSettled(pairs, settleAfter) }).toEqual(expected);
  });
});

describe("planning", () => {
  test.for(goldenGroup("requiredTasks"))("tasks: $id", ({ input, expected, tolerance }) => {
    const { values, ...design } = z
      .object({ values: numbers, delta: z.number(), alpha: z.number(), power: z.number(), sides })
      .parse(input);
    expectGolden({ ...requiredTasks(values, design) }, expected, tolerance);
  });

  test.for(goldenGroup("powerExact"))("power: $id", ({ input, expected, tolerance }) => {
    const design = z
      .object({ tasks: z.number(), pUp: z.number(), pDown: z.number(), alpha: z.number(), sides })
      .parse(input);
    expectGolden({ power: powerExact(design) }, expected, tolerance);
  });

  test.for(goldenGroup("powerSimulated"))("simulated: $id", ({ input, expected, tolerance }) => {
    const { withP, withoutP, ...design } = z
      .object({
        withP: numbers,
        withoutP: numbers,
        trialsPerArm: z.number(),
        alpha: z.number(),
        sides,
      })
      .parse(input);
    const tasks = withP.map((treated, at) => ({ treated, control: withoutP[at] ?? NaN }));
    const { power } = powerSimulated({ ...design, tasks, repetitions: 20_000, seed: 7 });
    const { simulationAbs } = z.object({ simulationAbs: z.number() }).loose().parse(tolerance);
    expectGolden({ power }, expected, { abs: simulationAbs });
  });
});

describe("missing trials", () => {
  const words = z.array(z.enum(["pass", "fail", "timeout", "agent_error", "infra"]));
  test.for(goldenGroup("missingTrials"))("$id", ({ input, expected, tolerance }) => {
    const { withSkill, without } = z.object({ withSkill: words, without: words }).parse(input);
    expectGolden({ ...missingTrials(withSkill, without) }, expected, tolerance);
  });
});
