import { expect, test } from "vitest";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { activationOf, activationSection } from "./activation.ts";
import { entryMaker } from "./counted.ts";
import { cellsOf } from "./uplift.ts";

const activation = (turn: number | null) => ({ skill: "sample", turn, instructionsTurn: turn, opened: [] });

test("trials are split by whether the agent opened a file of what was delivered", () => {
  const entryOf = entryMaker();
  const trials = planTrials(sampleInputs({ models: ["a/x"] }), "recipe");
  const treated = trials.filter(({ arm }) => arm === "with_skill");
  const entries = trials.map((planned) => {
    const at = treated.indexOf(planned);
    const activations = at < 0 ? [] : [activation(at % 2 === 0 ? 3 : null)];
    const verdict = verdictOf(at % 2 === 0 ? "passed" : "failed");
    return entryOf({
      planned,
      trial: { ...endedTrial(planned), activations },
      verdict,
      voids: 0,
      torn: null,
    });
  });
  const half = treated.length / 2;
  const rows = activationOf(entries);
  expect(rows).toEqual([
    {
      ...{ skill: "sample", model: "a/x", arm: "with_skill", trials: treated.length },
      opened: { passed: half, graded: half, planned: half },
      notOpened: { passed: 0, graded: half, planned: half },
    },
  ]);
  const table = (_header: readonly string[], lines: readonly (readonly string[])[]) => JSON.stringify(lines);
  const cells = cellsOf(entries);
  const { seed, trials: each, limits, models, judges } = sampleInputs();
  const settings = (delivery: "inject" | "discover") => ({
    seed,
    trials: each,
    limits,
    models,
    judges,
    delivery,
  });
  const told = (delivery: "inject" | "discover", activation = [...rows]) =>
    activationSection({ activation, cells, settings: settings(delivery) }, table);
  expect(told("inject")).toContain(`"${half} of ${treated.length}","${half} of ${half}","0 of ${half}"`);
  // Of the arm without no trial is at an even place: it failed throughout.
  const none = `0 of ${trials.length - treated.length}`;
  expect(told("inject")).toContain(`"${none}","+50.0 points","+100.0 points"`);
  expect(told("inject")).toContain("Delivered by injection");
  expect(told("discover")).not.toContain("Delivered by injection");
  expect(told("discover", [])).toBe("");
});
