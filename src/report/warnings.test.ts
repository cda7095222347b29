import { expect, test } from "vitest";
import type { PlannedTrial, TrialUsage } from "../artefacts/trial.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { endedTrial } from "../testing/trials.ts";
import type { TrialOnDisk } from "./outcome.ts";
import { warningsOf } from "./warnings.ts";

const trials = planTrials(sampleInputs({ models: ["a/x", "b/y"], trials: 10 }), "recipe");
const armSize = trials.filter(({ model, arm }) => model === "a/x" && arm === "with_skill").length;

/** Every trial of `a/x` as `of` says; those of `b/y` had no trouble. */
function warned(
  of: (
    planned: PlannedTrial,
    nth: number,
  ) => { voids?: number; usage?: Partial<TrialUsage>; served?: string },
): readonly string[] {
  const nth = new Map<string, number>();
  const entries = trials.map((planned): TrialOnDisk => {
    const own = nth.get(`${planned.model} ${planned.arm}`) ?? 0;
    nth.set(`${planned.model} ${planned.arm}`, own + 1);
    const { voids = 0, usage = {}, served = "a/x-1" } = planned.model === "a/x" ? of(planned, own) : {};
    const trial = { ...endedTrial(planned, { usage }), served: { models: [served], providers: ["Alpha"] } };
    return { planned, trial, verdict: null, voids };
  });
  return warningsOf(entries);
}

test("a campaign without trouble has no warnings, and neither has one without trials", () => {
  expect(warned(() => ({}))).toEqual([]);
  expect(warningsOf([])).toEqual([]);
  expect(warningsOf(trials.map((planned) => ({ planned, trial: null, verdict: null, voids: 0 })))).toEqual(
    [],
  );
});

test.each([
  [1, 0, false],
  [2, 0, true],
  [0, 2, true],
  [2, 1, false],
  [6, 6, false],
])("%d attempts lost with the skill and %d without: said %s", (withSkill, without, said) => {
  // 20 trials an arm: one loss more is less than five points, two are more.
  expect(armSize).toBe(20);
  const words = warned(({ arm }, nth) => ({
    voids: nth < (arm === "with_skill" ? withSkill : without) ? 1 : 0,
  }));
  expect(words).toHaveLength(said ? 1 : 0);
  if (!said) return;
  expect(words[0]).toMatch(/^a\/x: attempts lost to infrastructure differ between the arms/);
  expect(words[0]).toContain(`with_skill ${withSkill} of ${armSize + withSkill}`);
  expect(words[0]).toContain(`without_skill ${without} of ${armSize + without}`);
});

test.each<[string, keyof TrialUsage, number, RegExp]>([
  [
    "cut off",
    "lengthTurns",
    0.05,
    /^a\/x: (\d+) of 400 turns were cut off; raise evaluation\.limits\.maxTokensPerTurn\.$/,
  ],
  ["written as text", "textCalls", 0.02, /^a\/x: (\d+) of 400 turns wrote a tool call as text/],
])("turns %s are said when they are more than their share", (_name, figure, share, pattern) => {
  const turns = 10;
  const most = share * 2 * armSize * turns;
  const withTurns = (odd: number): readonly string[] => {
    let left = odd;
    return warned(() => {
      const here = Math.min(left, turns);
      left -= here;
      return { usage: { modelCalls: turns, [figure]: here } };
    });
  };
  expect(withTurns(most)).toEqual([]);
  const [words] = withTurns(most + 1);
  expect(words).toMatch(pattern);
  expect(pattern.exec(words ?? "")?.[1]).toBe(String(most + 1));
});

test.each<[string, (nth: number) => Partial<TrialUsage>, boolean]>([
  ["nothing was cached in loops", () => ({ modelCalls: 3, cachedInputTokens: 0 }), true],
  [
    "one trial had something cached",
    (nth) => ({ modelCalls: 3, cachedInputTokens: nth === 4 ? 900 : 0 }),
    false,
  ],
  ["trials of two turns are too short to tell", () => ({ modelCalls: 2, cachedInputTokens: 0 }), false],
  ["the server does not tell", () => ({ modelCalls: 3, cachedInputTokens: null }), false],
])("prompt cache: %s", (_name, usageOf, said) => {
  const words = warned((_planned, nth) => ({ usage: usageOf(nth) }));
  expect(words).toEqual(
    said ? ["a/x: nothing came from a prompt cache in any trial of three or more turns."] : [],
  );
});

test("a second snapshot under one name is said with both", () => {
  const words = warned((_planned, nth) => ({ served: nth < 3 ? "a/x-1" : "a/x-2" }));
  expect(words).toEqual(["a/x: served by more than one snapshot in this campaign: a/x-1, a/x-2."]);
});
