import { expect, test } from "vitest";
import { unitWith } from "../testing/unit.ts";
import { clusterIds, leadingUnit } from "./cluster-ids.ts";

test.each<[title: string, id: string]>([
  ["Ledger export", "ledger-export"],
  ["3. `CSV` → JSON: the *fast* way!", "3-csv-json-the-fast-way"],
  ["Überprüfung der Größe", "uberprufung-der-gro-e"],
  ["  --  ", "cluster-1"],
  ["退款流程", "cluster-1"],
  ["日志 format v2", "format-v2"],
  ["a".repeat(80), "a".repeat(60)],
  [`${"word ".repeat(20)}end`, "word-".repeat(12).slice(0, -1)],
])("%s → %s", (title, id) => {
  expect(clusterIds([[unitWith(0, { title })]])).toEqual([id]);
});

test("ids are unique, also against titles that end in a number", () => {
  const titles = ["Setup", "setup!", "Setup 2", "退款", "日志"];
  const ids = clusterIds(titles.map((title, i) => [unitWith(i, { title })]));
  expect(ids).toEqual(["setup", "setup-2", "setup-2-2", "cluster-4", "cluster-5"]);
});

test.each([
  ["the most tokens", [{ tokens: 90 }, { tokens: 130 }, { tokens: 100 }], 1],
  ["the first of equals", [{ tokens: 90 }, { tokens: 130 }, { tokens: 130 }], 1],
  ["a capability before boilerplate", [{ tokens: 900, boilerplate: true }, { tokens: 50 }], 1],
  ["boilerplate when there is nothing else", [{ boilerplate: true }, { tokens: 900, boilerplate: true }], 1],
])("the leading unit: %s", (_name, units, leader) => {
  const all = units.map((members, i) => unitWith(i, members));
  expect(leadingUnit(all)).toBe(all[leader]);
});
