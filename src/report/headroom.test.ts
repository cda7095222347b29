import { expect, test } from "vitest";
import type { HeadroomMark } from "../artefacts/headroom.ts";
import type { Tally } from "../artefacts/tally.ts";
import { markOf, needsTreated, tallyIn } from "./headroom.ts";

const tally = (passed: number, graded: number, planned = 6): Tally => ({ passed, graded, planned });

test.each<[string, Tally, Tally | null, HeadroomMark]>([
  ["every baseline trial passed", tally(6, 6), null, "ceiling"],
  ["one baseline trial failed", tally(5, 6), null, "open"],
  ["all that were graded passed, one is missing", tally(5, 5), null, "unknown"],
  ["one passed, one failed, the rest is missing", tally(1, 2), null, "open"],
  ["none passed, and the skill was not tried", tally(0, 6), null, "unknown"],
  ["none passed, with the skill one did", tally(0, 6), tally(1, 6), "open"],
  ["none passed, nor with the skill", tally(0, 6), tally(0, 6), "floor"],
  ["none passed, with the skill one is missing", tally(0, 6), tally(0, 5), "unknown"],
  ["none passed of those graded, nor with the skill", tally(0, 5), tally(0, 6), "unknown"],
  ["nothing was graded", tally(0, 0), null, "unknown"],
  ["nothing was planned", tally(0, 0, 0), tally(0, 0, 0), "unknown"],
])("%s", (_name, baseline, treated, mark) => {
  expect(markOf(baseline, treated)).toBe(mark);
});

test("the skill is tried only where no graded baseline trial passed", () => {
  expect([tally(0, 6), tally(0, 1), tally(0, 0), tally(1, 6)].map(needsTreated)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a benchmark's trials are counted over all models, and one arm at a time", () => {
  const cell = (benchmark: string, model: string, without: Tally): Parameters<typeof tallyIn>[0][number] => ({
    skill: "s",
    benchmark,
    model,
    arms: { without_skill: without, with_skill: tally(3, 3, 3) },
    uplift: null,
    complete: true,
  });
  const cells = [
    cell("a", "x", tally(1, 2, 3)),
    cell("a", "y", tally(3, 3, 3)),
    cell("b", "x", tally(0, 3, 3)),
  ];
  expect(tallyIn(cells, { skill: "s", id: "a" }, "without_skill")).toEqual(tally(4, 5, 6));
  expect(tallyIn(cells, { skill: "other", id: "a" }, "without_skill")).toEqual(tally(0, 0, 0));
});
