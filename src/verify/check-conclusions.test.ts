import { expect, test } from "vitest";
import type { Report } from "../artefacts/report.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { settingsOf } from "../testing/arm-cells.ts";
import {
  failures,
  foundCampaign,
  gradedAs,
  looked,
  passes,
  type WholeCampaign,
} from "../testing/found-campaign.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { randomFrom } from "../seed.ts";
import { checkConclusions } from "./check-conclusions.ts";

const settings = settingsOf({ bootstrap: { resamples: 0 } });

/** A campaign of some benchmarks × 2 models with a hypothesis, concluded as a report does it. */
function concluded(
  done: (planned: PlannedTrial) => ReturnType<typeof passes>,
  change: (conclusions: NonNullable<Report["conclusions"]>) => unknown = (same) => same,
  benchmarks = 2,
): WholeCampaign {
  const skills = sampleInputs().skills.map((skill) => ({
    ...skill,
    benchmarks: Array.from({ length: benchmarks }, (_, n) => ({
      id: n === 0 ? "one" : `b${n}`,
      bundleHash: n === 0 ? "1" : "2",
    })),
  }));
  const found = foundCampaign({ inputs: { trials: 6, skills }, plan: { analysis: settings }, done });
  const report = JSON.parse(found.report["report.json"] ?? "") as Report;
  const conclusions = concludeCampaign(report.cells, report.usage, settings, () => []);
  const text = JSON.stringify({ ...report, conclusions: change(conclusions) });
  return { ...found, report: { ...found.report, "report.json": text } };
}

const differencesIn = (found: WholeCampaign): readonly string[] =>
  looked(checkConclusions, found).differences.map(
    ({ place, expected, came }) => `${place}: ${expected}, ${came}`,
  );

function byChance(seed: number): (planned: PlannedTrial) => ReturnType<typeof passes> {
  const random = randomFrom(seed, "conclusions");
  return (planned) => {
    const done = passes(planned);
    if (done === null || random() < 0.1) return null;
    const passed = random() < (planned.arm === "with_skill" ? 0.7 : 0.4);
    return { ...done, verdict: gradedAs(passed ? "passed" : "failed", planned) };
  };
}

test("honest conclusions hold, over random campaigns with trials missing", () => {
  for (let seed = 0; seed < 20; seed++)
    for (const benchmarks of [2, 7])
      expect(differencesIn(concluded(byChance(seed), undefined, benchmarks)), `${seed}`).toEqual([]);
  expect(differencesIn(concluded(passes))).toEqual([]);
  expect(looked(checkConclusions, concluded(passes)).words).toMatch(
    /^\d+ figures of 7 comparisons counted again .* from 3 of them$/,
  );
});

type Rows = NonNullable<Report["conclusions"]>;
const edit =
  (change: (row: Rows["analysis"]["rows"][number]) => unknown) =>
  (conclusions: Rows): unknown => ({
    ...conclusions,
    analysis: {
      ...conclusions.analysis,
      rows: conclusions.analysis.rows.map((row) =>
        row.level === "skill" && row.role === "primary" ? change(row) : row,
      ),
    },
  });
const editSet = (over: Partial<NonNullable<Rows["analysis"]["rows"][number]["evidence"]>["set"]>) =>
  edit((row) => ({
    ...row,
    evidence: row.evidence === null ? null : { ...row.evidence, set: { ...row.evidence.set, ...over } },
  }));

test("what is concluded of tasks like these is held against its figures as well", () => {
  const isGeneral = ({ tasks }: Rows["rows"][number]): boolean => tasks !== null;
  const taken = concluded(
    passes,
    (conclusions) => ({
      ...conclusions,
      rows: conclusions.rows.map((row) =>
        isGeneral(row) ? { ...row, tasks: { ...row.set, kind: "hurts" } } : row,
      ),
    }),
    7,
  );
  expect(differencesIn(taken).join("\n")).toContain(
    "tasks like these: helps, by its p, effect and margin, hurts",
  );
});

test.each([
  ["an uplift", edit((row) => ({ ...row, evidence: { ...row.evidence, uplift: 0.5 } })), "uplift: 1, 0.5"],
  ["a p", editSet({ pTwoSided: 0.04 }), "evidence.set.pTwoSided: "],
  ["an adjusted p", editSet({ pAdjusted: 0.9 }), "evidence.set.pAdjusted: "],
  ["a count of cells", edit((row) => ({ ...row, cells: 40 })), "cells: 4, 40"],
  [
    "a conclusion",
    (conclusions: Rows) => ({
      ...conclusions,
      rows: conclusions.rows.map((row) => ({ ...row, set: { ...row.set, kind: "hurts" } })),
    }),
    "this set: helps, by its p, effect and margin, hurts",
  ],
  [
    "a conclusion taken back",
    (conclusions: Rows) => ({
      ...conclusions,
      rows: conclusions.rows.map((row) => ({ ...row, set: { ...row.set, kind: "cannot_tell" } })),
    }),
    "this set: helps, by its p, effect and margin, cannot_tell",
  ],
  ["the p that decides", editSet({ p: 0.5 }), "evidence.set.p: "],
  [
    "a level",
    (conclusions: Rows) => ({ ...conclusions, settings: { ...conclusions.settings, alpha: 0.2 } }),
    "the settings that the plan froze, others",
  ],
  ["all of them, left out", () => null, "a conclusion about 48 trials"],
] as const)("%s typed by hand is found", (_what, change, words) => {
  const found = concluded(passes, change);
  expect(differencesIn(found).join("\n")).toContain(words);
  expect(Object.keys(failures(found))).toContain("conclusions-follow");
});
