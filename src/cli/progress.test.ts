import { expect, test } from "vitest";
import { lineOf, printable } from "./progress.ts";

test.each([
  ["plain words", "plain words"],
  ["two\nlines\ttabbed", "two lines tabbed"],
  ["\u001b[2J\u001b]0;title\u0007gone", "[2J ]0;title gone"],
  ["right\u202eleft", "right left"],
  ["x".repeat(300), `${"x".repeat(239)}…`],
])("%j is printed as %j", (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test("a void trial says what happens to it", () => {
  const trial = {
    skill: "s",
    benchmark: "b",
    model: "v/m",
    arm: "with_skill",
    n: 2,
    block: 0,
    key: "k",
    seed: 1,
  } as const;
  const line = lineOf({ kind: "trial_void", trial, reason: "engine\ngone", again: false });
  expect(line).toBe("void     s/b/v/m/with_skill/2: engine gone, left ungraded");
});
