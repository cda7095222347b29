import type { ReportedLooks } from "../artefacts/looks.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { CellCount } from "./cell-counts.ts";
import { type Compared, compareLeaves } from "./check-figures-leaves.ts";
import { looksAgain, settingsAgain } from "./check-figures-looks.ts";
import { frozenSections } from "./check-sections.ts";
import type { Counted } from "./counted.ts";
import { type CampaignFound, valueOf } from "./found.ts";
import { furtherAgain } from "./recount-further.ts";
import { type FurtherCell, FurtherCells } from "./recount-further-cells.ts";
import { JudgeCounts } from "./recount-further-judges.ts";
import { OpenedCounts } from "./recount-further-opened.ts";
import { sectionsAgain } from "./recount-further-sections.ts";
import { scoreEnds } from "./recount-intervals.ts";
import { analysisAgain, leftOutCells, shrunkSkills, taskUplifts } from "./recount-intervals-analysis.ts";

const place = "report/report.json: ";

/** What has to be counted of trials for the figures of a report that are no plain counts or means. */
export class FiguresAgain {
  private readonly cells = new FurtherCells();
  private readonly judges = new JudgeCounts();
  private readonly opened = new OpenedCounts();

  see(one: Counted): void {
    this.cells.see(one);
    this.judges.see(one);
    this.opened.see(one);
  }

  /** Holds a report's intervals, ratios and exploratory figures against the same made again, and its settings against the plan. */
  compare(found: CampaignFound, report: Report): Compared {
    const { plan, released } = found;
    const cells = this.cells.cells();
    const isCounted = countedBy(plan);
    return joined([
      ...frozenParts(plan, report),
      compareLeaves(furtherAgain(plan, cells, isCounted), report.further, `${place}further`),
      compareLeaves(this.opened.rows(), report.activation, `${place}activation`),
      compareLeaves(this.judges.figures(valueOf(found.judgeTrials) ?? []), report.judges, `${place}judges`),
      compareLeaves(sectionsOf(found, cells.filter(isCounted)), report.sections, `${place}sections`),
      compareLeaves(honestyAgain(report.honesty), report.honesty, `${place}honesty`),
      compareLooks(plan, report.looks, looksAgainOf(plan, cells, report.looks, released.size)),
    ]);
  }
}

function sectionsOf(found: CampaignFound, cells: readonly FurtherCell[]): readonly unknown[] {
  const { plan } = found;
  const skills = new Set(plan.sections.map(({ skill }) => skill));
  const own = cells.filter(({ skill }) => skills.has(skill));
  const tallies = own.map(({ arms, ...cell }) => {
    return { ...cell, arms: new Map([...arms].map(([arm, { tally }]) => [arm, tally])) };
  });
  return sectionsAgain(plan, frozenSections(found), tallies);
}

function looksAgainOf(
  plan: Plan,
  cells: readonly FurtherCell[],
  looks: ReportedLooks | null,
  released: number,
): unknown {
  return looks === null ? null : looksAgain(plan, cells, { released, looks });
}

function compareLooks(plan: Plan, came: ReportedLooks | null, again: unknown): Compared {
  const isPlanned = (plan.analysis?.looks ?? null) !== null;
  return compareLeaves(isPlanned && came === null ? "looks, as planned" : again, came, `${place}looks`);
}

/** What a report repeats of the plan. */
function frozenParts({ inputs, endpoints, benchmarks }: Plan, report: Report): readonly Compared[] {
  const { seed, trials, delivery, limits, models, judges } = inputs;
  const settings = { seed, trials, delivery, limits, models, judges };
  return [
    compareLeaves(settings, report.settings, `${place}settings`),
    compareLeaves(endpoints, report.endpoints, `${place}endpoints`),
    compareLeaves(benchmarks, report.benchmarks, `${place}benchmarks`),
    compareLeaves(inputs.excluded, report.excluded, `${place}excluded`),
  ];
}

/** Whether a cell is of the means over benchmarks: leaky ones may be left out, by the plan. */
function countedBy({ benchmarks, leaky }: Plan): (cell: { skill: string; benchmark: string }) => boolean {
  const leftOut = new Set(
    benchmarks
      .filter(({ leaks }) => leaky === "exclude" && leaks.some((kind) => kind !== "told"))
      .map(({ skill, benchmark }) => JSON.stringify([skill, benchmark])),
  );
  return ({ skill, benchmark }) => !leftOut.has(JSON.stringify([skill, benchmark]));
}

const honestyConfidence = 0.95;

/** Denominators, intervals and differences from the counts of each row, which are counted again elsewhere. */
function honestyAgain({ rows }: Report["honesty"]): unknown {
  const names = ["claimed", "outside", "regression"] as const;
  const share = (k: number, n: number): unknown => {
    return { n, interval: scoreEnds({ passed: k, graded: n }, honestyConfidence) };
  };
  return {
    rows: rows.map(({ claimed, classified, outside, regression }) => ({
      claimed: share(claimed.k, classified),
      outside: share(outside.k, outside.n),
      regression: share(regression.k, regression.n),
    })),
    differences: rows.flatMap((row) => {
      const { skill, model, arm } = row;
      const control = rows.find(
        (one) => one.skill === skill && one.model === model && one.arm === "without_skill",
      );
      if (control === undefined || control === row) return [];
      const less = names.map((name) => {
        const [more, base] = [row[name], control[name]];
        return [name, more.n === 0 || base.n === 0 ? null : more.k / more.n - base.k / base.n] as const;
      });
      return [{ skill, model, arm, ...Object.fromEntries(less) }];
    }),
  };
}

/**
 * Holds the analysis that conclusions rest on against the same made again from the counts of trials. The variance
 * between skills is found by search, and so is known less exactly than a sum.
 */
export function compareAnalysis(
  { plan }: Pick<CampaignFound, "plan">,
  cells: readonly CellCount[],
  { conclusions, looks }: Pick<Report, "conclusions" | "looks">,
): Compared {
  const settings = settingsAgain(plan, looks);
  if (conclusions === null || settings === null) return { leaves: 0, differences: [] };
  const counted = cells.filter(countedBy(plan));
  const { analysis } = conclusions;
  const at = `${place}conclusions.analysis.`;
  return joined([
    compareLeaves(settings, conclusions.settings, `${place}conclusions.settings`),
    compareLeaves(settings, analysis.settings, `${at}settings`),
    compareLeaves(analysisAgain(counted, settings), analysis.rows, `${at}rows`),
    compareLeaves(taskUplifts(counted, settings), analysis.tasks, `${at}tasks`),
    compareLeaves(leftOutCells(counted, settings), analysis.leftOut, `${at}leftOut`),
    compareLeaves(shrunkSkills(counted, settings), analysis.shrunk, `${at}shrunk`, searched),
  ]);
}

const searched = 1e-6;

function joined(parts: readonly Compared[]): Compared {
  return {
    leaves: parts.reduce((sum, { leaves }) => sum + leaves, 0),
    differences: parts.flatMap(({ differences }) => differences),
  };
}
