import { expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import { nearMiss, otherNumber, otherSign, otherText } from "./other-value.ts";

/** Everything that comes out within many draws. */
function all<T>(draw: (random: () => number) => T): readonly T[] {
  const random = randomFrom(7, "values");
  return [...new Set(Array.from({ length: 400 }, () => draw(random)))].sort();
}

test.each<[string, readonly string[]]>([
  ["12", ["11", "13"]],
  ["0", ["1"]],
  ["9", ["8"]],
  ["-7", ["-6", "-8"]],
  ["1.50", ["1.51"]],
  ["00", ["01"]],
  ["007", ["006", "008"]],
  ["1,234.5", ["1,234.4", "1,234.6"]],
  ["10.0.0.1", ["10.0.0.0", "10.0.0.2"]],
  ["2.5e-10", ["2.4e-10", "2.6e-10"]],
  ["123456789", ["123456788"]],
  ["0.3333333333", ["0.3332333333", "0.3334333333"]],
  ["12345678901234567895", ["12345678901234467895", "12345678901234667895"]],
])("a near miss of %s is one of %j", (number, expected) => {
  expect(all((random) => nearMiss(number, random))).toEqual(expected);
});

test("a digit that a tolerance would forgive is not the one that is changed", () => {
  const third = String(1 / 3);
  for (const near of all((random) => nearMiss(third, random)))
    expect(Math.abs(Number(near) - 1 / 3)).toBeGreaterThan(1e-5);
});

test.each<[string, string | null]>([
  ["3", "-3"],
  ["-3", "3"],
  ["+3", "-3"],
  ["0", null],
  ["-0.0", null],
])("the other sign of %s is %s", (number, expected) => {
  expect(otherSign(number)).toBe(expected);
});

test("another number is another number", () => {
  for (const number of ["0", "5", "-12", "1e5", "0.1"])
    for (const other of all((random) => otherNumber(number, random)))
      expect(Number(other)).not.toBe(Number(number));
});

test.each<[string, readonly string[]]>([
  ["ab", ["ac", "bb"]],
  ["Zz", ["Yz", "Zy"]],
  ["é-x", ["é-y"]],
  ["04:59", ["03:59", "04:58", "05:59"]],
  ["日本", []],
  ["", []],
])("one letter or number of %j becomes %j", (source, expected) => {
  const found = all((random) => otherText(source, random)).filter((text) => text !== null);
  expect(found).toEqual(expected);
});

test("what is fixed stays", () => {
  expect(all((random) => otherText("&lt;a&gt;", random, /&[a-z]+;/g))).toEqual(["&lt;b&gt;"]);
  expect(otherText("&lt;&gt;", () => 0.5, /&[a-z]+;/g)).toBeNull();
});
