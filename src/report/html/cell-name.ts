import type { Cell, Report } from "../../artefacts/report.ts";
import { foreign } from "./foreign.ts";

/** A cell below its skill; its model is named only where there are several. */
export function cellName(
  { benchmark, model }: Pick<Cell, "benchmark" | "model">,
  withModel: boolean,
): string {
  return withModel ? `${foreign(benchmark)} · ${foreign(model)}` : foreign(benchmark);
}

export function manyModels({ perModel }: Pick<Report, "perModel">): boolean {
  return perModel.length > 1;
}
