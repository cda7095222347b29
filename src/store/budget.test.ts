import { expect, test } from "vitest";
import type { Ledger, Reservation } from "../models/port.ts";
import { sampleAttempt, sampleBegun } from "../testing/ledgers.ts";
import { Budget, withinBudget } from "./budget.ts";

test("spent, held and next together may reach the limit and not pass it", () => {
  const budget = new Budget({ limitNanoUsd: 100, spentNanoUsd: 40 });
  expect(budget.hold(50)).toBe(true);
  expect(budget.hold(11)).toBe(false);
  expect(budget.hold(10)).toBe(true);
  expect([budget.spentNanoUsd, budget.heldNanoUsd]).toEqual([40, 60]);
  budget.free(50);
  budget.spend(20);
  expect(budget.hold(31)).toBe(false);
  expect(budget.hold(30)).toBe(true);
});

test("what turned out to be cheaper makes room", () => {
  const budget = new Budget({ limitNanoUsd: 100, spentNanoUsd: 100 });
  expect(budget.hold(5)).toBe(false);
  budget.spend(-5);
  expect(budget.hold(5)).toBe(true);
});

test("an unknown price is let through only while something is left", () => {
  const budget = new Budget({ limitNanoUsd: 100, spentNanoUsd: 99 });
  expect(budget.hold(null)).toBe(true);
  expect(budget.heldNanoUsd).toBe(0);
  budget.spend(1);
  expect(budget.hold(null)).toBe(false);
});

test("a limit of 0 lets through what costs nothing", () => {
  const budget = new Budget({ limitNanoUsd: 0, spentNanoUsd: 0 });
  expect(budget.hold(0)).toBe(true);
  expect(budget.hold(1)).toBe(false);
  expect(budget.hold(null)).toBe(false);
});

test("without a limit there is always room", () => {
  const budget = new Budget({ limitNanoUsd: null, spentNanoUsd: 1e12 });
  expect([budget.hold(1e12), budget.hold(null)]).toEqual([true, true]);
});

/** A ledger with room for `places` requests at a time. */
function roomy(places: number): Ledger & { readonly booked: number[] } {
  const booked: number[] = [];
  let free = places;
  return {
    booked,
    reserve() {
      if (free === 0) return null;
      free--;
      return {
        book: ({ costNanoUsd }) => {
          free++;
          booked.push(costNanoUsd ?? Number.NaN);
        },
      } satisfies Reservation;
    },
  };
}

test("a part of the work has a limit of its own, and what it books is the whole's", () => {
  const whole = roomy(2);
  const part = withinBudget(whole, 100);
  part.reserve(sampleBegun(60))?.book(sampleAttempt({ costNanoUsd: 30 }));
  expect(whole.booked).toEqual([30]);
  expect(part.reserve(sampleBegun(71))).toBeNull();
  const held = part.reserve(sampleBegun(70));
  expect(part.reserve(sampleBegun(1))).toBeNull();
  held?.book(sampleAttempt({ costNanoUsd: null, upToNanoUsd: 70, source: "unknown" }));
  expect(part.reserve(sampleBegun(1))).toBeNull();
  expect(withinBudget(whole, null).reserve(sampleBegun(1e12))).not.toBeNull();
});

test("when the whole has no room, the part holds nothing", () => {
  const whole = roomy(1);
  const part = withinBudget(whole, 100);
  const other = whole.reserve(sampleBegun(1));
  expect(part.reserve(sampleBegun(100))).toBeNull();
  other?.book(sampleAttempt({ costNanoUsd: 0, source: "not_charged" }));
  expect(part.reserve(sampleBegun(100))).not.toBeNull();
});
