import { expect, test } from "vitest";
import type { Verdict } from "../artefacts/verdict.ts";
import { artefactsOf, gradingOf, judgeOf, questionOf, says } from "../testing/gradings.ts";
import type { ScriptedStep } from "../testing/scripted-model.ts";
import { askPanel } from "./ask-panel.ts";
import { verdictOf } from "./verdict.ts";

const votes = [says.yes, says.no];
const limited: ScriptedStep = { failure: "infrastructure" };
const panels = votes.flatMap((a) => votes.flatMap((b) => votes.map((c) => [a, b, c] as const)));

async function verdictBy(steps: readonly ScriptedStep[], expected: boolean): Promise<Verdict["verdict"]> {
  const judges = steps.map((step, at) => judgeOf(`vendor${at}/judge`, step));
  const question = questionOf({ expect: expected });
  const answers = await askPanel([question], artefactsOf({ "letter.md": "Dear" }), { judges, seed: 7 });
  return verdictOf(gradingOf(3, ["a"], { answers }), "s").verdict;
}

test.each([true, false])(
  "a rate-limited judge turns no verdict into another (expected: %s)",
  async (expected) => {
    const before = await Promise.all(panels.map((steps) => verdictBy(steps, expected)));
    for (const place of [0, 1, 2]) {
      const after = await Promise.all(
        panels.map((steps) =>
          verdictBy(
            steps.map((step, at) => (at === place ? limited : step)),
            expected,
          ),
        ),
      );
      const graded = after.flatMap((verdict, at) =>
        verdict === "ungraded" ? [] : [[verdict, before[at]] as const],
      );
      for (const [now, then] of graded) expect(now).toBe(then);
      // Of all ways to vote, the pass rate among the graded ones stays where it was.
      const rate = (verdicts: readonly (Verdict["verdict"] | undefined)[]): number =>
        verdicts.filter((verdict) => verdict === "passed").length /
        verdicts.filter((verdict) => verdict !== "ungraded").length;
      expect(graded.length).toBeGreaterThan(0);
      expect(rate(after)).toBe(rate(before));
    }
  },
);
