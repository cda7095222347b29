import { expect, test } from "vitest";
import { tInterval } from "../statistics/t-interval.ts";
import { armCells, nearly, settingsOf } from "../testing/arm-cells.ts";
import { evidenceOf } from "./evidence.ts";
import { pairsOf } from "./pairs.ts";

const settings = settingsOf({ bootstrap: { resamples: 100 } });

/** Tasks where one trial passes with the skill and none without (1), or the other way (−1), or neither (0). */
function evidenceFor(differences: readonly number[]) {
  const tasks = Object.fromEntries(
    differences.map((one, at) => [`t${at}`, one === 0 ? "0/1 0/1" : one > 0 ? "1/1 0/1" : "0/1 1/1"]),
  );
  const cells = armCells(["with_skill", "without_skill"], tasks);
  const pairs = pairsOf(cells, { arm: "with_skill", against: "without_skill" });
  return evidenceOf(pairs, "tasks", { settings, resamples: 100 })!;
}

test.each<[string, readonly number[]]>([
  ["above", [1, 1, 1, 1, 1, 0]],
  ["below", [-1, -1, -1, -1, -1, 0]],
])("no interval of an uplift reaches %s a whole", (side, differences) => {
  const bare = tInterval(differences)!.ci;
  const end = side === "above" ? 1 : 0;
  // Or the case would show nothing.
  expect(Math.abs(bare[end])).toBeGreaterThan(1);
  const { set, tasks } = evidenceFor(differences);
  const wanted = bare.with(end, Math.sign(bare[end]));
  expect(tasks.interval).toEqual(nearly(wanted));
  for (const interval of [set.interval, set.marginInterval, tasks.interval, tasks.marginInterval]) {
    const [low, high] = interval!;
    expect(low).toBeGreaterThanOrEqual(-1);
    expect(high).toBeLessThanOrEqual(1);
    expect(low).toBeLessThan(high);
  }
});

test("an interval inside is left as it is", () => {
  const differences = [1, -1, 0, 0, 0, 0, 0, 0];
  expect(evidenceFor(differences).tasks.interval).toEqual(nearly(tInterval(differences)!.ci));
});
