import type { JudgeStatistics, Share } from "../artefacts/judges.ts";

/** A Markdown table whose cells are made harmless. */
type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

/** What has to be made harmless before it stands in Markdown: ids and judges' words. */
type Plain = (text: string) => string;

/** The section "Judges" of report.md; empty when no judge was asked or tried. */
export function judgesSection(
  statistics: JudgeStatistics,
  { table, plain }: { readonly table: Table; readonly plain: Plain },
): string {
  const { questions, decided, judges, unanimous, pairwise, beyondChance, pairs, tried } = statistics;
  if (questions === 0 && tried.length === 0 && statistics.unusable.length === 0) return "";
  const header = ["judge", "ballots", "YES", "NO", "unparsed (as NO)", "refused", "absent", "not asked"];
  const rows = judges.map((row) => [
    row.judge,
    ...[row.ballots, row.yes, row.no, row.unparsed, row.refused, row.absent, row.notAsked].map(String),
  ]);
  const agreement = [
    `${decided} of ${questions} question(s) decided; unanimous ${shareWords(unanimous)} with the whole panel voting; pairs of votes equal ${shareWords(pairwise)}.`,
    beyondWords(beyondChance),
    ...pairs.map(
      ({ judges: [a, b], ...share }) => `${plain(a)} and ${plain(b)}: equal ${shareWords(share)}.`,
    ),
  ];
  return [
    "## Judges",
    rows.length === 0 ? "No question was put to the judges." : table(header, rows),
    ...(questions === 0 ? [] : [list(agreement)]),
    list([...sentinelWords(statistics), ...refusalWords(statistics)].map(plain)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Kappa is low where nearly all votes are the same, however often judges agree: AC1 is not. */
function beyondWords({
  of,
  fleissKappa,
  gwetAC1,
  krippendorffAlpha,
}: JudgeStatistics["beyondChance"]): string {
  const told = (value: number | null): string => (value === null ? "unavailable" : value.toFixed(2));
  return (
    `Beyond chance, over ${of} question(s) with two votes or more: Fleiss kappa ${told(fleissKappa)}, ` +
    `Gwet AC1 ${told(gwetAC1)}, Krippendorff alpha ${told(krippendorffAlpha)}.`
  );
}

function sentinelWords({ tried, setAside, unusable }: JudgeStatistics): readonly string[] {
  return [
    ...tried.map(
      ({ skill, benchmark, passed, judges }) =>
        `${skill}/${benchmark}: ${passed} of ${judges} judges passed the sentinels.`,
    ),
    ...setAside.map(
      ({ skill, benchmark, judge, words }) => `${judge} has no vote on ${skill}/${benchmark}: ${words}.`,
    ),
    ...unusable.map(
      ({ skill, benchmark, reason }) =>
        `${skill}/${benchmark}: its sentinels are unusable (${reason}), so no judge was tried.`,
    ),
  ];
}

function refusalWords({ judges }: JudgeStatistics): readonly string[] {
  return judges
    .filter(({ refusesOften }) => refusesOften)
    .map(
      ({ judge, refused, ballots }) => `${judge} refused ${refused} of ${ballots} ballots, more than 5 %.`,
    );
}

function shareWords({ agreed, of }: Share): string {
  return of === 0 ? "0/0" : `${agreed}/${of} (${((100 * agreed) / of).toFixed(0)} %)`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
