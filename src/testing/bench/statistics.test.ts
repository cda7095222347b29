import { expect, test } from "vitest";
import { interleaved, median, quantile } from "./statistics.ts";

test("quantiles interpolate between the order statistics", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(quantile([10, 20], 0.95)).toBeCloseTo(19.5, 12);
});

test("ways are timed in turns, and the first round is not counted", async () => {
  const order: string[] = [];
  const way = (name: string) => () => Promise.resolve(order.push(name));
  const times = await interleaved({ ours: way("ours"), theirs: way("theirs") }, 3);
  expect(order).toEqual(["ours", "theirs", "ours", "theirs", "ours", "theirs", "ours", "theirs"]);
  expect([times.ours.length, times.theirs.length]).toEqual([3, 3]);
});
