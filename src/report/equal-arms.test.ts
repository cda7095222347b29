import { expect, test } from "vitest";
import type { Cell } from "../artefacts/report.ts";
import { analyse } from "../conclude/analyse.ts";
import { armCells, settingsOf } from "../testing/arm-cells.ts";
import { equalArmsOf, equalArmsSection, insteadOfUplift } from "./equal-arms.ts";
import { headline } from "./headline.ts";
import { pool } from "./uplift.ts";

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, ...rows].map((row) => row.join(" | ")).join("\n");

function cells(arms: readonly string[], tallies: Record<string, string>): readonly Cell[] {
  return armCells(arms, tallies).map((cell) => ({ ...cell, uplift: null, complete: true }));
}

const noisy = cells(["without_skill", "without_skill@again"], { a: "3/4 2/4", b: "1/4 3/4", c: "1/4 0/0/4" });
const noLeaks = {
  leaks: { handling: "include" as const, benchmarks: [], without: null, withoutTold: null },
};

test("what equal arms differ by is told with its denominators, and as the number to put into the YAML", () => {
  const text = equalArmsSection({ cells: [...noisy], ...noLeaks }, table);
  expect(text).toContain(
    "all models | without_skill@again against without_skill | +12.5 points | 5 of 8 | 4 of 8 | 2",
  );
  expect(text).toContain("`analysis.noiseFloor: 0.125`");
  expect(
    equalArmsSection(
      { cells: [...cells(["with_skill", "without_skill"], { a: "1/1 0/1" })], ...noLeaks },
      table,
    ),
  ).toBe("");
});

test("an A/A campaign's first sentence is its noise, and no uplift that nobody planned", () => {
  const trials = { planned: 24, finished: 24, graded: 20 };
  const words = headline(pool(noisy), trials, insteadOfUplift(noisy));
  expect(words).toContain("No uplift: with_skill and without_skill are not both planned");
  expect(words).toContain(
    "without_skill@again and without_skill differ by +12.5 points over 2 benchmark × model cell(s), 5 of 8 and 4 of 8 passed.",
  );
  const waiting = cells(["with_skill", "without_skill"], { a: "0/0/2 0/0/2" });
  expect(headline(pool(waiting), trials, insteadOfUplift(waiting))).toContain(
    "No uplift yet: 20 of 24 planned trials graded",
  );
  expect(insteadOfUplift(cells(["with_skill", "placebo"], { a: "1/2 0/2" }))).toEqual([]);
});

test("it is the floor that conclusions are held against", () => {
  const arms = ["with_skill", "without_skill", "without_skill@again"];
  const all = cells(arms, { a: "4/4 3/4 2/4", b: "4/4 1/4 3/4", c: "2/4 1/4 1/4" });
  const { rows } = analyse(
    all.map(({ arms: tallies, ...key }) => ({ ...key, arms: full(tallies) })),
    settingsOf({ bootstrap: { resamples: 0 } }),
  );
  const floors = new Map(
    equalArmsOf(all).map(({ skill, model, difference }) => [`${skill} ${model}`, Math.abs(difference)]),
  );
  const held = rows.filter(
    ({ role, level }) => role === "primary" && ["skill", "skill-model"].includes(level),
  );
  expect(held.length).toBeGreaterThan(0);
  for (const { skill, model, noiseFloor } of held)
    expect(noiseFloor).toBeCloseTo(floors.get(`${skill} ${model}`) ?? NaN, 12);
});

function full(arms: Cell["arms"]) {
  return Object.fromEntries(
    Object.entries(arms).flatMap(([arm, tally]) => (tally === undefined ? [] : [[arm, tally] as const])),
  );
}
