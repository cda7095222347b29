import { makeBadge } from "badge-maker";
import type { ConcludedRow, Conclusion } from "../../artefacts/conclusion.ts";
import type { Report } from "../../artefacts/report.ts";
import { oneLine } from "./one-line.ts";

const grey = "#757575";

/** From the worst to the best: several skills are shown in the colour of the worst. */
const kinds: readonly (readonly [kind: Conclusion["kind"], words: string, color: string])[] = [
  ["hurts", "hurts", "#b71c1c"],
  ["cannot_tell", "cannot tell", grey],
  ["no_meaningful_difference", "no meaningful difference", "#1565c0"],
  ["helps", "helps", "#2e7d32"],
];
const longestLabel = 60;

type Shown = { readonly label: string; readonly message: string; readonly color: string };

/** badge.svg: what the campaign concludes about its skill, or how many of its skills it concludes what about. */
export function badgeOf(report: Pick<Report, "campaign" | "standIn" | "probe" | "conclusions">): string {
  const { label, message, color } = shown(report);
  return makeBadge({ label: oneLine(label, longestLabel), message: oneLine(message), color, style: "flat" });
}

function shown({ campaign, standIn, probe, conclusions }: Parameters<typeof badgeOf>[0]): Shown {
  const found = (conclusions?.rows ?? []).filter(({ level }) => level === "skill");
  // A skill's first comparison is its headline; the rest answer further questions.
  const rows = found.filter((row, at) => found.findIndex(({ skill }) => skill === row.skill) === at);
  const [first] = rows;
  const label = rows.length === 1 ? (first?.skill ?? campaign) : campaign;
  if (standIn) return { label, message: "stand-in, not a model", color: grey };
  if (probe !== null) return { label, message: "probe", color: grey };
  if (first === undefined) return { label, message: "no conclusion", color: grey };
  if (rows.length > 1) return { label, ...ofMany(rows) };
  const { kind, label: words } = headlineOf(first);
  return { label, message: `${words}${upliftOf(first, conclusions)}`, color: colorOf(kind) };
}

function ofMany(rows: readonly ConcludedRow[]): Omit<Shown, "label"> {
  const counted = kinds.flatMap(([kind, words, color]) => {
    const count = rows.filter((row) => headlineOf(row).kind === kind).length;
    return count === 0 ? [] : [{ words: `${words} ${count}`, color }];
  });
  const message = `${counted.map(({ words }) => words).join(", ")} of ${rows.length} skills`;
  return { message, color: counted[0]?.color ?? grey };
}

/** About tasks like these, where there are enough of them. */
function headlineOf({ tasks, set }: ConcludedRow): Conclusion {
  return tasks ?? set;
}

function colorOf(kind: Conclusion["kind"]): string {
  return kinds.find(([one]) => one === kind)?.[2] ?? grey;
}

/** ` +12`: whole points. A difference that says nothing is not shown. */
function upliftOf(row: ConcludedRow, conclusions: Report["conclusions"]): string {
  if (!["helps", "hurts"].includes(headlineOf(row).kind)) return "";
  const found = conclusions?.analysis.rows.find(
    ({ level, skill, role, comparison }) =>
      role === "primary" &&
      level === row.level &&
      skill === row.skill &&
      comparison.arm === row.comparison.arm &&
      comparison.against === row.comparison.against,
  );
  const uplift = found?.evidence?.uplift;
  if (uplift === undefined) return "";
  const points = Math.round(100 * uplift);
  return ` ${points < 0 ? "−" : "+"}${Math.abs(points)}`;
}
