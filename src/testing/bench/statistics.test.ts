import { expect, test } from "vitest";
import { interleaved, median, quantile } from "./statistics.ts";

test("quantiles interpolate between the order statistics", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(quantile([10, 20], 0.95)).toBeCloseTo(19.5, 12);
});

test("ways are timed in turns, each first about as often as the other, and the first round is not counted", async () => {
  const order: string[] = [];
  const way = (name: string) => () => Promise.resolve(order.push(name));
  const times = await interleaved({ ours: way("ours"), theirs: way("theirs") }, 99);
  const rounds = Array.from({ length: 100 }, (_, round) => order.slice(2 * round, 2 * round + 2));
  for (const round of rounds) expect([...round].sort()).toEqual(["ours", "theirs"]);
  const oursFirst = rounds.filter(([first]) => first === "ours").length;
  expect(oursFirst).toBeGreaterThan(30);
  expect(oursFirst).toBeLessThan(70);
  expect([times.ours.length, times.theirs.length]).toEqual([99, 99]);
});

test("a way has several goes in its turn", async () => {
  let goes = 0;
  const { ours } = await interleaved({ ours: () => Promise.resolve(goes++) }, 2, 5);
  expect([goes, ours.length]).toEqual([15, 10]);
});
