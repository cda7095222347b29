import { expect, test } from "vitest";
import type { Conclusions } from "../artefacts/conclusion.ts";
import {
  alikeCells,
  arms,
  type CellTexts,
  compared,
  type SideOptions,
  usageRow,
} from "../testing/compared-sides.ts";

const one = { "t m/x": arms("2/2", "0/2") };

test("what a reader must know first is said", () => {
  const cells = { ...alikeCells(2, arms("1/2", "0/2")), "task-3 m/x": { with_skill: "1/2" } } as CellTexts;
  const unfinished = { trials: { planned: 9, finished: 4, graded: 4 } };
  const { warnings } = compared(cells, cells, {
    a: { report: { standIn: true } },
    b: { report: unfinished, inputs: { trials: 4, sandbox: { cpus: 2 } }, plan: { image: { recipe: "q" } } },
  });
  expect(warnings).toEqual([
    "A asked a stand-in, not a model: nothing here says anything about a model.",
    "B is not finished: 4 of 9 planned trials; its figures can still change.",
    "1 of 3 cells have no verdict of without_skill on both sides: their uplift is unavailable.",
    "The arms deliver the same bytes in A and B for sample: what differs there is not its text.",
    'Besides skills and benchmarks, these differ: trials: 3 → 4; sandbox.cpus: 1 → 2; image: "r" → "q".',
  ]);
  expect(compared(one, one)).toMatchObject({
    sameInputs: true,
    warnings: [expect.stringContaining("A/A: both have the same inputs") as string],
  });
});

test("tokens and cost are B ÷ A with what they rest on, and unavailable where they are not known", () => {
  const usage = (
    tokens: Parameters<typeof usageRow>[1],
    cost: Parameters<typeof usageRow>[2],
  ): SideOptions => ({
    report: { usage: [usageRow("with_skill", tokens, cost)] },
  });
  const [known, half] = [usage([100, 2, 2], [0.2, 2, 2]), usage([150, 2, 2], [null, 0, 2])];
  expect(compared(one, one, { a: known, b: half }).usage).toEqual([
    {
      ...{ skill: "sample", model: "m/x" },
      inputTokens: { ratio: 1.5, words: "× 1.50 (known of A 2 of 2 trials, B 2 of 2)" },
      outputTokens: { ratio: null, words: "unavailable: known of A 0 of 2 trials, B 0 of 2" },
      costUsd: { ratio: null, words: "unavailable: known of A 2 of 2 trials, B 0 of 2" },
    },
  ]);
  const more = { ...one, "u m/x": arms("2/2", "0/2") };
  expect(compared(more, one, { a: known, b: known }).usage[0]?.inputTokens).toEqual({
    ratio: null,
    words: "unavailable: cells of it were left out, whose trials are in the means",
  });
});

test("conclusions of the campaigns themselves stand beside each other", () => {
  const [helps, hurts] = [arms("9/10", "1/10"), arms("1/10", "9/10")];
  const { conclusions } = compared(alikeCells(4, helps), alikeCells(4, hurts));
  expect(conclusions).toEqual([
    { skill: "sample", model: null, question: "set", a: "helps", b: "hurts", worse: true },
    { skill: "sample", model: "m/x", question: "set", a: "helps", b: "hurts", worse: true },
  ]);
  const none: Conclusions | null = null;
  const silent = compared(alikeCells(4, helps), alikeCells(4, hurts), {
    b: { report: { conclusions: none } },
  });
  expect(silent.conclusions).toEqual([]);
});
