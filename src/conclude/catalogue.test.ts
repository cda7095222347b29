import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Analysis, AnalysisRow, Level } from "../artefacts/analysis.ts";
import { bootstrapExact } from "../statistics/bootstrap-exact.ts";
import { fraction } from "../statistics/fraction.ts";
import { settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";
import { concludeAll, headlineOf } from "./conclude-from.ts";

// Pass counts of a real catalogue of nine skills with the report that they support.
const folder = process.env.GOLDEN_DIR ?? join(import.meta.dirname, "../testing/golden");
const file = join(folder, "seed004-cells.json");
const there = ["skills", "clustering.json", "stats.json", "seed004-cells.json"].filter((name) =>
  existsSync(join(folder, name)),
);

const count = z.number().int();
const fileSchema = z.object({
  tolerance: z.object({ abs: z.number() }),
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
  expected: z.strictObject({
    cells: count,
    benchmarks: count,
    skills: count,
    trials: count,
    withRate: z.number(),
    withoutRate: z.number(),
    microUplift: z.number(),
    macroOverSkills: z.number(),
    perModel: z.record(z.string(), z.number()),
    benchmarksUp: count,
    benchmarksDown: count,
    benchmarksSame: count,
    taskLevelSignFlipPTwoSided: z.number(),
    trialLevelPTwoSided: z.number(),
    cellsAllSixEqual: count,
    perSkill: z.record(
      z.string(),
      z.strictObject({
        benchmarks: count,
        cells: count,
        uplift: z.number(),
        trialLevelPTwoSided: z.number(),
        taskLevelSignFlipPTwoSided: z.number(),
        smallestPossibleTaskLevelP: z.number(),
        trialLevelHolm: z.number(),
      }),
    ),
  }),
});

function rowsAt({ rows }: Analysis, level: Level): readonly AnalysisRow[] {
  return rows.filter((row) => row.level === level);
}

function read(): z.infer<typeof fileSchema> | null {
  if (existsSync(file)) return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  console.log(`seed004-cells.json: absent in ${folder}`);
  return null;
}

const data = read();
const analysis =
  data === null
    ? null
    : analyse(
        data.cells.map(({ skill, benchmark, model, ...counts }) => ({
          skill,
          benchmark,
          model,
          arms: {
            with_skill: { passed: counts.withPass, graded: counts.withN, planned: counts.withN },
            without_skill: { passed: counts.withoutPass, graded: counts.withoutN, planned: counts.withoutN },
          },
        })),
        settingsOf(),
      );

test("the folder of golden values holds some", () => {
  expect(there, `nothing golden in ${folder}`).not.toEqual([]);
});

test("the analysis of the catalogue equals its expected report", () => {
  if (data === null || analysis === null) return;
  const [micro] = rowsAt(analysis, "micro");
  const [macro] = rowsAt(analysis, "macro");
  const skills = rowsAt(analysis, "skill");
  const got = {
    cells: micro!.cells,
    benchmarks: micro!.tasks,
    skills: skills.length,
    trials: micro!.treated.graded + micro!.control.graded,
    withRate: micro!.treated.passed / micro!.treated.graded,
    withoutRate: micro!.control.passed / micro!.control.graded,
    microUplift: micro!.evidence!.uplift,
    macroOverSkills: macro!.evidence!.uplift,
    perModel: Object.fromEntries(
      rowsAt(analysis, "model").map(({ model, evidence }) => [model ?? "", evidence!.uplift]),
    ),
    benchmarksUp: micro!.evidence!.tasks.better,
    benchmarksDown: micro!.evidence!.tasks.worse,
    benchmarksSame: micro!.evidence!.tasks.same,
    taskLevelSignFlipPTwoSided: micro!.evidence!.tasks.pTwoSided,
    trialLevelPTwoSided: micro!.evidence!.set.pTwoSided,
    cellsAllSixEqual: micro!.uniformCells,
    perSkill: Object.fromEntries(
      skills.map(({ skill, tasks, cells, evidence }) => [
        skill ?? "",
        {
          benchmarks: tasks,
          cells,
          uplift: evidence!.uplift,
          trialLevelPTwoSided: evidence!.set.pTwoSided,
          taskLevelSignFlipPTwoSided: evidence!.tasks.pTwoSided,
          smallestPossibleTaskLevelP: evidence!.tasks.smallestP,
          trialLevelHolm: evidence!.set.pAdjusted,
        },
      ]),
    ),
  };
  expect(got).toEqual(near(data.expected, data.tolerance.abs));
  console.log(`seed004-cells.json: ${skills.length} skills, ${got.trials} trials compared`);
});

/** Every number within `abs`. */
function near(value: unknown, abs: number): unknown {
  if (typeof value === "number") {
    return {
      asymmetricMatch: (got: unknown) => typeof got === "number" && Math.abs(got - value) <= abs,
      toString: () => `${value} ± ${abs}`,
    };
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, near(one, abs)]));
}

// What was published of the same counts: whole points, and an interval drawn by somebody else's bootstrap.
const published = {
  interval: [-0.054, 0.076],
  "brand-guidelines": 18,
  "frontend-design": -31,
  rest: [-1, 13],
};

test("pooled interval over tasks and the published one are a step of the lattice from the exact one at most", () => {
  if (data === null || analysis === null) return;
  const [micro] = rowsAt(analysis, "micro");
  const trialsInTask = 9;
  const totals = new Map<string, number>();
  for (const { skill, benchmark, withPass, withoutPass } of data.cells) {
    const task = `${skill}/${benchmark}`;
    totals.set(task, (totals.get(task) ?? 0) + withPass - withoutPass);
  }
  const exact = bootstrapExact([...totals.values()].map((total) => fraction(total, trialsInTask)))!;
  const step = 1 / (totals.size * trialsInTask);
  for (const [at, end] of micro!.evidence!.tasks.bootstrap!.entries()) {
    expect(Math.abs(end - exact.ci[at]!)).toBeLessThan(step + 1e-9);
    expect(Math.abs(published.interval[at]! - exact.ci[at]!)).toBeLessThan(step + 0.0005);
  }
});

test("shrunk estimates are the published ones", () => {
  if (analysis === null) return;
  const rounded = analysis.shrunk[0]!.skills.map(
    ({ skill, shrunk }) => [skill, Math.round(100 * shrunk)] as const,
  );
  console.log(`shrunk estimates in points: ${rounded.map((pair) => pair.join(" ")).join(", ")}`);
  for (const [skill, points] of rounded) {
    if (skill === "brand-guidelines" || skill === "frontend-design")
      expect(points, skill).toBe(published[skill]);
    else {
      expect(points, skill).toBeGreaterThanOrEqual(published.rest[0]!);
      expect(points, skill).toBeLessThanOrEqual(published.rest[1]!);
    }
  }
});

test("one skill hurts this set, nothing is said about other tasks, and every claim says why", () => {
  if (analysis === null) return;
  const concluded = concludeAll(analysis).filter(({ level }) => level === "skill");
  const hurts = concluded.filter((row) => headlineOf(row).kind === "hurts");
  expect(hurts.map(({ skill }) => skill)).toEqual(["frontend-design"]);
  expect(concluded.filter((row) => headlineOf(row).kind === "helps")).toEqual([]);
  for (const row of concluded) {
    expect(row.tasks).toBeNull();
    expect(row.set.notes.join(" ")).toContain("too few tasks to generalise");
  }
  console.log(
    concluded
      .map(({ skill, set }) => `${skill ?? ""}: ${set.label}. ${set.reason} ${set.take ?? ""}`)
      .join("\n"),
  );
});
