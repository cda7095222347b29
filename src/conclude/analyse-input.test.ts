import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { AnalysisRow, ArmCell } from "../artefacts/analysis.ts";
import { randomFrom } from "../seed.ts";
import { armCells, nearly, settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";

const two = ["with_skill", "without_skill"];
const settings = settingsOf({ bootstrap: { resamples: 200 } });

function rowAt(cells: readonly ArmCell[], level: AnalysisRow["level"]): AnalysisRow {
  return analyse(cells, settings).rows.find((row) => row.level === level)!;
}

describe("hostile and large input", () => {
  test.for<[string, string]>([
    ["more passes than verdicts", "3/2"],
    ["more verdicts than trials", "1/3/2"],
    ["a negative count", "-1/3"],
    ["half a trial", "0.5/3"],
    ["no number", "x/3"],
  ])("refuses %s", ([, counts]) => {
    expect(() => analyse(armCells(two, { t1: `${counts} 0/3` }), settings)).toThrow(RangeError);
  });

  test("refuses a cell that stands there twice", () => {
    const cells = armCells(two, { t1: "1/1 0/1" });
    expect(() => analyse([...cells, ...cells], settings)).toThrow(/twice/);
  });

  test("no cells give no rows, and names may hold anything", () => {
    expect(analyse([], settings).rows).toEqual([]);
    const cells = armCells(two, { '__proto__ "],["': "1/1 0/1" }, { skill: "a/b\n", model: "" });
    expect(rowAt(cells, "skill-model")).toMatchObject({
      skill: "a/b\n",
      model: "",
      cells: 1,
    });
  });

  test("the order of cells has no influence", () => {
    const random = randomFrom(7, "order");
    const draw = (): string => `${Math.floor(random() * 4)}/3`;
    const cells = armCells(
      two,
      Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`t${n}`, `${draw()} ${draw()}`])),
    );
    expect(rowAt(cells.toReversed(), "skill").evidence).toEqual(nearly(rowAt(cells, "skill").evidence));
  });

  test("trial counts without a common lattice fall back to drawing, and agree with the exact test", () => {
    const primes = [7, 11, 13, 17, 19, 23, 29, 31];
    const cells = armCells(
      two,
      Object.fromEntries(primes.map((n) => [`t${n}`, `${n}/${n} ${Math.floor(n / 2)}/${n}`])),
    );
    const { tasks } = rowAt(cells, "skill").evidence!;
    expect(tasks.better).toBe(primes.length);
    expect(tasks.pTwoSided).toBeCloseTo(2 ** (1 - primes.length), 12);
  });
});

describe("settings", () => {
  test.for<[string, unknown, string]>([
    ["α of nothing", { alpha: 0 }, "alpha"],
    ["α of a coin", { alpha: 0.5 }, "alpha"],
    ["a margin in points", { delta: 10 }, "delta"],
    ["a negative margin", { delta: -0.1 }, "delta"],
    ["three sides", { sides: 3 }, "sides"],
    ["five tasks", { minTasks: 5 }, "minTasks"],
    ["an unknown family", { family: "bonferroni" }, "family"],
    ["half a resample", { bootstrap: { resamples: 0.5 } }, "bootstrap.resamples"],
    ["no comparison", { comparisons: [] }, "comparisons"],
    ["an arm against itself", { comparisons: [{ arm: "a", against: "a" }] }, "comparisons.0"],
    ["an unknown key", { apha: 0.05 }, ""],
    ["a share above 1", { decision: { maxHarmedShare: 2 } }, "decision.maxHarmedShare"],
  ])("refuses %s", ([, raw, path]) => {
    expect(() => settingsOf(raw as never)).toThrow();
    try {
      settingsOf(raw as never);
    } catch (error) {
      expect((error as z.ZodError).issues.map((issue) => issue.path.join("."))).toContain(path);
    }
  });

  test("names every problem at once", () => {
    const raw = {
      alpha: 2,
      delta: 2,
      comparisons: [
        { arm: "a", against: "b" },
        { arm: "a", against: "b" },
      ],
    };
    expect.assertions(1);
    try {
      settingsOf(raw);
    } catch (error) {
      expect((error as z.ZodError).issues.length).toBeGreaterThanOrEqual(2);
    }
  });

  test("defaults are those of the plan", () => {
    expect(settingsOf()).toMatchObject({
      alpha: 0.05,
      sides: 2,
      delta: 0.1,
      family: "holm",
      midP: false,
      minTasks: 6,
      bootstrap: { resamples: 10_000 },
      comparisons: [{ arm: "with_skill", against: "without_skill" }],
    });
  });
});
