import type { Isolation } from "../artefacts/report.ts";

/** The rows of the table "Isolation": one per probe, with what was expected and found. */
export function isolationRows(isolation: readonly Isolation[]): string[][] {
  return isolation.flatMap(({ skill, arm, probes }) =>
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
export function isolationSummary(isolation: readonly Isolation[]): string {
  if (isolation.length === 0) {
    return "No canary was sent: that the containers were closed is not proven for this campaign.";
  }
  const probes = isolation.flatMap((canary) => canary.probes);
  const passed = probes.filter((probe) => probe.passed).length;
  return `${passed} of ${probes.length} probes passed in ${isolation.length} probe container(s), opened as those of the trials are.`;
}

/** How much each canary searched, and what it could not. */
export function searchedWords({ skill, arm, searched }: Isolation): string {
  const { files, bytes, unreadableFiles, filesOfImage, processes, unreadableProcesses } = searched;
  return (
    `${skill}, ${arm}: ${files} files (${bytes} bytes) and ${processes} processes looked at; not looked at: ` +
    `${filesOfImage} files of the image, ${unreadableFiles} files and ${unreadableProcesses} processes that the agent cannot read.`
  );
}
