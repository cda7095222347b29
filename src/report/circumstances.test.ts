import { expect, test } from "vitest";
import type { Arm, PlannedTrial, Trial } from "../artefacts/trial.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { answerOf, ballotsOf } from "../testing/gradings.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { circumstancesOf, voidsOf } from "./circumstances.ts";
import type { TrialOnDisk } from "./outcome.ts";

const inputs = sampleInputs({ models: ["a/x", "b/y"], trials: 2 });
const trials = planTrials(inputs, "recipe");

function entriesOf(of: (planned: PlannedTrial) => Partial<TrialOnDisk>): TrialOnDisk[] {
  return trials.map((planned) => ({
    ...{ planned, trial: endedTrial(planned), verdict: verdictOf("passed"), voids: 0 },
    ...of(planned),
  }));
}

function blocked(planned: PlannedTrial): Trial {
  return { ...endedTrial(planned), outcome: { kind: "blocked", reason: "violence" } };
}

test("attempts lost are counted per model and arm, those of trials that came to nothing too", () => {
  const entries = entriesOf(({ model, arm, n }) => {
    if (model !== "b/y") return {};
    if (arm === "with_skill") return n === 1 ? { trial: null, verdict: null, voids: 3 } : { voids: 1 };
    return { voids: n === 1 ? 2 : 0 };
  });
  const benchmarks = inputs.skills.flatMap((skill) => skill.benchmarks).length;
  const rates = voidsOf(entries);
  expect(circumstancesOf(entries).voids).toEqual(rates);
  expect(rates).toHaveLength(inputs.models.length * inputs.skills.flatMap(({ arms }) => arms).length);
  const of = (model: string, arm: Arm): unknown => {
    const found = rates.find((rate) => rate.model === model && rate.arm === arm);
    return found === undefined ? null : [found.lost, found.attempts];
  };
  expect(of("a/x", "with_skill")).toEqual([0, 2 * benchmarks]);
  expect(of("a/x", "without_skill")).toEqual([0, 2 * benchmarks]);
  // Of two trials one is missing after three attempts, and one took two.
  expect(of("b/y", "with_skill")).toEqual([4 * benchmarks, 5 * benchmarks]);
  expect(of("b/y", "without_skill")).toEqual([2 * benchmarks, 4 * benchmarks]);
});

const ofBlock = ({ benchmark, model, n }: PlannedTrial): boolean =>
  benchmark === "one" && model === "a/x" && n === 2;

test.each<[Arm]>([["with_skill"], ["without_skill"]])(
  "a block that a filter stopped in %s only is not comparable",
  (arm) => {
    const entries = entriesOf((planned) =>
      ofBlock(planned) && planned.arm === arm ? { trial: blocked(planned), verdict: null } : {},
    );
    expect(circumstancesOf(entries).notComparable).toEqual([{ block: "sample/one/a/x/2", blocked: [arm] }]);
  },
);

test("a block stopped in both arms says as little of each, and other losses are no filter's doing", () => {
  const both = entriesOf((planned) => (ofBlock(planned) ? { trial: blocked(planned), verdict: null } : {}));
  expect(circumstancesOf(both).notComparable).toEqual([]);
  expect(circumstancesOf(both).ungraded.map(({ cause, reason }) => [cause, reason])).toEqual([
    ["blocked", "blocked: violence"],
    ["blocked", "blocked: violence"],
  ]);
  const lost = entriesOf((planned) =>
    ofBlock(planned) && planned.arm === "with_skill" ? { trial: null, verdict: null, voids: 3 } : {},
  );
  expect(circumstancesOf(lost).notComparable).toEqual([]);
});

test.each<[string, Partial<TrialOnDisk>, string, string]>([
  ["not begun", { trial: null, verdict: null }, "missing", "not done yet"],
  ["lost", { trial: null, verdict: null, voids: 3 }, "missing", "void 3 time(s)"],
  ["finished before a kill", { verdict: null }, "missing", "no verdict yet"],
  [
    "a panel that could not be reached",
    {
      verdict: {
        ...verdictOf("ungraded", "open"),
        answers: [askedIn({ a: "yes", b: "absent: infrastructure: busy" })],
      },
    },
    "judges_unreached",
    "open",
  ],
  [
    "a panel that is divided",
    {
      verdict: {
        ...verdictOf("ungraded", "open"),
        answers: [askedIn({ a: "yes", b: "no", c: "absent: refused" })],
      },
    },
    "undecided",
    "open",
  ],
])("ungraded: %s", (_name, entry, cause, reason) => {
  const entries = entriesOf((planned) => (ofBlock(planned) && planned.arm === "with_skill" ? entry : {}));
  expect(circumstancesOf(entries).ungraded).toEqual([
    { trial: "sample/one/a/x/with_skill/2", arm: "with_skill", cause, reason },
  ]);
});

function askedIn(votes: Readonly<Record<string, string>>): ReturnType<typeof answerOf> {
  return { ...answerOf("tone", null), ballots: ballotsOf(votes) };
}
