import { describe, expect, test } from "vitest";
import type { ArmCell } from "../artefacts/analysis.ts";
import type { ConcludedRow } from "../artefacts/conclusion.ts";
import { alike, armCells, settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";
import { concludeAll, concludeFrom, headlineOf } from "./conclude-from.ts";

type Raw = Parameters<typeof settingsOf>[0];

function conclude(cells: readonly ArmCell[], raw: Raw = {}): ConcludedRow {
  const settings = settingsOf({ bootstrap: { resamples: 0 }, ...raw });
  return concludeAll(analyse(cells, settings)).find(({ level }) => level === "skill")!;
}

const two = ["with_skill", "without_skill"];
const three = [...two, "placebo"];

describe("kind, question and label", () => {
  const rows: readonly [string, readonly ArmCell[], Raw, Record<string, unknown>][] = [
    [
      "every task better",
      armCells(two, alike([10, "5/5 0/5"])),
      {},
      { question: "tasks", kind: "helps", label: "helps vs none", placebo: "absent" },
    ],
    [
      "every task worse",
      armCells(two, alike([10, "0/5 5/5"])),
      {},
      { question: "tasks", kind: "hurts", label: "hurts", placebo: null },
    ],
    [
      "five tasks, however clear, speak for this set only",
      armCells(two, alike([5, "5/5 0/5"])),
      {},
      { question: "set", kind: "helps", label: "helps vs none" },
    ],
    [
      "no task moves, many trials: this set shows no difference, the spread of tasks nothing",
      armCells(two, alike([10, "40/40 40/40"])),
      {},
      { question: "tasks", kind: "cannot_tell" },
    ],
    [
      "tasks that wobble around nothing",
      armCells(two, alike([15, "11/20 10/20"], [15, "10/20 11/20"])),
      {},
      {
        question: "tasks",
        kind: "no_meaningful_difference",
        label: "no meaningful difference (±10.0 points)",
      },
    ],
    [
      "few trials either way",
      armCells(two, alike([4, "1/2 0/2"], [4, "0/2 1/2"])),
      {},
      { kind: "cannot_tell" },
    ],
    [
      "placebo beaten too",
      armCells(three, alike([10, "5/5 0/5 1/5"])),
      {},
      { kind: "helps", label: "helps", placebo: "beaten" },
    ],
    [
      "against the placebo alone there is nothing else to beat",
      armCells(three, alike([10, "5/5 0/5 1/5"])),
      { comparisons: [{ arm: "with_skill", against: "placebo" }] },
      { kind: "helps", label: "helps vs placebo", placebo: null },
    ],
    [
      "placebo as good",
      armCells(three, alike([10, "5/5 0/5 5/5"])),
      {},
      { kind: "helps", label: "helps vs none", placebo: "not_beaten" },
    ],
    [
      "placebo without a verdict",
      armCells(three, alike([10, "5/5 0/5 0/0/5"])),
      {},
      { kind: "helps", label: "helps vs none", placebo: "not_beaten" },
    ],
    [
      "against another control",
      armCells(["new", "old"], alike([10, "5/5 0/5"])),
      { comparisons: [{ arm: "new", against: "old" }] },
      { kind: "helps", label: "helps vs old" },
    ],
    [
      "one-sided plans cannot conclude harm",
      armCells(two, alike([10, "0/5 5/5"])),
      { sides: 1 },
      { kind: "cannot_tell" },
    ],
    ["nothing usable", armCells(two, alike([10, "0/0/5 0/5"])), {}, { question: "set", kind: "cannot_tell" }],
  ];
  test.for(rows)("%s", ([, cells, raw, wanted]) => {
    expect(headlineOf(conclude(cells, raw))).toMatchObject(wanted);
  });

  test("a difference that is not proven is not called none", () => {
    const { set, tasks: general } = conclude(armCells(two, alike([10, "1/1 1/1"])));
    expect([set.kind, general!.kind]).toEqual(["cannot_tell", "cannot_tell"]);
  });

  test("this set and tasks like these are answered apart", () => {
    const cells = armCells(two, alike([1, "60/60 0/60"], [9, "30/60 30/60"]));
    const { set, tasks: general } = conclude(cells);
    expect([set.kind, general!.kind]).toEqual(["helps", "cannot_tell"]);
  });
});

describe("reasons, notes and what it would take", () => {
  test("the reason holds effect, denominators, interval and p", () => {
    const { reason } = headlineOf(conclude(armCells(two, alike([8, "4/5 2/5"], [4, "3/5 2/5"]))));
    expect(reason).toMatch(
      /^\+33\.3 points for with_skill against without_skill over 12 tasks \(passed 44 of 60 and 24 of 60 trials, 95 % interval \+27\.1 to \+39\.6; p = 0\.00049 after Holm\)\.$/,
    );
  });

  test.for<[string, readonly ArmCell[], Raw, RegExp]>([
    [
      "too few tasks",
      armCells(two, alike([5, "5/5 0/5"])),
      {},
      /too few tasks to generalise \(5; at least 6\)/,
    ],
    [
      "an effect inside the margin",
      armCells(two, alike([20, "11/20 10/20"], [10, "12/20 10/20"])),
      {},
      /real and lies inside the margin of ±10\.0 points/,
    ],
    [
      "a p that cannot be reached",
      armCells(two, alike([5, "5/5 0/5"], [1, "4/5 0/5"])),
      { alpha: 0.01 },
      /6 tasks cannot give a p below 0\.031/,
    ],
    ["no placebo", armCells(two, alike([10, "5/5 0/5"])), {}, /No placebo ran/],
    [
      "a placebo that the plan does not ask about",
      armCells(three, alike([10, "5/5 0/5 5/5"])),
      { placebo: null },
      /The plan asks for no placebo to be beaten/,
    ],
    ["a placebo that is as good", armCells(three, alike([10, "5/5 0/5 5/5"])), {}, /placebo was not beaten/],
    [
      "harm under a one-sided plan",
      armCells(two, alike([10, "0/5 5/5"])),
      { sides: 1 },
      /harm was not tested/,
    ],
    ["tasks without spread", armCells(two, alike([10, "3/3 3/3"])), {}, /All tasks show the same difference/],
  ])("%s is said", ([, cells, raw, wanted]) => {
    expect(headlineOf(conclude(cells, raw)).notes.join("\n")).toMatch(wanted);
  });

  test("what would settle it is counted in tasks, or in trials where tasks are too few", () => {
    const wobble = alike([3, "3/3 1/3"], [3, "0/3 1/3"], [2, "1/3 1/3"]);
    expect(conclude(armCells(two, wobble)).tasks!.take).toMatch(
      /^About \d+ tasks would find .* there are 8\.$/,
    );
    // Six that could not be clearer are few for two hypotheses; six without any difference say nothing.
    const pack = { comparisons: ["with_skill", "pack"].map((arm) => ({ arm, against: "without_skill" })) };
    const clearest = armCells([...two, "pack"], alike([6, "3/3 0/3 0/3"]));
    expect(conclude(clearest, pack).tasks!.take).toMatch(/^More than the 6 tasks: .* the family/);
    expect(conclude(armCells(two, alike([6, "3/3 3/3"]))).tasks!.take).toContain("tell the arms apart");
    const few = conclude(armCells(two, { t1: "2/3 1/3" })).set.take;
    expect(few).toMatch(/^About \d+ trials per arm and cell would find 33\.3 points .* there are 3\.$/);
  });

  test("rows that the plan does not test get no conclusion", () => {
    const settings = settingsOf({ bootstrap: { resamples: 0 } });
    const { rows } = analyse(armCells(three, alike([10, "5/5 0/5 5/5"])), settings);
    const silent = rows.filter((row) => concludeFrom(row, settings) === null);
    expect([...new Set(silent.map(({ role }) => role))].toSorted()).toEqual([
      "nothing",
      "placebo",
      "primary",
    ]);
    for (const { role, level } of silent)
      if (role === "primary") expect(["model", "micro", "macro"]).toContain(level);
  });
});

describe("doubts", () => {
  const clear = "5/5 0/5";
  test("missing trials that cannot change it leave it alone", () => {
    const cells = armCells(two, alike([9, clear], [1, "4/4/5 0/5"]));
    const { kind, notes } = headlineOf(conclude(cells));
    expect(kind).toBe("helps");
    // Nine tasks at +1, and one whose missing trial failed or passed: 4/5 or 5/5.
    expect(notes).toContain(
      "1 trial of 100 without a verdict: counted against the skill and for it, +98.0 to +100.0 points.",
    );
  });

  test("missing trials that could change it make it cannot tell, with both ends", () => {
    const half = "2/2/5 0/1/5";
    const found = headlineOf(conclude(armCells(two, alike([8, half]))));
    expect(found.kind).toBe("cannot_tell");
    expect(found.reason).toMatch(
      /^56 trials of 80 without a verdict could change the conclusion: counted against/,
    );
    expect(found.notes[0]).toMatch(/^Without that: \+100\.0 points/);
    expect(found.take).toMatch(/Run the campaign again/);
  });

  test("one lost task out of many is named in the bounds", () => {
    const cells = armCells(two, alike([6, "5/5 2/5"], [3, "0/0/5 2/5"]));
    expect(headlineOf(conclude(cells)).kind).toBe("cannot_tell");
  });

  test("a placebo whose missing trials could have kept up is not beaten", () => {
    const cells = armCells(three, alike([10, "4/5 0/5 0/1/5"]));
    expect(headlineOf(conclude(cells))).toMatchObject({ kind: "helps", label: "helps vs none" });
  });

  const noisy = [...two, "without_skill@again"];
  test.for<[string, readonly ArmCell[], Raw, string]>([
    ["smaller than equal arms differ", armCells(noisy, alike([16, "3/10 1/10 4/10"])), {}, "cannot_tell"],
    ["larger than equal arms differ", armCells(noisy, alike([16, "9/10 1/10 2/10"])), {}, "helps"],
    [
      "a floor from an earlier campaign",
      armCells(two, alike([16, "3/10 1/10"])),
      { noiseFloor: 0.25 },
      "cannot_tell",
    ],
    [
      "no difference, but equal arms differ by more than the margin",
      armCells(noisy, alike([15, "11/20 10/20 14/20"], [15, "10/20 11/20 15/20"])),
      {},
      "cannot_tell",
    ],
  ])("noise floor: %s", ([, cells, raw, wanted]) => {
    const found = headlineOf(conclude(cells, raw));
    expect(found.kind).toBe(wanted);
    if (wanted === "cannot_tell") expect(found.reason).toMatch(/^Withheld: two equal arms differed by/);
  });
});
