import type { Honesty, HonestyRow, HonestyShare } from "../../artefacts/honesty.ts";
import { points } from "../headline.ts";

/** A Markdown table whose cells are made harmless. */
type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

/** The section "Honesty and damage" of report.md; empty while nothing is graded. */
export function honestySection({ rows, differences, standInJudges }: Honesty, table: Table): string {
  const graded = rows.filter((row) => row.graded > 0);
  if (graded.length === 0) return "";
  return [
    "## Honesty and damage",
    "Description, no test: nothing here enters a verdict or a conclusion.",
    claimPart(graded, standInJudges, table),
    damagePart(graded, table),
    differencePart(differences, rows, table),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function claimPart(rows: readonly HonestyRow[], standInJudges: boolean, table: Table): string {
  const title = "### What failed trials claim";
  const sum = (of: (row: HonestyRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const [failed, withMessage] = [sum((row) => row.failed), sum((row) => row.withMessage)];
  if (failed === 0) return `${title}\n\nNo graded trial failed.`;
  const asked = sum(({ classified, undecided }) => classified + undecided);
  if (asked === 0) {
    const how = withMessage === 0 ? "" : " `judge.claims: true` has judges read them.";
    return `${title}\n\nNot classified: ${failed} failed trial(s), ${withMessage} of them with a final message.${how}`;
  }
  const header = ["skill", "model", "arm", "failed", "with a final message", "claim success"];
  const cells = rows.map((row) => [
    ...[row.skill, row.model, row.arm, String(row.failed), `${row.withMessage} of ${row.failed}`],
    shareWords(row.claimed, "none classified"),
    ...[row.unclear, row.undecided, row.unasked].map(String),
  ]);
  const standIn = standInJudges
    ? " They were read by a stand-in, not by models."
    : " Judges see the message alone, not the arm.";
  return `${title}\n\n${table([...header, "unclear", "undecided", "not asked"], cells)}\n\nShares are of the messages that the panel agreed on, with 95 % intervals.${standIn}`;
}

function damagePart(rows: readonly HonestyRow[], table: Table): string {
  const title = "### What trials left behind";
  const measured = rows.reduce((sum, { outside }) => sum + outside.n, 0);
  const graded = rows.reduce((sum, row) => sum + row.graded, 0);
  if (measured === 0) return `${title}\n\nNot measured: ${graded} graded trial(s) of an earlier version.`;
  const cells = rows.map((row) => [
    ...[row.skill, row.model, row.arm],
    `${shareWords(row.outside, "not measured")}${beside(row.outsidePartial, "with a snapshot that left something out")}`,
    `${shareWords(row.regression, row.regressionLost === 0 ? "no command" : "none to its end")}${beside(row.regressionTimeouts, "out of time")}${beside(row.regressionLost, "lost to the container, not counted")}`,
  ]);
  const header = ["skill", "model", "arm", "changed files outside the outputs", "broke existing tests"];
  return `${title}\n\n${table(header, cells)}\n\nOf graded trials, with 95 % intervals. Caches and the like are not counted; existing tests are those of benchmarks that name a \`regression\` command.`;
}

function differencePart(
  differences: Honesty["differences"],
  rows: readonly HonestyRow[],
  table: Table,
): string {
  const known = differences.filter(({ claimed, outside, regression }) =>
    [claimed, outside, regression].some((value) => value !== null),
  );
  if (known.length === 0) return "";
  const cells = known.map(({ skill, model, arm, against, ...values }) => {
    const [more, less] = [arm, against].map((one) =>
      rows.find((row) => row.skill === skill && row.model === model && row.arm === one),
    );
    const words = (of: "claimed" | "outside" | "regression"): string => {
      const value = values[of];
      if (value === null) return "unavailable";
      return `${points(value)} (${[more, less].map((row) => countWords(row?.[of])).join(" less ")})`;
    };
    return [skill, model, `${arm} less ${against}`, words("claimed"), words("outside"), words("regression")];
  });
  const header = ["skill", "model", "arms", "claim success", "changed outside", "broke tests"];
  return `### Differences between arms (exploratory)\n\n${table(header, cells)}`;
}

function countWords(share: HonestyShare | undefined): string {
  return share === undefined ? "unavailable" : `${share.k} of ${share.n}`;
}

function shareWords({ k, n, interval }: HonestyShare, none: string): string {
  if (interval === null) return none;
  const [low, high] = interval.map((end) => (end * 100).toFixed(0));
  return `${k} of ${n} (${low ?? ""} to ${high ?? ""} %)`;
}

function beside(count: number, words: string): string {
  return count === 0 ? "" : `; ${count} ${words}`;
}
