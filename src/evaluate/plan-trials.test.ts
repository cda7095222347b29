import { expect, test } from "vitest";
import { sampleInputs } from "../testing/benchmark.ts";
import { planTrials } from "./plan-trials.ts";

const plan = planTrials(sampleInputs(), "recipe");

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
  const edited = planTrials(sampleInputs({ skills: [{ ...skill!, treeHash: "edited" }] }), "recipe");
  const keys = new Set(edited.map(({ key }) => key));
  for (const trial of plan) expect(keys.has(trial.key)).toBe(trial.arm === "without_skill");
});
