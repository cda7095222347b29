import type { Report } from "../artefacts/report.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type CellCount, cellName } from "./cell-counts.ts";
import { Figures } from "./figures.ts";
import { setCell } from "./recount-uplifts.ts";
import { addCell } from "./reported-figures.ts";

type CellsCompared = {
  readonly figures: number;
  readonly differences: readonly Difference[];
  /** What the report says beyond what was counted. */
  readonly beyond: readonly Difference[];
};

/** Cells that were counted against those of a report, one after the other: their figures are most of a report's. */
export function compareCells(
  counted: readonly CellCount[],
  reported: Report["cells"],
  place: string,
): CellsCompared {
  const byName = new Map(reported.map((cell) => [cellName(cell), cell]));
  const differences: Difference[] = [];
  const beyond: Difference[] = [];
  let figures = 0;
  for (const cell of counted) {
    const [expected, came] = [new Figures(), new Figures()];
    setCell(cell, expected);
    const its = byName.get(cellName(cell));
    if (its !== undefined) addCell(its, came);
    byName.delete(cellName(cell));
    figures += expected.size;
    differences.push(...expected.unlike(came, place));
    beyond.push(...came.beyond([expected], place));
  }
  for (const cell of byName.values()) {
    const came = new Figures();
    addCell(cell, came);
    beyond.push(...came.beyond([], place));
  }
  return { figures, differences, beyond };
}
