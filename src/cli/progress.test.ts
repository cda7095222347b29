import { expect, test } from "vitest";
import type { PipelineEvent } from "../events.ts";
import { harmless, lineOf, printable } from "./progress.ts";

test.each([
  ["plain words", "plain words"],
  ["two\nlines\ttabbed", "two lines tabbed"],
  ["\u001b[2J\u001b]0;title\u0007gone", "[2J ]0;title gone"],
  ["right\u202eleft", "right left"],
  ["x".repeat(300), `${"x".repeat(239)}…`],
  // Half a character is none, wherever the cut falls.
  ["\ud83d lone", "lone"],
  [`${"x".repeat(238)}${"😀".repeat(9)}`, `${"x".repeat(238)}…`],
  [`${"\u200b".repeat(30_000)}hidden behind`, "…"],
])("%j is printed as %j", (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test("what says more is cut later", () => {
  expect(printable("x".repeat(300), 300)).toBe("x".repeat(300));
  expect(printable("x".repeat(301), 300)).toBe(`${"x".repeat(299)}…`);
});

test("several lines stay lines, and hold nothing that a terminal obeys", () => {
  expect(harmless("a\tb\nc\u001b[2Jd\r\u0085e\u202ef\n")).toBe("a\tb\nc [2Jd  e f\n");
});

test.each<[string, PipelineEvent]>([
  ["author", { kind: "attempt", benchmark: "s/\u001b[2J", attempt: 1, of: 3 }],
  ["gate", { kind: "gated", benchmark: "s/\u001b[2J", passed: true, words: "" }],
  ["kept", { kind: "kept", benchmark: "s/\u001b[2J", unchanged: true }],
  ["given up", { kind: "given_up", benchmark: "s/\u001b[2J", words: "" }],
  ["stopped", { kind: "model_stopped", model: "v/\u001b[2J", reason: "" }],
])("names are printable too: %s", (_name, event) => {
  expect(lineOf(event)).toContain("/ [2J");
});

test.each<PipelineEvent>([
  { kind: "began", title: "c", part: null, stages: [] },
  { kind: "gating", benchmark: "s/b" },
  { kind: "counted", stage: "author", done: 1, of: 2 },
  { kind: "evidence", better: 1, worse: 0, pairs: 1, e: 1 },
])("a log has no line for $kind", (event) => {
  expect(lineOf(event)).toBeNull();
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
