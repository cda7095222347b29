import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import { fraction } from "../statistics/fraction.ts";
import { signFlip, signFlipReal } from "../statistics/sign-flip.ts";
import { stratifiedPermutation } from "../statistics/stratified-permutation.ts";
import { flippedChances, mostTried, triedChances } from "./recount-intervals-flips.ts";
import { type PairCount, shuffledChances } from "./recount-intervals-p.ts";

const close = (value: number): unknown => expect.closeTo(value, 9);

test.each([
  ["small cells", 11, 6],
  ["one trial", 60, 1],
  ["large cells, far from all that can be", 20, 300],
])("labels dealt out within cells, over random campaigns: %s", (_name, mostCells, mostTrials) => {
  const random = randomFrom(7, "shuffled", mostTrials);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  for (let campaign = 0; campaign < 100; campaign++) {
    const cells = Array.from({ length: 1 + upTo(mostCells) }, (): PairCount => {
      const [n, m] = [1 + upTo(mostTrials - 1), 1 + upTo(mostTrials - 1)];
      const rate = random();
      const passed = (of: number): number =>
        Array.from({ length: of }, random).filter((one) => one < rate).length;
      return { treated: { passed: passed(n), graded: n }, control: { passed: passed(m), graded: m } };
    });
    const other = stratifiedPermutation(
      cells.map(({ treated, control }) => ({
        ...{ withPass: treated.passed, withN: treated.graded },
        ...{ withoutPass: control.passed, withoutN: control.graded },
      })),
    );
    expect(shuffledChances(cells)).toMatchObject({
      pTwoSided: close(other.pTwoSided),
      pGreater: close(other.pGreater),
      midPTwoSided: close(other.midPTwoSided),
      midPGreater: close((1 + other.pGreater - other.pLess) / 2),
    });
  }
});

test("an effect that no shuffling comes near has next to no chance", () => {
  const cells = Array.from({ length: 40 }, (): PairCount => {
    return { treated: { passed: 100, graded: 100 }, control: { passed: 0, graded: 100 } };
  });
  expect(shuffledChances(cells)).toMatchObject({ pTwoSided: close(0), pGreater: close(0), toward: 1 });
  const against = cells.map(({ treated, control }) => ({ treated: control, control: treated }));
  expect(shuffledChances(against)).toMatchObject({ pTwoSided: close(0), pGreater: close(1), toward: -1 });
});

test.each([
  ["few", 14],
  ["many", 400],
])("signs flipped, over random differences of thirds and fifths: %s", (_name, most) => {
  const random = randomFrom(7, "signs", most);
  for (let campaign = 0; campaign < 100; campaign++) {
    const steps = Array.from(
      { length: 1 + Math.floor(random() * most) },
      () => Math.floor(random() * 31) - 15,
    );
    const { exact, nNonZero, pLess, ...other } = signFlip(steps.map((step) => fraction(step, 15)));
    expect([exact, nNonZero, pLess > 0]).toEqual([true, steps.filter((step) => step !== 0).length, true]);
    const again = flippedChances(steps);
    expect(again).toMatchObject(
      Object.fromEntries(Object.entries(other).map(([name, value]) => [name, close(value)])),
    );
  }
});

test.each([3, mostTried, mostTried + 1])(
  "signs of %d real values: all of them, or the same draws",
  (length) => {
    const random = randomFrom(7, "reals", length);
    const values = [0, ...Array.from({ length }, () => random() - 0.4)];
    const { exact, nNonZero, pLess, ...other } = signFlipReal(values, 5);
    expect([exact, nNonZero, pLess > 0]).toEqual([length <= mostTried, length, true]);
    expect(triedChances(values, 5)).toMatchObject(
      Object.fromEntries(Object.entries(other).map(([name, value]) => [name, close(value)])),
    );
  },
);

test("nothing but equal arms gives no evidence", () => {
  const nothing = { pTwoSided: 1, pGreater: 1, midPTwoSided: 1, toward: 0 };
  expect(shuffledChances([])).toMatchObject(nothing);
  expect(flippedChances([0, 0])).toMatchObject(nothing);
  expect(triedChances([0, 0], 7)).toMatchObject(nothing);
});
