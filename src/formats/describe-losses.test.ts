import { expect, test } from "vitest";
import { describeLosses } from "./describe-losses.ts";

test("every loss is a line of its own, whatever its text holds", () => {
  const losses = [
    { part: "a\n# b", words: "[x](y) `z` <script>" },
    { part: "c", words: "plain words" },
  ];
  const lines = describeLosses("x_y", "original", losses).split("\n");
  expect(lines[0]).toBe('# x\\_y: imported from the format "original"');
  expect(lines.filter((line) => line.startsWith("- "))).toEqual([
    "- **a \\# b**: \\[x\\](y) \\`z\\` \\<script\\>",
    "- **c**: plain words",
  ]);
  expect(lines.filter((line) => line.startsWith("#"))).toHaveLength(1);
  expect(lines.join("\n")).toContain(`(${losses.length}):`);
});

test("no loss is said too", () => {
  expect(describeLosses("x", "harbor", [])).toContain("Everything of the original has a place here.\n");
});
