import { expect, test } from "vitest";
import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { KeptSections } from "../artefacts/section-map.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { countedCells } from "../report/leaks.ts";
import { makeReport } from "../report/make-report.ts";
import { mapSections } from "../report/section-map/map-sections.ts";
import { cellsOf } from "../report/uplift.ts";
import { randomFrom } from "../seed.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { foundCampaign } from "../testing/found-campaign.ts";
import { keptOf, sectionedSkill } from "../testing/sectioned-skill.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { CellCounts } from "./cell-counts.ts";
import { Figures } from "./figures.ts";
import { recountSections, setSectionFigures } from "./recount-sections.ts";

const tide = sectionedSkill(
  {
    "SKILL.md": "# Tide\n\n## Read\n\nRead.\n\n### Deep\n\nDeep.\n\n## Write\n\nWrite.\n\n## Rest\n\nRest.\n",
  },
  { one: ["Tide > Read", "Tide > Read > Deep"], two: ["Tide > Write"] },
);
const plain = keptOf(tide, ["one", "two"]);

/** An arm that leaves out the lines of these sections. */
function ablationOf(arm: string, names: readonly string[]): KeptSections["ablations"][number] {
  const cuts = plain.sections
    .filter(({ name }) => names.includes(name))
    .map(({ file, startLine: fromLine, endLine: toLine }) => ({
      file,
      title: "",
      fromLine,
      toLine,
      tokens: 1,
    }));
  return { arm, of: arm, kind: "section", cuts };
}
const kept: KeptSections = {
  ...plain,
  ablations: [ablationOf("of-both", ["Read", "Deep", "Rest"]), ablationOf("of-deep", ["Deep"])],
};

const base = sampleInputs({ trials: 2 });
const inputs = sampleInputs({
  trials: 2,
  skills: base.skills.map((skill) => ({
    ...skill,
    id: "tide",
    arms: [
      ...skill.arms,
      ...["of-both", "of-deep"].map((id) => ({
        id,
        treatment: { kind: "ablation" as const, of: id },
        delivered: id,
      })),
    ],
  })),
});
const trials = planTrials(inputs, "recipe");

function world(seed: number) {
  const random = randomFrom(seed, "sections");
  const counted = trials.map((planned) => {
    const graded = random() < 0.8;
    const trial = random() < 0.9 ? endedTrial(planned) : null;
    const verdict = graded && trial !== null ? verdictOf(random() < 0.5 ? "passed" : "failed") : null;
    return { planned, trial, verdict, voids: 0 };
  });
  const leaky = seed % 2 === 0 ? ("include" as const) : ("exclude" as const);
  const plan: Plan = foundCampaign({ inputs, plan: { leaky } }).plan;
  const benchmarks = plan.benchmarks.map((one) => ({
    ...one,
    leaks: one.benchmark === "one" ? ["how" as const] : [],
  }));
  const leaking = { ...plan, benchmarks };
  const sections = [{ skill: "tide", kept, missing: null }];
  const report = makeReport({
    plan: leaking,
    entries: counted,
    canaries: [],
    judgeTrials: [],
    leaky,
    sections,
  });
  return { counted, plan: leaking, report, sections };
}

function compared(report: Report, { counted, plan }: Pick<ReturnType<typeof world>, "counted" | "plan">) {
  const [again, reported] = [new Figures(), new Figures()];
  const cells = new CellCounts();
  for (const one of counted) cells.see(one);
  recountSections(cells.all(), [kept], plan, again);
  setSectionFigures(report, reported);
  return again.differencesIn(reported, "report.json");
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed);

test("two counts by different code agree on every section, over many campaigns", () => {
  for (const seed of seeds) {
    const made = world(seed);
    expect(compared(made.report, made), `world ${seed}`).toEqual([]);
    const cells = countedCells(cellsOf(made.counted), made.plan.benchmarks, made.plan.leaky).cells;
    expect(made.report.sections).toEqual(mapSections(made.sections, cells, made.plan));
  }
});

test.each<[string, (section: Report["sections"][number]["sections"][number]) => typeof section]>([
  ["tokens", (section) => ({ ...section, tokens: section.tokens + 1 })],
  [
    "an uplift",
    (section) => ({ ...section, uplift: section.uplift && { ...section.uplift, difference: 0.123 } }),
  ],
  [
    "a denominator",
    (section) => ({
      ...section,
      uplift: section.uplift && {
        ...section.uplift,
        with: { ...section.uplift.with, graded: section.uplift.with.graded + 1 },
      },
    }),
  ],
  [
    "an ablation",
    (section) => ({
      ...section,
      ablation: section.ablation && {
        ...section.ablation,
        all: { ...section.ablation.all, difference: 0.123 },
      },
    }),
  ],
])("a number of a section that was typed by hand is told: %s", (_what, typed) => {
  const made = world(2);
  const sections = made.report.sections.map((map) => ({
    ...map,
    sections: map.sections.map((section) => (section.name === "Deep" ? typed(section) : section)),
  }));
  const differences = compared({ ...made.report, sections }, made);
  expect(differences.map(({ place }) => place)).toEqual([expect.stringContaining("tide · Deep")]);
});
