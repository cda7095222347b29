import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AnalysisSettings } from "../../artefacts/analysis.ts";
import { type Further, furtherSchema, type TokenRatioRow } from "../../artefacts/further.ts";
import type { PlannedTrial } from "../../artefacts/trial.ts";
import { settingsOf } from "../../testing/arm-cells.ts";
import { expectGolden, goldenGroup } from "../../testing/golden-stats.ts";
import { trialEntries } from "../../testing/trial-entries.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { cellsOf } from "../uplift.ts";
import { furtherOf } from "./further.ts";

const settings = settingsOf({ bootstrap: { resamples: 400 } });
const [treated, control] = ["with_skill", "without_skill"];

function figures(
  entries: readonly TrialOnDisk[],
  { analysis = settings }: { readonly analysis?: AnalysisSettings | null } = {},
): Further {
  return furtherOf({ analysis }, entries, cellsOf(entries));
}

/** A trial's place in lists of figures by task and trial. */
function at(lists: readonly (readonly number[])[], { benchmark, n }: PlannedTrial): number {
  return lists[Number(benchmark)]?.[n - 1] ?? NaN;
}

const numbers = z.array(z.array(z.number()));

describe("golden", () => {
  test.for(goldenGroup("tokenRatio"))("token ratio: $id", ({ input, expected, tolerance }) => {
    const { withTokens, withoutTokens } = z
      .object({ withTokens: numbers, withoutTokens: numbers })
      .parse(input);
    const table = Object.fromEntries(
      withTokens.map((one, task) => [
        String(task),
        {
          [treated]: "+".repeat(one.length),
          [control]: "+".repeat(withoutTokens[task]?.length ?? 0),
        },
      ]),
    );
    const entries = trialEntries(table, {
      usage: (planned) => {
        const tokens = at(planned.arm === treated ? withTokens : withoutTokens, planned);
        return {
          inputTokens: tokens - 1,
          outputTokens: 1,
          uncachedInputTokens: tokens,
          cachedInputTokens: tokens,
        };
      },
    });
    const { tokens, cells } = figures(entries);
    for (const kind of ["total", "uncachedInput", "cachedInput"]) {
      const row = tokens.find((one) => one.tokens === kind && one.model === null)!;
      const { geometric, arithmetic, interval, median, pooled } = row;
      expectGolden(
        {
          geometricMean: geometric,
          geometricTCI: interval,
          arithmeticMean: arithmetic,
          median,
          pooledRatio: pooled,
        },
        expected,
        tolerance,
      );
    }
    expectGolden({ perTaskRatio: cells.map((cell) => cell.tokens.ratio) }, expected, tolerance);
  });

  test.for(goldenGroup("passAtK"))("pass@k: $id", ({ input, expected, tolerance }) => {
    const { n, c, k } = z.object({ n: z.number(), c: z.number(), k: z.number() }).parse(input);
    // The control decides how many trials every cell has.
    const signs = ("+".repeat(c) + "-".repeat(n - c)).padEnd(k, ".");
    const { reliability } = figures(trialEntries({ one: { [treated]: signs, [control]: ".".repeat(k) } }));
    for (const row of reliability.filter(({ arm }) => arm === treated)) {
      expectGolden({ passAtK: row.passAtK, passHatK: row.passHatK }, expected, tolerance);
      expect([row.k, row.cells, row.of]).toEqual([k, k <= n ? 1 : 0, 1]);
    }
  });

  test.for(goldenGroup("rateDifference"))("difference of rates: $id", ({ input, expected, tolerance }) => {
    const rate = z.object({ k: z.number(), n: z.number() });
    const { withSkill, without, confidence } = z
      .object({ withSkill: rate, without: rate, confidence: z.number() })
      .parse(input);
    const signs = ({ k, n }: z.infer<typeof rate>): string => "+".repeat(k) + "-".repeat(n - k);
    const entries = trialEntries({ one: { [treated]: signs(withSkill), [control]: signs(without) } });
    const [cell] = figures(entries, { analysis: { ...settings, alpha: 1 - confidence } }).cells;
    expectGolden({ difference: cell?.difference, ci: cell?.interval }, expected, tolerance);
    expect([cell?.treated.passed, cell?.treated.graded]).toEqual([withSkill.k, withSkill.n]);
  });

  test.for(goldenGroup("mcnemar"))("pairs: $id", ({ input, expected, tolerance }) => {
    const { onlyWithPasses: b, onlyWithoutPasses: c } = z
      .object({ onlyWithPasses: z.number(), onlyWithoutPasses: z.number() })
      .parse(input);
    // Two equal pairs change nothing.
    const entries = trialEntries({
      one: {
        [treated]: `+-${"+".repeat(b)}${"-".repeat(c)}`,
        [control]: `+-${"-".repeat(b)}${"+".repeat(c)}`,
      },
    });
    const [row] = figures(entries).pairs;
    expectGolden({ pExact: row?.pExact, pMid: row?.pMid }, expected, tolerance);
    expect([row?.pairs, row?.onlyTreatedPassed, row?.onlyControlPassed]).toEqual([b + c + 2, b, c]);
    expect([row?.bothPassed, row?.bothFailed]).toEqual([1, 1]);
  });
});

