import { expect, test } from "vitest";
import { direction } from "./centroids.ts";

test("the direction is the mean at length 1", () => {
  expect(
    direction([
      [1, 0],
      [0, 1],
    ]),
  ).toEqual([Math.SQRT1_2, Math.SQRT1_2].map((x) => expect.closeTo(x, 12) as number));
});

test("members that cancel out are stood for by the medoid, the first of equals", () => {
  const root = Math.sqrt(3) / 2;
  expect(
    direction([
      [1, 0],
      [-1, 0],
    ]),
  ).toEqual([1, 0]);
  expect(
    direction([
      [0, 1],
      [root, -0.5],
      [-root, -0.5],
    ]),
  ).toEqual([0, 1]);
});
