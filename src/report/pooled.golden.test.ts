import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Cell } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import { groupBy } from "./group-by.ts";
import { pool } from "./uplift.ts";

const folder = process.env.GOLDEN_DIR ?? join(import.meta.dirname, "../testing/golden");
const file = join(folder, "stats.json");
const there = ["skills", "clustering.json", "stats.json"].filter((name) => existsSync(join(folder, name)));

const cellSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  model: z.string(),
  withPass: z.number(),
  withN: z.number(),
  withoutPass: z.number(),
  withoutN: z.number(),
});
const vectorSchema = z.object({
  id: z.string(),
  input: z.object({ cells: z.array(cellSchema) }),
  expected: z.object({
    microCellMean: z.number(),
    perSkill: z.record(z.string(), z.number()),
    perModel: z.record(z.string(), z.number()),
  }),
});
const statsSchema = z.object({ groups: z.object({ pooled: z.array(vectorSchema).default([]) }) });

function toCell(row: z.infer<typeof cellSchema>): Cell {
  const tally = (passed: number, graded: number): Tally => ({ passed, graded, planned: graded });
  return {
    skill: row.skill,
    benchmark: row.benchmark,
    model: row.model,
    arms: { with_skill: tally(row.withPass, row.withN), without_skill: tally(row.withoutPass, row.withoutN) },
    uplift: row.withPass / row.withN - row.withoutPass / row.withoutN,
    complete: true,
  };
}

test("pooled uplift agrees with the golden vectors", () => {
  expect(there, `nothing golden in ${folder}`).not.toEqual([]);
  const vectors = existsSync(file)
    ? statsSchema.parse(JSON.parse(readFileSync(file, "utf8"))).groups.pooled
    : [];
  console.log(
    `stats.json, pooled: ${existsSync(file) ? `${vectors.length} vector(s) compared` : `absent in ${folder}`}`,
  );
  for (const { input, expected } of vectors) {
    const cells = input.cells.map(toCell);
    expect(pool(cells).uplift).toBeCloseTo(expected.microCellMean, 9);
    for (const group of groupBy(cells, ({ skill }) => skill)) {
      expect(pool(group).uplift).toBeCloseTo(expected.perSkill[group[0].skill] ?? NaN, 9);
    }
    for (const group of groupBy(cells, ({ model }) => model)) {
      expect(pool(group).uplift).toBeCloseTo(expected.perModel[group[0].model] ?? NaN, 9);
    }
  }
});
