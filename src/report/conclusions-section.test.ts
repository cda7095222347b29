import { expect, test } from "vitest";
import { analysisSettingsSchema } from "../artefacts/analysis.ts";
import type { Cell } from "../artefacts/report.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { conclusionsSection } from "./conclusions-section.ts";

const settings = analysisSettingsSchema.parse({ bootstrap: { resamples: 0 } });
const render = {
  table: (header: readonly string[], rows: readonly (readonly string[])[]) =>
    [header, ...rows].map((row) => row.join(" | ")).join("\n"),
  plain: (text: string) => text,
};

function cell(benchmark: string, treated: number, control: number, planned = 10): Cell {
  const tally = (passed: number, graded: number) => ({ passed, graded, planned });
  return {
    skill: "s",
    benchmark,
    model: "m",
    arms: { with_skill: tally(treated, treated < 0 ? 0 : planned), without_skill: tally(control, planned) },
    uplift: null,
    complete: true,
  };
}

const told = (cells: readonly Cell[]): string =>
  conclusionsSection({ conclusions: concludeCampaign(cells, [], settings), looks: null }, render);

test("a conclusion stands with its interval, its adjusted p, its reason and the decision", () => {
  const text = told(Array.from({ length: 8 }, (_, at) => cell(`b${at}`, 8, 3)));
  expect(text).toContain(
    "s | m | with_skill against without_skill | helps vs none | helps vs none | +50.0 points",
  );
  expect(text).toContain("**helps vs none**. +50.0 points for with_skill against without_skill over 8 tasks");
  expect(text).toContain("No placebo ran: more text alone might do the same.");
  expect(text).toContain("- **s: accept**.");
  expect(text).toContain(
    "Frozen in the plan: α 0.05, 2-sided, margin ±10 points, Holm over each level, exact p.",
  );
});

test("what is no hypothesis is called exploratory", () => {
  const text = told(Array.from({ length: 8 }, (_, at) => cell(`b${at}`, 8, 3)));
  const [, exploratory = ""] = text.split("### Exploratory");
  expect(exploratory).toContain("No conclusion is drawn from these.");
  expect(exploratory).toContain("micro | all skills | all models");
  const arms = { with_skill: 8, without_skill: 3, placebo: 4, "without_skill@again": 3 };
  const tallies = Object.entries(arms).map(
    ([arm, passed]) => [arm, { passed, graded: 10, planned: 10 }] as const,
  );
  const cells = ["b1", "b2"].map((id) => ({ ...cell(id, 8, 3), arms: Object.fromEntries(tallies) }));
  const rows = told(cells)
    .split("\n")
    .filter((line) => line.includes(" against "));
  expect(rows).toContain(
    "equal arms, macro | all skills | all models | without_skill@again against without_skill | 0.0 points | 2",
  );
  expect(new Set(rows).size).toBe(rows.length);
});

test("too few tasks, no effect, and what it would take", () => {
  const text = told(Array.from({ length: 5 }, (_, at) => cell(`b${at}`, 4 + (at % 2), 4)));
  expect(text).toContain("cannot tell | too few tasks");
  expect(text).toContain("too few tasks to generalise (5; at least 6)");
  expect(text).toContain("- **s: undecided**.");
});

test("after looks the level is said to be that of one of them", () => {
  const looks = { count: 2, boundary: "pocock", settle: null, trials: 10 } as const;
  const cells = Array.from({ length: 8 }, (_, at) => cell(`b${at}`, 8, 3));
  const conclusions = concludeCampaign(cells, [], { ...settings, looks, alpha: 0.0294060367 });
  expect(conclusionsSection({ conclusions, looks: null }, render)).toContain(
    "Frozen in the plan: α 0.05 over 2 looks, 0.029 at the one that ended it, 2-sided",
  );
});

test("a plan without a hypothesis says so", () => {
  const text = conclusionsSection({ conclusions: null, looks: null }, render);
  expect(text).toContain("None: the plan has no hypothesis");
});

test.each([
  [false, "None yet: with looks nothing is concluded between them"],
  [true, "None: the plan has no hypothesis"],
])("between looks the plan does have a hypothesis; ended %s", (ended, words) => {
  const looks = {
    settings: { count: 2, boundary: "pocock" as const, settle: null, trials: 4 },
    ...{ taken: [], ended, atMost: 8, notReleased: 4, settledCells: 0, cells: 1 },
  };
  expect(conclusionsSection({ conclusions: null, looks }, render)).toContain(words);
});