describe("tokens", () => {
  const usage =
    (tokens: Readonly<Record<string, number | null>>) =>
    ({ arm, n }: PlannedTrial) => ({
      outputTokens: tokens[`${arm} ${n}`] ?? tokens[arm] ?? null,
    });
  const output = (entries: readonly TrialOnDisk[]): TokenRatioRow =>
    figures(entries).tokens.find(({ tokens, model }) => tokens === "output" && model === null)!;

  test("a figure that nobody told stays unknown, and is not taken for 0", () => {
    const entries = trialEntries({ one: { [treated]: "++", [control]: "++" } });
    const { tokens, cells } = figures(entries);
    expect(tokens).not.toHaveLength(0);
    for (const row of tokens) {
      expect([row.geometric, row.arithmetic, row.median, row.pooled, row.interval]).toEqual(
        Array(5).fill(null),
      );
      expect([row.tasks, row.of, row.treated]).toEqual([0, 1, { known: 0, of: 2 }]);
    }
    expect(cells[0]?.tokens).toEqual({
      treated: { mean: null, known: 0, of: 2 },
      control: { mean: null, known: 0, of: 2 },
      ratio: null,
    });
  });

  test("half of a total is no total", () => {
    const entries = trialEntries(
      { one: { [treated]: "++", [control]: "++" } },
      { usage: ({ arm }) => ({ outputTokens: 10, inputTokens: arm === control ? 20 : null }) },
    );
    const [total] = figures(entries).tokens;
    expect(total).toMatchObject({ tokens: "total", geometric: null, treated: { known: 0, of: 2 } });
    expect(output(entries)).toMatchObject({ geometric: 1, treated: { known: 2, of: 2 } });
  });

  test("a mean is over the trials that told it, and a task with 0 in an arm is left out by number", () => {
    const table = { one: { [treated]: "+-", [control]: "?+" }, two: { [treated]: "++", [control]: "++" } };
    const one = trialEntries({ one: table.one }, { usage: usage({ [`${treated} 1`]: 30, [control]: 10 }) });
    const two = trialEntries({ two: table.two }, { usage: usage({ [treated]: 30, [control]: 0 }) });
    const row = output([...one, ...two]);
    expect(row.geometric).toBeCloseTo(3, 12);
    expect(row).toMatchObject({
      ...{ arithmetic: 3, median: 3, pooled: 3, interval: null, tasks: 1, of: 2 },
      ...{ treated: { known: 3, of: 4 }, control: { known: 4, of: 4 } },
    });
  });

  test("over all models a task is one task, and a model known in one arm only is in neither", () => {
    const table = { one: { [treated]: "+", [control]: "+" } };
    const x = trialEntries(table, { model: "a/x", usage: usage({ [treated]: 20, [control]: 10 }) });
    const y = trialEntries(table, { model: "b/y", usage: usage({ [treated]: 60, [control]: 10 }) });
    const z_ = trialEntries(table, { model: "c/z", usage: usage({ [treated]: 9000 }) });
    expect(output([...x, ...y, ...z_])).toMatchObject({ geometric: 4, tasks: 1, of: 1 });
  });
});

