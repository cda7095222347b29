import { expect, test } from "vitest";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { planTrials } from "./plan-trials.ts";

const plan = planTrials(sampleInputs(), "recipe");

function cellsOf(trials: readonly PlannedTrial[]): readonly (readonly PlannedTrial[])[] {
  const cells = new Map<string, PlannedTrial[]>();
  for (const trial of trials) {
    const name = `${trial.benchmark} ${trial.model}`;
    cells.set(name, [...(cells.get(name) ?? []), trial]);
  }
  return [...cells.values()];
}

test("every cell gets every arm in every repetition, and no key repeats", () => {
  expect(plan).toHaveLength(2 * 2 * 2 * 3);
  expect(new Set(plan.map(({ key }) => key)).size).toBe(plan.length);
});

test("a block holds each arm once, back to back, with one sampling seed", () => {
  const blocks = new Set(plan.map(({ block }) => block));
  for (const block of blocks) {
    const members = plan.filter((trial) => trial.block === block);
    expect(members.map(({ arm }) => arm).sort()).toEqual(["with_skill", "without_skill"]);
    expect(new Set(members.map(({ seed }) => seed)).size).toBe(1);
    const first = plan.findIndex((trial) => trial.block === block);
    expect(plan.slice(first, first + 2)).toEqual(members);
  }
});

test("which arm goes first alternates, and is fixed by the seed", () => {
  const firsts = plan.filter((_, index) => index % 2 === 0).map(({ arm }) => arm);
  expect(new Set(firsts)).toEqual(new Set(["with_skill", "without_skill"]));
  // Of two successive trials of a cell each arm begins one, whichever is first.
  const cells = cellsOf(plan);
  for (const trials of cells) {
    const begun = trials.filter((_, at) => at % 2 === 0).map(({ arm }) => arm);
    expect(new Set(begun.slice(0, 2)).size).toBe(2);
  }
  expect(new Set(cells.map(([first]) => first?.arm)).size).toBe(2);
  expect(planTrials(sampleInputs(), "recipe")).toEqual(plan);
  expect(planTrials(sampleInputs({ seed: 8 }), "recipe")).not.toEqual(plan);
});

test("repetitions come outermost, so that an early stop leaves a balanced table", () => {
  expect(plan.map(({ n }) => n)).toEqual([...plan.map(({ n }) => n)].sort((a, b) => a - b));
});

test.each([
  ["more trials", { trials: 9 }, true],
  ["another model beside it", { models: ["a/x", "b/y", "c/z"] }, true],
  ["other judges", { judges: ["j"] }, true],
  ["another limit", { limits: { turns: 6 } }, false],
  ["another prompt", { prompts: { system: "other", tools: "t" } }, false],
])("%s: the keys of the same trials stay equal: %s", (_words, over, same) => {
  const keys = new Set(planTrials(sampleInputs(over), "recipe").map(({ key }) => key));
  expect(plan.every(({ key }) => keys.has(key))).toBe(same);
});

test("an edit of the skill changes the arm with it and leaves the other", () => {
  const [skill] = sampleInputs().skills;
  const arms = skill!.arms.map((arm) => ({ ...arm, delivered: arm.delivered === null ? null : "edited" }));
  const edited = planTrials(sampleInputs({ skills: [{ ...skill!, arms }] }), "recipe");
  const keys = new Set(edited.map(({ key }) => key));
  for (const trial of plan) expect(keys.has(trial.key)).toBe(trial.arm === "without_skill");
});

test("an arm that is repeated delivers the same in trials of their own, in an order of its own in each block", () => {
  const [skill] = sampleInputs().skills;
  const [without] = skill!.arms;
  const arms = [...skill!.arms, { ...without!, id: "without_skill@again" }];
  const repeated = planTrials(sampleInputs({ skills: [{ ...skill!, arms }] }), "recipe");
  expect(new Set(repeated.map(({ key }) => key)).size).toBe(repeated.length);
  // What was planned before stays what it was: arms do not change each other's trials.
  const keys = new Set(repeated.map(({ key }) => key));
  for (const { key } of plan) expect(keys.has(key)).toBe(true);
  const blocks = new Map<number, string[]>();
  for (const { block, arm } of repeated) blocks.set(block, [...(blocks.get(block) ?? []), arm]);
  const ids = arms.map(({ id }) => id).sort();
  for (const order of blocks.values()) expect(order.toSorted()).toEqual(ids);
  // Three blocks a cell: each of the three arms is first in one of them.
  for (const trials of cellsOf(repeated)) {
    const firsts = trials.filter((_, at) => at % 3 === 0).map(({ arm }) => arm);
    expect(firsts.toSorted()).toEqual(ids);
  }
});

test("each skill has its own arms", () => {
  const [skill] = sampleInputs().skills;
  const ablation = { id: "ablation-a", treatment: { kind: "ablation", of: "a" } as const, delivered: "a" };
  const other = { ...skill!, id: "other", arms: [...skill!.arms, ablation] };
  const both = planTrials(sampleInputs({ skills: [skill!, other] }), "recipe");
  const armsOf = (id: string) =>
    [...new Set(both.flatMap((trial) => (trial.skill === id ? [trial.arm] : [])))].sort();
  expect(armsOf("sample")).toEqual(["with_skill", "without_skill"]);
  expect(armsOf("other")).toEqual(["ablation-a", "with_skill", "without_skill"]);
});
