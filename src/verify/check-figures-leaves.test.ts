import { expect, test } from "vitest";
import { ceilingOf, compareLeaves, Within } from "./check-figures-leaves.ts";

const row = { skill: "s", model: null, interval: [0.25, 0.5], k: 3 };

test.each<[string, unknown, unknown, readonly string[]]>([
  ["the same", [row], [row], []],
  ["sums in another order", { mean: 0.1 + 0.2 }, { mean: 0.3 }, []],
  ["a number", [row], [{ ...row, k: 4 }], ["[s].k: 3, 4"]],
  ["an end", [row], [{ ...row, interval: [0.25, 0.51] }], ["[s].interval[1]: 0.5, 0.51"]],
  ["a word", [row], [{ ...row, skill: "t" }], ["[s].skill: s, t"]],
  ["what is unavailable", { p: null }, { p: 0 }, [".p: null (unavailable), 0"]],
  [
    "an interval that nothing gives",
    [{ ...row, interval: null }],
    [row],
    ["[s].interval: null (unavailable), figures"],
  ],
  [
    "an interval left out",
    [row],
    [{ ...row, interval: null }],
    ["[s].interval: figures, null (unavailable)"],
  ],
  ["a row left out", [row, row], [row], ["[s]: figures, nothing", ": 2 of them, 1"]],
  ["a row too many", [row], [row, row], [": 1 of them, 2"]],
  ["members that are another check's", { k: 1 }, { k: 1, more: 2 }, []],
  ["within bounds", { k: new Within(1, 2) }, { k: 1.5 }, []],
  ["beyond them", { k: new Within(1, 2) }, { k: 2.5 }, [".k: from 1 to 2, 2.5"]],
  ["not a number", { k: new Within(1, 2) }, { k: "1" }, [".k: from 1 to 2, 1"]],
])("%s", (_name, expected, came, wanted) => {
  const { differences } = compareLeaves(expected, came, "");
  expect(differences.map((one) => `${one.place}: ${one.expected}, ${one.came}`)).toEqual(wanted);
});

test("lists that are made one by one are compared as they come", () => {
  const made = function* () {
    yield row;
    yield { ...row, k: 5 };
  };
  const { leaves, differences } = compareLeaves(made(), [row, row], "rows");
  expect(differences.map(({ place }) => place)).toEqual(["rows[s].k"]);
  // Two rows of skill, model, two ends with their number and k; and the number of rows.
  expect(leaves).toBe(2 * 6 + 1);
});

test.each([
  [4.2, [5]],
  [5, [5, 6]],
  [5 - 1e-12, [5, 6]],
])("a ceiling of %d is one of %j", (value, wanted) => {
  const taken = [3, 4, 5, 6, 7].filter(
    (whole) => compareLeaves(ceilingOf(value), whole, "").differences.length === 0,
  );
  expect(taken).toEqual(wanted);
});
