import { expect, test } from "vitest";
import {
  alikeCells,
  arms,
  type CellTexts,
  compared,
  comparedSide,
  control,
  type SideOptions,
} from "../testing/compared-sides.ts";
import { compareReports } from "./compare-reports.ts";

const one = { "t m/x": arms("2/2", "0/2") };
const judged = (judges: string[]): SideOptions => ({
  inputs: { judges },
  plan: {
    benchmarks: [
      {
        ...{ skill: "sample", benchmark: "t", title: "t", judged: true, checks: [], leaks: [] },
        ...{ standInJudges: false, backend: null, isolated: null },
      },
    ],
  },
});

test.each<[string, CellTexts, SideOptions, CellTexts, SideOptions, string]>([
  [
    "delivery",
    one,
    {},
    one,
    { inputs: { delivery: "discover" } },
    "delivered in another way: A inject, B discover",
  ],
  [
    "limits",
    one,
    {},
    one,
    { inputs: { limits: { turns: 9 } } },
    'other limits: A {"turns":5}, B {"turns":9}',
  ],
  ["skill", one, {}, one, { skill: "other" }, "B has no such skill"],
  ["model", one, {}, { "t m/y": arms("2/2", "0/2") }, {}, "B has no such model"],
  ["benchmark", one, {}, { "u m/x": arms("2/2", "0/2") }, {}, "B has no such benchmark"],
  ["arm", one, {}, { "t m/x": { without_skill: "0/2" } }, {}, "B planned no trial of with_skill here"],
  [
    "verdicts",
    { "t m/x": arms("0/0/2", "0/2") },
    {},
    one,
    {},
    "A has no verdict of with_skill: 0 of 2 planned trials",
  ],
  ["judges", one, judged(["j/a"]), one, judged(["j/b"]), "judged by other models"],
  [
    "leaks",
    one,
    {},
    one,
    {
      report: {
        leaks: {
          handling: "exclude",
          benchmarks: [{ skill: "sample", benchmark: "t", kinds: [], leftOut: true }],
          without: null,
          withoutTold: null,
        },
      },
    },
    "B leaves the benchmark out of its figures",
  ],
])("cells that do not fit are left out by name: %s", (_name, cellsA, a, cellsB, b, reason) => {
  const { rows, leftOut } = compared(cellsA, cellsB, { a, b });
  expect(rows).toEqual([]);
  expect(leftOut.map((left) => left.reason)).toContainEqual(expect.stringContaining(reason));
});

test("a benchmark with another bundle hash is left out, and the others are compared", () => {
  const b = comparedSide(alikeCells(2, arms("1/2", "0/2")));
  const [skill] = b.plan.inputs.skills;
  const benchmarks = skill!.benchmarks.map((bench) =>
    bench.id === "task-1" ? { ...bench, bundleHash: "new" } : bench,
  );
  const inputs = { ...b.plan.inputs, skills: [{ ...skill!, benchmarks }] };
  const a = comparedSide(alikeCells(2, arms("2/2", "0/2")));
  const { rows, leftOut } = compareReports({
    a,
    b: { ...b, plan: { ...b.plan, inputs } },
    control,
    oneCampaign: false,
  });
  expect(rows.filter(({ level }) => level === "cell").map(({ benchmark }) => benchmark)).toEqual(["task-2"]);
  expect(leftOut).toEqual([
    {
      ...{ skill: "sample", benchmark: "task-1", model: "m/x" },
      reason: "the benchmark is another one: its bundle hash differs",
    },
  ]);
});
