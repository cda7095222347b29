import type { Isolation } from "../artefacts/report.ts";

/** The columns of the table "Isolation"; the engine's only where there are several. */
export function isolationHeader(isolation: readonly Isolation[]): string[] {
  const where = onSeveral(isolation) ? ["engine"] : [];
  return ["skill", "arm", ...where, "probe", "expected", "found", "verdict"];
}

/** Its rows: one per probe, with what was expected and found. */
export function isolationRows(isolation: readonly Isolation[]): string[][] {
  const several = onSeveral(isolation);
  return isolation.flatMap(({ skill, arm, endpoint, probes }) =>
    probes.map(({ probe, expected, answered, passed }) => [
      skill,
      arm,
      ...(several ? [endpoint ?? "the only one"] : []),
      probe.replaceAll("_", " "),
      expected,
      answered,
      passed ? "passed" : "failed",
    ]),
  );
}

function onSeveral(isolation: readonly Isolation[]): boolean {
  return isolation.some(({ endpoint }) => endpoint !== null);
}

/** What all canaries together say. */
export function isolationSummary(isolation: readonly Isolation[]): string {
  if (isolation.length === 0) {
    return "No canary was sent: that the containers were closed is not proven for this campaign.";
  }
  const probes = isolation.flatMap((canary) => canary.probes);
  const passed = probes.filter((probe) => probe.passed).length;
  const engines = new Set(isolation.map(({ endpoint }) => endpoint)).size;
  const where = onSeveral(isolation) ? ` on ${engines} engine(s)` : "";
  return `${passed} of ${probes.length} probes passed in ${isolation.length} probe container(s)${where}, opened as those of the trials are.`;
}

/** How much each canary searched, and what it could not. */
export function searchedWords({ skill, arm, endpoint, searched }: Isolation): string {
  const { files, bytes, unreadableFiles, filesOfImage, processes, unreadableProcesses } = searched;
  return (
    `${skill}, ${arm}${endpoint === null ? "" : `, ${endpoint}`}: ${files} files (${bytes} bytes) and ${processes} processes looked at; not looked at: ` +
    `${filesOfImage} files of the image, ${unreadableFiles} files and ${unreadableProcesses} processes that the agent cannot read.`
  );
}
