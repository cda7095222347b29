import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { LookSettings, ReportedLooks } from "../artefacts/looks.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { FurtherCell } from "./recount-further-cells.ts";

/** Of 2 to 5 equally spaced looks at a two-sided 5 %. Source: Jennison and Turnbull 2000, tables 2.1 and 2.3. */
const critical: Readonly<Record<LookSettings["boundary"], readonly number[]>> = {
  pocock: [2.178, 2.289, 2.361, 2.413],
  "obrien-fleming": [1.977, 2.004, 2.024, 2.04],
};
/** Below this |z| no cell that settled is part of an equivalence (notes on the settle rule). */
const settledZ = 2.2;

/** The p that a look's tests are held against; both tails beyond its critical value. */
function nominalP({ boundary, count }: LookSettings, look: number): number {
  const constant = critical[boundary][count - 2] ?? NaN;
  const z = boundary === "pocock" ? constant : constant / Math.sqrt(look / count);
  return 2 * normalCdf(-z, 0, 1);
}

/** The settings that a report concludes by: the plan's, or at a look those with its levels. */
export function settingsAgain(
  { analysis }: Pick<Plan, "analysis">,
  looks: ReportedLooks | null,
): AnalysisSettings | null {
  const rules = analysis?.looks ?? null;
  const last = looks?.taken.at(-1);
  if (analysis === null || rules === null || last === undefined) return analysis;
  const alpha = nominalP(rules, last.look);
  const half = alpha / 2;
  const marginAlpha = rules.settle === null ? half : Math.min(half, normalCdf(-settledZ, 0, 1));
  return { ...analysis, alpha, marginAlpha };
}

/**
 * Blocks and looks, gone through once more: wave by wave one block of every open cell. Whether a look stops is taken
 * from the report; trials that such a stop forbids are another check's.
 */
export function looksAgain(
  plan: Pick<Plan, "analysis" | "trials">,
  cells: readonly FurtherCell[],
  { released, looks }: { readonly released: number; readonly looks: ReportedLooks },
): unknown {
  const settings = plan.analysis?.looks ?? null;
  if (settings === null) return null;
  const { atMost, blocks } = plannedBlocks(plan, settings);
  const walk = new Walk(cells, settings, blocks);
  const taken = walk.looks(({ length }) => looks.taken[length]?.stops === true);
  return {
    ...{ settings, taken, atMost, notReleased: atMost - released },
    ...{ settledCells: walk.settledCells(), cells: cells.length },
  };
}

function plannedBlocks(
  { trials }: Pick<Plan, "trials">,
  { trials: perCell }: LookSettings,
): { readonly atMost: number; readonly blocks: ReadonlyMap<string, number> } {
  let atMost = 0;
  const blocks = new Map<string, number>();
  for (const trial of trials) {
    if (trial.n <= perCell) atMost += 1;
    const name = nameOf(trial);
    blocks.set(name, Math.max(blocks.get(name) ?? 0, trial.n));
  }
  return { atMost, blocks };
}

function nameOf({ skill, benchmark, model }: Pick<FurtherCell, "skill" | "benchmark" | "model">): string {
  return JSON.stringify([skill, benchmark, model]);
}

type Taken = {
  readonly look: number;
  readonly blocks: number;
  readonly ofBlocks: number;
  readonly nominalP: number;
};

class Walk {
  private readonly cells: readonly FurtherCell[];
  private readonly settings: LookSettings;
  private readonly blocks: ReadonlyMap<string, number>;
  private readonly done = new Map<FurtherCell, number>();

  constructor(cells: readonly FurtherCell[], settings: LookSettings, blocks: ReadonlyMap<string, number>) {
    this.cells = cells;
    this.settings = settings;
    this.blocks = blocks;
  }

  looks(stopsAt: (taken: readonly Taken[]) => boolean): readonly Taken[] {
    const { count, trials } = this.settings;
    const ofBlocks = this.cells.length * trials;
    const taken: Taken[] = [];
    let used = 0;
    for (;;) {
      const wave = this.cells.filter((cell) => this.isOpen(cell)).slice(0, ofBlocks - used);
      const over = wave.filter((cell) => this.endBlock(cell));
      if (over.length < wave.length) return taken;
      used += wave.length;
      const isLast = used === ofBlocks || !this.cells.some((cell) => this.isOpen(cell));
      const look = isLast ? count : Math.floor((count * used) / ofBlocks);
      if (look <= (taken.at(-1)?.look ?? 0)) continue;
      const isStopped = stopsAt(taken);
      taken.push({ look, blocks: used, ofBlocks, nominalP: nominalP(this.settings, look) });
      if (isLast || isStopped) return taken;
    }
  }

  settledCells(): number {
    return this.cells.filter((cell) => this.isSettled(cell)).length;
  }

  private isOpen(cell: FurtherCell): boolean {
    return this.over(cell) < (this.blocks.get(nameOf(cell)) ?? 0) && !this.isSettled(cell);
  }

  private over(cell: FurtherCell): number {
    return this.done.get(cell) ?? 0;
  }

  private endBlock(cell: FurtherCell): boolean {
    const n = this.over(cell) + 1;
    if ([...cell.arms.values()].some(({ verdicts }) => verdicts[n] === undefined)) return false;
    this.done.set(cell, n);
    return true;
  }

  /** So many blocks or more of several arms, in which every trial ended alike. */
  private isSettled(cell: FurtherCell): boolean {
    const after = this.settings.settle?.after ?? Infinity;
    if (this.over(cell) < after || cell.arms.size < 2) return false;
    const ends = [...cell.arms.values()].flatMap(({ verdicts }) => verdicts.slice(1, this.over(cell) + 1));
    return ends[0] !== null && ends.every((end) => end === ends[0]);
  }
}
