import type { Cell, Report } from "../../artefacts/report.ts";
import { foreign } from "./foreign.ts";
import { longestName } from "./row-chart.ts";

/** A cell below its skill, as a chart has room for it, and whole. */
export type CellName = { readonly shown: string; readonly whole: string };

/** Fewest characters that a benchmark keeps beside a long model. */
const leastBenchmark = 12;
const mostSearched = 100;
const between = " · ";

/** How the cells of a report are named in its charts; their models only where there are several. */
export function cellNames({
  perModel,
}: Pick<Report, "perModel">): (cell: Pick<Cell, "benchmark" | "model">) => CellName {
  if (perModel.length < 2)
    return ({ benchmark }) => ({ shown: middled(benchmark, longestName), whole: foreign(benchmark) });
  const short = shortModels(perModel.map(({ model }) => model));
  return ({ benchmark, model }) => {
    const room = longestName - between.length;
    const own = middled(short.get(model) ?? model, room - Math.min(leastBenchmark, benchmark.length));
    const shown = `${middled(benchmark, room - Array.from(own).length)}${between}${own}`;
    return { shown, whole: `${foreign(benchmark)}${between}${foreign(model)}` };
  };
}

/** Without their providers, where every model is still told from every other. */
function shortModels(models: readonly string[]): ReadonlyMap<string, string> {
  const short = models.map((model) => model.slice(model.indexOf("/") + 1));
  const apart = new Set(short).size === new Set(models).size && !short.includes("");
  return new Map(models.map((model, at) => [model, apart ? (short[at] ?? model) : model]));
}

/** What is longer than `most` characters is left out of its middle: names of one family differ at their ends. */
function middled(text: string, most: number): string {
  // Cut first: a name of 20 MB must not be searched.
  const ends =
    text.length > 2 * mostSearched ? text.slice(0, mostSearched) + text.slice(-mostSearched) : text;
  const characters = Array.from(foreign(ends, 2 * mostSearched));
  if (characters.length <= most) return characters.join("");
  const tail = Math.floor((most - 1) / 2);
  return [...characters.slice(0, most - 1 - tail), "…", ...characters.slice(-tail)].join("");
}
