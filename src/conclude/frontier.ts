import type { AnalysisSettings, ArmCell } from "../artefacts/analysis.ts";
import type { Look } from "../artefacts/looks.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { boundaryOf, isSettled, type VerdictPair } from "../statistics/looks.ts";
import { normalCdf } from "../statistics/distributions.ts";
import { analyse } from "./analyse.ts";
import { concludeAll } from "./conclude-from.ts";

/** How a trial ended: `none` is one that is over and will get no verdict. */
export type Ending = "passed" | "failed" | "none";

/** Where a campaign with looks stands: which of its trials may be made by now, and whether it is over. */
export type Frontier = {
  /** In the order of the plan. What is not among them was not needed, or not yet. */
  readonly released: readonly PlannedTrial[];
  readonly looks: readonly Look[];
  /** The last look stopped the campaign, or came at its end. */
  readonly ended: boolean;
  readonly settledCells: number;
  readonly cells: number;
};

export type FrontierInputs = {
  /** Null while a trial is not over. */
  readonly endingOf: (trial: PlannedTrial) => Ending | null;
  /** Whether a cell is one that conclusions are made of; leaky benchmarks may be left out. */
  readonly counts: (cell: Pick<PlannedTrial, "skill" | "benchmark">) => boolean;
};

/** Equivalence is not concluded from settled cells below this |z| (notes on the settle rule, simulated). */
const settledMarginZ = 2.2;

/**
 * Follows the plan wave by wave, one block of every open cell each. A wave is released when the one before is over, and
 * looks are taken between waves. The same endings give the same frontier, whatever the order they came in. Without looks
 * in the settings every trial is released at once.
 */
export function frontierOf(
  trials: readonly PlannedTrial[],
  settings: AnalysisSettings,
  { endingOf, counts }: FrontierInputs,
): Frontier {
  const { looks: rules } = settings;
  if (rules === null) {
    const cells = new Set(trials.map(cellName)).size;
    return { released: trials, looks: [], ended: false, settledCells: 0, cells };
  }
  const cells = cellsOf(trials);
  const budget = cells.length * rules.trials;
  const looks: Look[] = [];
  const released = new Set<PlannedTrial>();
  const after = rules.settle?.after ?? null;
  const isOpen = (cell: Cell): boolean => cell.done < cell.blocks.length && !isSettledCell(cell, after);
  let used = 0;
  for (;;) {
    const wave = cells.filter(isOpen).slice(0, budget - used);
    for (const cell of wave) for (const trial of cell.blocks[cell.done] ?? []) released.add(trial);
    const isOver = wave.every((cell) => endBlock(cell, endingOf));
    if (!isOver) break;
    used += wave.length;
    const isLast = used >= budget || !cells.some(isOpen);
    const due = isLast ? rules.count : Math.floor((rules.count * used) / budget);
    if (due <= (looks.at(-1)?.look ?? 0)) continue;
    const counted = cells.filter(({ key }) => counts(key));
    const look = lookAt(due, counted, { settings, blocks: used, ofBlocks: budget });
    looks.push({ ...look, stops: look.stops || isLast });
    if (look.stops || isLast) break;
  }
  return {
    released: trials.filter((trial) => released.has(trial)),
    looks,
    ended: looks.at(-1)?.stops ?? false,
    settledCells: cells.filter((cell) => isSettledCell(cell, after)).length,
    cells: cells.length,
  };
}

/** The settings by which a look decides: its own level, and no easier one for the margin. */
export function settingsAt(settings: AnalysisSettings, look: number): AnalysisSettings {
  const { looks: rules } = settings;
  const nominal = rules === null ? undefined : boundaryOf(rules.boundary, rules.count)[look - 1]?.nominalP;
  if (rules === null || nominal === undefined)
    throw new RangeError(`look ${look} is not one of the plan's ${rules?.count ?? 0}`);
  const half = nominal / 2;
  const marginAlpha = rules.settle === null ? half : Math.min(half, 1 - normalCdf(settledMarginZ));
  return { ...settings, alpha: nominal, marginAlpha };
}

/** One benchmark × model with its blocks in order; `done` counts those that are over. */
type Cell = {
  readonly key: Pick<PlannedTrial, "skill" | "benchmark" | "model">;
  readonly blocks: readonly (readonly PlannedTrial[])[];
  readonly seen: Map<string, Ending[]>;
  done: number;
};

function cellsOf(trials: readonly PlannedTrial[]): readonly Cell[] {
  const cells = new Map<string, { key: Cell["key"]; blocks: Map<number, PlannedTrial[]> }>();
  for (const trial of trials) {
    const { skill, benchmark, model, block } = trial;
    const name = cellName(trial);
    const cell = cells.get(name) ?? {
      key: { skill, benchmark, model },
      blocks: new Map<number, PlannedTrial[]>(),
    };
    cells.set(name, cell);
    const known = cell.blocks.get(block);
    if (known === undefined) cell.blocks.set(block, [trial]);
    else known.push(trial);
  }
  return [...cells.values()].map(({ key, blocks }) => {
    const ordered = [...blocks.values()].toSorted((a, b) => (a[0]?.n ?? 0) - (b[0]?.n ?? 0));
    return { key, blocks: ordered, seen: new Map(), done: 0 };
  });
}

function cellName({ skill, benchmark, model }: PlannedTrial): string {
  return JSON.stringify([skill, benchmark, model]);
}

/** Takes in the endings of the cell's next block; false while one of its trials is not over. */
function endBlock(cell: Cell, endingOf: (trial: PlannedTrial) => Ending | null): boolean {
  const block = cell.blocks[cell.done] ?? [];
  const endings = block.map((trial) => [trial.arm, endingOf(trial)] as const);
  if (endings.some(([, ending]) => ending === null)) return false;
  for (const [arm, ending] of endings)
    if (ending !== null) cell.seen.set(arm, [...(cell.seen.get(arm) ?? []), ending]);
  cell.done++;
  return true;
}

/** Every verdict of every arm was the same: a rule that looks alike when arms change places. */
function isSettledCell({ seen }: Cell, after: number | null): boolean {
  if (after === null) return false;
  const [first = [], ...others] = [...seen.values()];
  if (others.length === 0) return false;
  if ([first, ...others].some((endings) => endings.includes("none"))) return false;
  return others.every((endings) =>
    isSettled(
      endings.map((ending, at): VerdictPair => [ending === "passed", first[at] === "passed"]),
      after,
    ),
  );
}

function lookAt(
  look: number,
  cells: readonly Cell[],
  {
    settings,
    blocks,
    ofBlocks,
  }: { readonly settings: AnalysisSettings; readonly blocks: number; readonly ofBlocks: number },
): Look {
  const at = settingsAt(settings, look);
  const quick = { ...at, bootstrap: { ...at.bootstrap, resamples: 0 } };
  const rows = concludeAll(analyse(cells.map(armCellOf), quick)).flatMap(
    ({ level, skill, comparison, set }) =>
      level === "skill" && skill !== null ? [{ skill, ...comparison, kind: set.kind }] : [],
  );
  const stops = rows.length > 0 && rows.every(({ kind }) => kind !== "cannot_tell");
  return { look, blocks, ofBlocks, nominalP: at.alpha, rows, stops };
}

function armCellOf({ key, seen }: Cell): ArmCell {
  const arms = [...seen].map(([arm, endings]) => {
    const passed = endings.filter((ending) => ending === "passed").length;
    const graded = endings.filter((ending) => ending !== "none").length;
    return [arm, { passed, graded, planned: endings.length }] as const;
  });
  return { ...key, arms: Object.fromEntries(arms) };
}
