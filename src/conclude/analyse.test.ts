import { describe, expect, test } from "vitest";
import type { AnalysisRow, ArmCell, Level } from "../artefacts/analysis.ts";
import { holm } from "../statistics/multiple-testing.ts";
import { goldenGroup } from "../testing/golden-stats.ts";
import { z } from "zod";
import { alike, armCells, settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";

const two = ["with_skill", "without_skill"];
const settings = settingsOf({ bootstrap: { resamples: 200 } });

function at(rows: readonly AnalysisRow[], level: Level, against = "without_skill"): readonly AnalysisRow[] {
  return rows.filter((row) => row.level === level && row.comparison.against === against);
}

describe("what is averaged over what", () => {
  const count = z.number();
  const vector = z.object({
    cells: z.array(
      z.object({
        skill: z.string(),
        benchmark: z.string(),
        model: z.string(),
        withPass: count,
        withN: count,
        withoutPass: count,
        withoutN: count,
      }),
    ),
  });
  test.for(goldenGroup("pooled"))("golden: $id", ({ input, expected }) => {
    const cells = vector.parse(input).cells.map((row): ArmCell => {
      const { skill, benchmark, model } = row;
      const arms = {
        with_skill: { passed: row.withPass, graded: row.withN, planned: row.withN },
        without_skill: { passed: row.withoutPass, graded: row.withoutN, planned: row.withoutN },
      };
      return { skill, benchmark, model, arms };
    });
    const { rows, tasks } = analyse(cells, settings);
    const wanted = z
      .object({
        microCellMean: count,
        macroOverSkills: count,
        perSkill: z.record(z.string(), count),
        perModel: z.record(z.string(), count),
        perBenchmark: z.record(z.string(), count),
      })
      .parse(expected);
    expect(at(rows, "micro")[0]!.evidence!.uplift).toBeCloseTo(wanted.microCellMean, 9);
    expect(at(rows, "macro")[0]!.evidence!.uplift).toBeCloseTo(wanted.macroOverSkills, 9);
    for (const { skill, evidence } of at(rows, "skill"))
      expect(evidence!.uplift).toBeCloseTo(wanted.perSkill[skill!]!, 9);
    for (const { model, evidence } of at(rows, "model"))
      expect(evidence!.uplift).toBeCloseTo(wanted.perModel[model!]!, 9);
    for (const { skill, benchmark, uplift } of tasks)
      expect(uplift).toBeCloseTo(wanted.perBenchmark[`${skill}/${benchmark}`]!, 9);
  });

  test("a task with more models weighs no more in its skill, and the exact and the weighted mean agree", () => {
    const lopsided = [
      ...armCells(
        two,
        {
          t1: "3/3 0/3",
          t2: "1/5 4/5",
        },
        { model: "one" },
      ),
      ...armCells(two, { t1: "0/2 0/4" }, { model: "other" }),
    ];
    const [skill] = at(analyse(lopsided, settings).rows, "skill");
    expect(skill!.evidence!.uplift).toBeCloseTo(((1 + 0) / 2 - 3 / 5) / 2, 12);
    expect(skill!.evidence!.tasks.mean).toBeCloseTo(skill!.evidence!.uplift, 12);
  });

  test("a class of task has a row of its own, for the tasks that have one", () => {
    const cells = armCells(two, alike([4, "2/2 0/2"])).map((cell, index) =>
      index < 3 ? { ...cell, taskClass: index < 2 ? "forms" : "tables" } : cell,
    );
    const rows = at(analyse(cells, settings).rows, "class");
    expect(rows.map(({ taskClass, tasks }) => [taskClass, tasks])).toEqual([
      ["forms", 2],
      ["tables", 1],
    ]);
  });
});

describe("what is missing", () => {
  const tasks: Record<string, string> = {
    whole: "2/3 1/3",
    part: "2/2/3 1/3",
    unusable: "0/0/3 3/3",
  };
  const { rows, leftOut } = analyse(armCells(two, tasks), settings);
  const [skill] = at(rows, "skill");

  test("a cell without a verdict in one arm is named and leaves the paired set", () => {
    expect(leftOut.map(({ benchmark, without }) => [benchmark, without])).toEqual([
      ["unusable", ["with_skill"]],
    ]);
    expect([skill!.cells, skill!.cellsPlanned, skill!.tasks, skill!.tasksPlanned]).toEqual([2, 3, 2, 3]);
    expect(skill!.evidence!.uplift).toBeCloseTo((1 / 3 + 1 - 1 / 3) / 2, 12);
  });

  test("bounds count every planned trial, for and against", () => {
    expect(skill!.imputed!.against.uplift).toBeCloseTo((1 / 3 + 1 / 3 + (0 - 1)) / 3, 12);
    expect(skill!.imputed!.inFavour.uplift).toBeCloseTo((1 / 3 + 2 / 3 + (1 - 1)) / 3, 12);
  });

  test("nothing missing leaves nothing to impute, nothing usable leaves no evidence", () => {
    const whole = analyse(armCells(two, { t1: tasks["whole"]! }), settings);
    expect(at(whole.rows, "skill")[0]!.imputed).toBeNull();
    const none = at(analyse(armCells(two, { t1: tasks["unusable"]! }), settings).rows, "skill")[0]!;
    expect([none.evidence, none.cells, none.cellsPlanned]).toEqual([null, 0, 1]);
  });
});

describe("families", () => {
  const skills = Array.from({ length: 4 }, (_, index) =>
    armCells(two, alike([7, `3/3 ${index}/3`]), { skill: `s${index}` }),
  );

  test("rows of one level are one family, each question by itself", () => {
    const rows = at(analyse(skills.flat(), settings).rows, "skill");
    for (const question of ["set", "tasks"] as const) {
      const raw = rows.map(({ evidence }) => evidence![question].p);
      expect(rows.map(({ evidence }) => evidence![question].pAdjusted)).toEqual(holm(raw));
      expect(rows.map(({ evidence }) => evidence![question].pHelps)).toEqual(holm(raw));
    }
  });

  test("a hypothesis that was planned and has no verdict stays in its family", () => {
    const lost = armCells(two, alike([7, "0/0/3 0/3"]), { skill: "s4" });
    const before = at(analyse(skills.flat(), settings).rows, "skill")[0]!.evidence!.set.pAdjusted!;
    const after = at(analyse([...skills.flat(), ...lost], settings).rows, "skill")[0]!.evidence!.set
      .pAdjusted!;
    expect(after).toBeCloseTo((before * 5) / 4, 12);
  });

  test("too few tasks make no hypothesis about tasks like these", () => {
    const few = armCells(two, alike([5, "3/3 0/3"]), { skill: "few" });
    const row = at(analyse(few, settings).rows, "skill")[0]!.evidence!;
    expect(row.tasks.pAdjusted).toBeNull();
    expect(row.tasks.interval).toBeNull();
    expect(row.tasks.bootstrap).toBeNull();
    expect(row.set.pAdjusted).toBe(row.set.p);
  });

  test("rows that describe have no adjusted p", () => {
    const { rows } = analyse(skills.flat(), settings);
    for (const level of ["model", "micro", "macro"] as const)
      expect(at(rows, level)[0]!.evidence!.set.pAdjusted, level).toBeNull();
    expect(at(rows, "macro")[0]!.evidence!.tasks).toMatchObject({ unit: "skill", count: 4 });
  });
});

describe("beside the hypotheses", () => {
  const arms = ["with_skill", "without_skill", "placebo", "without_skill@again"];
  const rows = (placebo: string, again: string): readonly AnalysisRow[] =>
    analyse(armCells(arms, alike([8, `4/4 0/4 ${placebo} ${again}`])), settings).rows;

  test("the joint p is the larger of both controls, and 1 when the placebo does better", () => {
    const weak = at(rows("3/4", "0/4"), "skill")[0]!;
    const [beside] = at(rows("3/4", "0/4"), "skill", "placebo");
    expect(weak.placeboRan).toBe(true);
    expect(weak.evidence!.set.pJoint).toBe(beside!.evidence!.set.p);
    expect(weak.evidence!.set.pJoint).toBeGreaterThan(weak.evidence!.set.p);
    expect(at(rows("4/4", "0/4"), "skill")[0]!.evidence!.set.pJoint).toBe(1);
    expect(at(rows("0/0/4", "0/4"), "skill")[0]!.evidence!.set.pJoint).toBe(1);
  });

  test("the placebo is held against the control as well, as a description", () => {
    const nothing = rows("1/4", "0/4").find(({ role, level }) => role === "nothing" && level === "skill")!;
    expect(nothing.comparison).toEqual({ arm: "placebo", against: "without_skill" });
    expect(nothing.evidence!.uplift).toBeCloseTo(0.25, 12);
    expect(nothing.evidence!.set.pAdjusted).toBeNull();
  });

  test("the noise floor is what equal arms differ by, here or before", () => {
    expect(at(rows("0/4", "1/4"), "skill")[0]!.noiseFloor).toBeCloseTo(0.25, 12);
    const cells = armCells(two, alike([8, "4/4 0/4"]));
    expect(at(analyse(cells, settings).rows, "skill")[0]!.noiseFloor).toBeNull();
    expect(at(analyse(cells, { ...settings, noiseFloor: 0.3 }).rows, "skill")[0]!.noiseFloor).toBe(0.3);
  });

  test("an A/A campaign measures nothing else", () => {
    const cells = armCells(["without_skill", "without_skill@again"], alike([8, "1/4 2/4"]));
    expect([...new Set(analyse(cells, settings).rows.map(({ role }) => role))]).toEqual(["again"]);
  });
});
