import type { Isolation } from "../artefacts/report.ts";
import type { Timings } from "../artefacts/timings.ts";

/** The columns of the table "Isolation". */
export const isolationHeader: readonly string[] = ["skill", "arm", "probe", "expected", "found", "verdict"];

/** Its rows: one per probe, with what was expected and found. */
export function isolationRows({ canaries }: Timings): string[][] {
  return canaries.flatMap(({ skill, arm, probes }) =>
    probes.map(({ probe, expected, answered, passed }) => [
      skill,
      arm,
      probe.replaceAll("_", " "),
      expected,
      answered,
      passed ? "passed" : "failed",
    ]),
  );
}

/** What all canaries together say. */
export function isolationSummary(isolation: readonly Isolation[], { canaries }: Timings): string {
  if (isolation.length === 0) {
    return "No canary was sent: that the containers were closed is not proven for this campaign.";
  }
  const probes = isolation.flatMap((arm) => arm.probes);
  const passed = probes.filter((probe) => probe.passed).length;
  const engines = new Set(canaries.map(({ endpoint }) => endpoint));
  const where = [...engines].some((endpoint) => endpoint !== null) ? ` on ${engines.size} engine(s)` : "";
  const failed = canaries.filter((canary) => !canary.passed).length;
  const all = `${canaries.length} probe container(s)${where}, opened as those of the trials are, ${failed} of them failed`;
  return `${passed} of ${probes.length} probes passed in ${isolation.length} arm(s); ${all}.`;
}

/** How much each canary searched, and what it could not. */
export function searchedWords({ skill, arm, endpoint, searched }: Timings["canaries"][number]): string {
  const { files, bytes, unreadableFiles, filesOfImage, processes, unreadableProcesses } = searched;
  return (
    `${skill}, ${arm}${endpoint === null ? "" : `, ${endpoint}`}: ${files} files (${bytes} bytes) and ${processes} processes looked at; not looked at: ` +
    `${filesOfImage} files of the image, ${unreadableFiles} files and ${unreadableProcesses} processes that the agent cannot read.`
  );
}
