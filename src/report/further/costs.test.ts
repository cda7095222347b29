import { describe, expect, test } from "vitest";
import { fewestPasses, fewestTasks, type Further } from "../../artefacts/further.ts";
import type { PlannedTrial } from "../../artefacts/trial.ts";
import { settingsOf } from "../../testing/arm-cells.ts";
import { trialEntries } from "../../testing/trial-entries.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { cellsOf } from "../uplift.ts";
import { furtherOf } from "./further.ts";

const analysis = settingsOf({ bootstrap: { resamples: 400 } });
const { resamples } = analysis.bootstrap;
const [treated, control] = ["with_skill", "without_skill"];

function figures(entries: readonly TrialOnDisk[]): Further {
  return furtherOf({ analysis }, entries, cellsOf(entries));
}

describe("cost per correct", () => {
  const priced = (signs: string, costUsd: number | null = 0.25): readonly TrialOnDisk[] =>
    trialEntries({ one: { [treated]: signs }, two: { [treated]: signs } }, { usage: () => ({ costUsd }) });

  test.each<[string, readonly TrialOnDisk[], object]>([
    ["nothing done", priced(".!"), { kind: "unavailable", totalUsd: null, known: 0, of: 0 }],
    ["nothing told", priced("++", null), { kind: "unavailable", totalUsd: null, known: 0, of: 4 }],
    [
      "one that did not tell",
      [...priced("+".repeat(9)), ...trialEntries({ three: { [treated]: "-" } })],
      { kind: "unavailable", totalUsd: null, known: 18, of: 19, perCorrectUsd: null },
    ],
    ["no pass", priced("--"), { kind: "unbounded", totalUsd: 1, perCorrectUsd: null, interval: null }],
    ["few passes", priced("+++-"), { kind: "counts_only", totalUsd: 2, perCorrectUsd: null }],
    [
      "enough passes",
      priced("++++-?."),
      { kind: "told", totalUsd: 3, perCorrectUsd: 3 / 8, known: 12, of: 12 },
    ],
  ])("%s", (_name, entries, wanted) => {
    const { costs } = figures(entries);
    expect(costs.map(({ model }) => model)).toEqual(["a/x", null]);
    for (const row of costs) expect(row).toMatchObject({ ...wanted, arm: treated });
  });

  test("the bound is where the words say", () => {
    const kind = (passes: number): unknown =>
      figures(trialEntries({ one: { [treated]: "+".repeat(passes) } }, { usage: () => ({ costUsd: 1 }) }))
        .costs[0]?.kind;
    expect([kind(fewestPasses - 1), kind(fewestPasses)]).toEqual(["counts_only", "told"]);
  });

  test("the interval holds the price and is the same every time", () => {
    const tasks = Object.fromEntries(
      ["+++-", "++--", "+---", "++++", "++--", "+++-"].map((signs, task) => [
        `t${task}`,
        { [treated]: signs, [control]: "++--" },
      ]),
    );
    const usage = ({ arm }: PlannedTrial) => ({ costUsd: arm === treated ? 0.3 : 0.1 });
    const { costs, costRatios } = figures(trialEntries(tasks, { usage }));
    const row = costs.find(({ arm, model }) => arm === treated && model === null)!;
    expect(row.perCorrectUsd).toBeCloseTo((24 * 0.3) / 15, 12);
    expect(row.interval?.[0]).toBeLessThan(row.perCorrectUsd!);
    expect(row.interval?.[1]).toBeGreaterThan(row.perCorrectUsd!);
    expect(row.resamples).toBe(resamples);
    expect(figures(trialEntries(tasks, { usage })).costs).toEqual(costs);
    const [ratio] = costRatios;
    expect(ratio?.ratio).toBeCloseTo(0.48 / 0.2, 12);
    expect(ratio?.interval?.[0]).toBeLessThan(2.4);
    expect(ratio?.interval?.[1]).toBeGreaterThan(2.4);
  });

  test.each<[string, readonly string[], boolean]>([
    ["too few tasks", ["++++", "+++-", "++--", "+---", "++--"], false],
    ["enough, all alike", Array<string>(fewestTasks).fill("++--"), false],
    ["enough", ["++++", "+++-", "++--", "+---", "++--", "++--"], true],
  ])("%s: an interval says how tasks differ", (_name, tasks, wanted) => {
    const table = Object.fromEntries(
      tasks.map((signs, task) => [`t${task}`, { [treated]: signs, [control]: signs }]),
    );
    const { costs, costRatios } = figures(trialEntries(table, { usage: () => ({ costUsd: 0.1 }) }));
    expect(costs.map(({ kind, interval }) => [kind, interval !== null])).toEqual(
      costs.map(() => ["told", wanted]),
    );
    // Equal arms are alike in every draw.
    expect(costRatios.map(({ ratio, interval }) => [ratio, interval])).toEqual([
      [1, null],
      [1, null],
    ]);
  });

  test("resamples without a pass leave the price without a bound above", () => {
    const failing = Object.fromEntries([2, 3, 4, 5, 6].map((task) => [`t${task}`, { [treated]: "-" }]));
    const lucky = { one: { [treated]: "+".repeat(9) }, ...failing };
    const [row] = figures(trialEntries(lucky, { usage: () => ({ costUsd: 1 }) })).costs;
    expect(row?.perCorrectUsd).toBeCloseTo(14 / 9, 12);
    expect(row?.interval?.[0]).toBeGreaterThan(0);
    expect(row?.interval?.[1]).toBeNull();
  });
});
