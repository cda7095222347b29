import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { settingsOf } from "../../testing/arm-cells.ts";
import { trialEntries } from "../../testing/trial-entries.ts";
import { cellsOf } from "../uplift.ts";
import { furtherOf } from "./further.ts";

const byArm = z.record(z.string(), z.number());
const { arms, runsPerTask, tasks, page } = z
  .object({
    arms: z.array(z.string()),
    runsPerTask: z.number(),
    tasks: z.record(z.string(), z.object({ passes: z.array(z.number()) })),
    page: z.object({
      passed: byArm,
      meanCostUsd: byArm,
      costPerCorrectUsd: byArm,
      dearerPerCorrect: z.number(),
      pocockAgainstNone: z.object({ better: z.number(), worse: z.number() }),
    }),
  })
  .parse(load(readFileSync(join(import.meta.dirname, "../../testing/worked/controlled-trial.yaml"), "utf8")));

const table = Object.fromEntries(
  Object.entries(tasks).map(([task, { passes }]) => [
    task,
    Object.fromEntries(arms.map((arm, at) => [arm, "+".repeat(passes[at] ?? 0).padEnd(runsPerTask, "-")])),
  ]),
);
const entries = trialEntries(table, { usage: ({ arm }) => ({ costUsd: page.meanCostUsd[arm] ?? null }) });
const analysis = settingsOf({
  sides: 1,
  comparisons: ["superpowers", "pocock"].map((arm) => ({ arm, against: "none" })),
});
const { costs, costRatios, pairs, rates } = furtherOf({ analysis }, entries, cellsOf(entries));

// By hand: mean cost × 32 runs ÷ passes, e.g. 0.016 × 32 / 24.
test.each([
  ["none", "0.0213"],
  ["pocock", "0.0249"],
  ["superpowers", "0.0507"],
])("dollars per correct change, %s: %s", (arm, wanted) => {
  const row = costs.find((one) => one.arm === arm && one.model === null)!;
  expect(row.tally).toEqual({ passed: page.passed[arm], graded: 32, planned: 32 });
  expect(row.perCorrectUsd?.toFixed(4)).toBe(wanted);
  expect(row.perCorrectUsd?.toFixed(3)).toBe(page.costPerCorrectUsd[arm]?.toFixed(3));
  expect(row.interval?.[0]).toBeLessThan(row.perCorrectUsd!);
  expect(row.interval?.[1]).toBeGreaterThan(row.perCorrectUsd!);
});

test("a pack is as much dearer per correct change as the page says", () => {
  const row = costRatios.find(({ comparison, model }) => comparison.arm === "superpowers" && model === null);
  expect(row?.ratio?.toFixed(1)).toBe(page.dearerPerCorrect.toFixed(1));
});

test("its pairs of runs, and a rate as the notes have it", () => {
  const row = pairs.find(({ comparison, model }) => comparison.arm === "pocock" && model === null)!;
  const { better, worse } = page.pocockAgainstNone;
  // One run each, so that tasks and discordant pairs are the same in number.
  expect([row.onlyTreatedPassed, row.onlyControlPassed]).toEqual([better, worse]);
  // Of 5 discordant pairs at most one against: 2 · (1 + 5) / 32; mid-p takes half of the observed one off each side.
  expect([row.pExact, row.pMid]).toEqual([expect.closeTo(12 / 32, 12), expect.closeTo(7 / 32, 12)]);
  const none = rates.find(({ arm, model }) => arm === "none" && model === null);
  expect(none?.interval?.map((end) => Math.round(100 * end))).toEqual([58, 87]);
});
