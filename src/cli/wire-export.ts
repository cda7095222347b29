import { parseDraft } from "../author/draft.ts";
import { exportHarbor, type HarborOptions } from "../formats/harbor/export-harbor.ts";
import type { Exported } from "../formats/losses.ts";
import { readBundle } from "../store/benchmarks.ts";

/** The bundle in `folder` as a Harbor task. Throws `UserError` with every fault of a folder that holds none. */
export async function exportBenchmark(
  folder: string,
  options: Partial<HarborOptions>,
): Promise<Exported & { readonly id: string }> {
  const bundle = await readBundle(folder, parseDraft);
  return { ...exportHarbor(bundle, options), id: bundle.id };
}
