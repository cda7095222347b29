import { expect, test } from "vitest";
import { differing } from "./differing.ts";

test.each<[string, unknown, unknown, readonly string[]]>([
  ["nothing", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["a member", { a: { b: 1 } }, { a: { b: 2 } }, ["a.b: 1 → 2"]],
  ["one that is gone and one that came", { a: 1 }, { b: 1 }, ["a: 1 → absent", "b: absent → 1"]],
  ["an element of a list", { arms: ["x", "y"] }, { arms: ["x"] }, ['arms.1: "y" → absent']],
  ["another kind of value", { a: [1] }, { a: null }, ["a: [1] → null"]],
  ["the whole", 1, 2, ["(all): 1 → 2"]],
])("%s", (_what, before, after, wanted) => {
  expect(differing(before, after)).toEqual(wanted);
});

test("long values and long lists are cut", () => {
  const [line = ""] = differing({ a: "x".repeat(500) }, { a: "" });
  expect(line.length).toBeLessThan(100);
  const many = Array.from({ length: 50 }, (_, at) => at);
  expect(
    differing(
      many,
      many.map((one) => one + 1),
      3,
    ),
  ).toHaveLength(3);
});
