import { expect, test } from "vitest";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { randomFrom } from "../seed.ts";
import { LiveEvidence, liveWords } from "./live-evidence.ts";

const comparison = { arm: "with_skill", against: "without_skill" };
const trial = (n: number, arm: string): PlannedTrial => ({
  ...{ skill: "s", benchmark: "b", model: "m", arm, n, block: n, seed: 1, key: `${n}${arm}` },
});

function live(): LiveEvidence {
  const made = LiveEvidence.of(comparison);
  if (made === null) throw new Error("there is a comparison");
  return made;
}

test("pairs are made of the two arms of one block, in either order, and other arms are left out", () => {
  const evidence = live();
  evidence.see(trial(1, "with_skill"), { verdict: "passed" });
  evidence.see(trial(1, "placebo"), { verdict: "passed" });
  evidence.see(trial(4, "with_skill"), { verdict: "passed" });
  evidence.see(trial(4, "without_skill"), { verdict: "ungraded" });
  expect(evidence.read()).toEqual({ better: 0, worse: 0, pairs: 0, e: 1 });
  expect(liveWords(evidence.read())).toBe("");
  evidence.see(trial(1, "without_skill"), { verdict: "failed" });
  evidence.see(trial(2, "without_skill"), { verdict: "passed" });
  evidence.see(trial(2, "with_skill"), { verdict: "failed" });
  evidence.see(trial(3, "without_skill"), { verdict: "passed" });
  evidence.see(trial(3, "with_skill"), { verdict: "passed" });
  expect(evidence.read()).toMatchObject({ better: 1, worse: 1, pairs: 3 });
  expect(liveWords(evidence.read())).toMatch(/^; so far 1 better, 1 worse of 3 pair\(s\), e-value 0\.\d$/);
});

test("a plan without a hypothesis has nothing to watch", () => {
  expect(LiveEvidence.of(undefined)).toBeNull();
});

test("however often one looks, 20 is reached by at most one campaign of 20 without an effect", () => {
  const campaigns = 400;
  const random = randomFrom(7, "live");
  let reached = 0;
  for (let campaign = 0; campaign < campaigns; campaign++) {
    const evidence = live();
    let seen = false;
    for (let n = 0; n < 60; n++) {
      evidence.see(trial(n, "with_skill"), { verdict: random() < 0.5 ? "passed" : "failed" });
      evidence.see(trial(n, "without_skill"), { verdict: random() < 0.5 ? "passed" : "failed" });
      seen ||= evidence.read().e >= 20;
    }
    if (seen) reached++;
  }
  const error = Math.sqrt((0.05 * 0.95) / campaigns);
  expect(reached / campaigns).toBeLessThanOrEqual(0.05 + 3 * error);
});

test("an effect of 60 points is seen", () => {
  const evidence = live();
  for (let n = 0; n < 40; n++) {
    evidence.see(trial(n, "with_skill"), { verdict: n % 5 !== 0 ? "passed" : "failed" });
    evidence.see(trial(n, "without_skill"), { verdict: n % 5 === 0 ? "passed" : "failed" });
  }
  expect(evidence.read().e).toBeGreaterThan(20);
});
