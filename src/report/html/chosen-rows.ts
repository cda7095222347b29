import type { ChartRow } from "./row-chart.ts";

type Whole = { readonly skill: string; readonly row: ChartRow };
/** `weight`: how far the value is from no difference. */
type Part = Whole & { readonly weight: number };

export type ChosenRows = {
  readonly shown: readonly ChartRow[];
  /** How many of how many, where not all are shown; else empty. */
  readonly words: string;
};

/**
 * Rows that a chart can show: each skill, then its cells in the plan's order. Where they are more than `most`, the cells
 * that are furthest from no difference, and skills in the order of the plan up to half of the chart.
 */
export function chosenRows(wholes: readonly Whole[], parts: readonly Part[], most: number): ChosenRows {
  const room = Math.max(most - parts.length, Math.floor(most / 2));
  const keptWholes = wholes.slice(0, room);
  const furthest = parts.toSorted((one, other) => other.weight - one.weight);
  const keptParts = new Set(furthest.slice(0, most - keptWholes.length));
  const skills = [...new Set([...wholes, ...parts].map(({ skill }) => skill))];
  const shown = skills.flatMap((skill) => [
    ...keptWholes.filter((whole) => whole.skill === skill).map(({ row }) => row),
    ...parts.filter((part) => part.skill === skill && keptParts.has(part)).map(({ row }) => row),
  ]);
  const all = wholes.length + parts.length;
  const words =
    shown.length === all
      ? ""
      : `${shown.length} of ${all} rows shown, those furthest from no difference; all are in the table.`;
  return { shown, words };
}
