import { expect, test } from "vitest";
import { randomFrom } from "../seed.ts";
import { fraction } from "../statistics/fraction.ts";
import { signFlip } from "../statistics/sign-flip.ts";
import { stratifiedPermutation } from "../statistics/stratified-permutation.ts";
import { dealtOut, type PairCount, signsFlipped } from "./exact-p.ts";

test("labels dealt out within cells: as the report's way of counting has it, over random campaigns", () => {
  const random = randomFrom(7, "exact-p");
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  for (let campaign = 0; campaign < 200; campaign++) {
    const cells = Array.from({ length: 1 + upTo(11) }, (): PairCount => {
      const [n, m] = [1 + upTo(6), 1 + upTo(6)];
      return { treated: { passed: upTo(n), graded: n }, control: { passed: upTo(m), graded: m } };
    });
    const other = stratifiedPermutation(
      cells.map(({ treated, control }) => ({
        ...{ withPass: treated.passed, withN: treated.graded },
        ...{ withoutPass: control.passed, withoutN: control.graded },
      })),
    );
    const { twoSided, greater } = dealtOut(cells);
    expect(twoSided).toBeCloseTo(other.pTwoSided, 9);
    expect(greater).toBeCloseTo(other.pGreater, 9);
  }
});

test("signs flipped: as the report's way of counting has it, over random differences of thirds and fifths", () => {
  const random = randomFrom(7, "signs");
  for (let campaign = 0; campaign < 200; campaign++) {
    const differences = Array.from({ length: 1 + Math.floor(random() * 14) }, () =>
      fraction(Math.floor(random() * 31) - 15, 15),
    );
    const other = signFlip(differences);
    const ps = signsFlipped(differences.map(({ numerator, denominator }) => numerator / denominator));
    expect(ps?.twoSided).toBeCloseTo(other.pTwoSided, 9);
    expect(ps?.greater).toBeCloseTo(other.pGreater, 9);
  }
});

test("nothing but equal arms gives no evidence, and too many totals are not counted", () => {
  expect(signsFlipped([0, 0, 1e-12])).toEqual({ twoSided: 1, greater: 1 });
  expect(dealtOut([])).toEqual({ twoSided: 1, greater: 1 });
  const random = randomFrom(7, "fine");
  expect(signsFlipped(Array.from({ length: 40 }, () => random()))).toBeNull();
});