describe("what is compared", () => {
  const pair = { one: { [treated]: "+-", [control]: "--" } };

  test.each<[string, readonly TrialOnDisk[], AnalysisSettings | null, readonly string[]]>([
    ["the plan's", trialEntries({ one: { pack: "+", none: "-" } }), named("pack", "none"), ["pack/none"]],
    ["none planned, both arms there", trialEntries(pair), null, [`${treated}/${control}`]],
    ["one arm only", trialEntries({ one: { [treated]: "+-" } }), null, []],
    ["A/A", trialEntries({ one: { [control]: "+", [`${control}@again`]: "-" } }), null, []],
  ])("%s", (_name, entries, analysis, wanted) => {
    const found = figures(entries, { analysis });
    expect(found.comparisons.map(({ arm, against }) => `${arm}/${against}`)).toEqual(wanted);
    for (const rows of [found.cells, found.pairs, found.costRatios])
      expect(rows.length > 0).toBe(wanted.length > 0);
    expect(found.rates.length).toBeGreaterThan(0);
  });

  test("an arm that a skill does not have gives no row there", () => {
    const entries = [
      ...trialEntries(pair),
      ...trialEntries({ one: { [control]: "++" } }, { skill: "other" }),
    ];
    const { pairs, costs } = figures(entries);
    expect(new Set(pairs.map(({ skill }) => skill))).toEqual(new Set(["sample"]));
    expect(costs.filter(({ skill }) => skill === "other").map(({ arm }) => arm)).toEqual([control, control]);
  });

  test("a trial without a verdict is in no rate and in no pair, but in their denominators", () => {
    const { cells, pairs, reliability } = figures(
      trialEntries({ one: { [treated]: "+?+", [control]: "-+." } }),
    );
    expect(cells[0]?.treated).toMatchObject({ passed: 2, graded: 2, planned: 3 });
    expect(cells[0]?.control).toMatchObject({ passed: 1, graded: 2, planned: 3 });
    expect(pairs[0]).toMatchObject({ pairs: 1, of: 3, onlyTreatedPassed: 1, onlyControlPassed: 0 });
    expect(reliability[0]).toMatchObject({ k: 3, cells: 0, of: 1, passAtK: null });
  });

  test("where looks gave cells different numbers of trials, k is what all of them have", () => {
    const { reliability } = figures(
      trialEntries({
        settled: { [treated]: "++", [control]: "--" },
        open: { [treated]: "+-++", [control]: "-+--" },
      }),
    );
    // All of 2 of 4 draws pass in 3 of 6 ways, in the settled cell always.
    expect(reliability[0]).toMatchObject({ k: 2, cells: 2, of: 2, passHatK: (1 + 3 / 6) / 2 });
  });

  test("nothing graded gives nothing, never 0", () => {
    const { cells, pairs, rates, reliability } = figures(
      trialEntries({ one: { [treated]: "..", [control]: "!!" } }),
    );
    expect(cells[0]).toMatchObject({ difference: null, interval: null, treated: { interval: null } });
    expect(pairs[0]).toMatchObject({ pairs: 0, of: 2, pExact: null, pMid: null });
    expect(rates[0]).toMatchObject({ graded: 0, planned: 2, interval: null });
    expect(reliability[0]).toMatchObject({ passAtK: null, passHatK: null, cells: 0, of: 1 });
  });

  test("a benchmark that is not counted keeps its cell and is in nothing else", () => {
    const entries = trialEntries({ ...pair, leaky: { [treated]: "++", [control]: "++" } });
    const counted = cellsOf(entries).filter(({ benchmark }) => benchmark !== "leaky");
    const found = furtherOf({ analysis: settings }, entries, counted);
    expect(found.cells.map(({ benchmark }) => benchmark)).toEqual(["one", "leaky"]);
    const alone = figures(trialEntries(pair));
    expect({ ...found, cells: [] }).toEqual({ ...alone, cells: [] });
  });

  test("no campaign at all is no error, and what is written can be read", () => {
    expect(figures([]).cells).toEqual([]);
    const found = figures(trialEntries(pair));
    expect(furtherSchema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  });
});

function named(arm: string, against: string): AnalysisSettings {
  return { ...settings, comparisons: [{ arm, against }] };
}
