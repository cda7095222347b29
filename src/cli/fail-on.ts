import type { Comparison as ArmsCompared } from "../artefacts/analysis.ts";
import type { CampaignComparison, ComparedRow } from "../artefacts/comparison.ts";
import type { ConcludedRow, Conclusions } from "../artefacts/conclusion.ts";
import { unreachable, UserError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { commaList, type ExitCode, type Io } from "./io.ts";
import { printable } from "./progress.ts";

/** What a user can ask not to be so. */
export type FailOnWord = "hurts" | "regression" | "rejected" | "cannot_tell";

/** What `eval` and `report` can say of one campaign, and `compare` of two. */
export const campaignWords: readonly FailOnWord[] = ["hurts", "rejected", "cannot_tell"];
export const comparisonWords: readonly FailOnWord[] = ["hurts", "regression", "rejected", "cannot_tell"];

/** One word that holds, and of what. `also`: other words that cannot be answered for it. */
export type Finding = {
  readonly word: FailOnWord;
  readonly words: string;
  readonly also?: readonly FailOnWord[];
};

/** For `--help`, of the words that the command knows. */
export function failOnHelp(known: readonly FailOnWord[]): string {
  const isComparison = known.includes("regression");
  const meanings = known.map((word) => `  ${word.padEnd(12)} ${meaningOf(word, isComparison)}`);
  return [
    "",
    "--fail-on takes some of these, comma-separated:",
    ...meanings,
    "Exit code 1 when one of them holds; 5 when only cannot_tell does, or nothing was concluded that could answer.",
  ].join("\n");
}

function meaningOf(word: FailOnWord, isComparison: boolean): string {
  const whose = isComparison ? "B's campaign concludes" : "the campaign concludes";
  switch (word) {
    case "hurts":
      return `${whose} of a skill, or a skill × model, that it hurts (this set, or tasks like these)`;
    case "rejected":
      return `the decision on a skill${isComparison ? " in B" : ""} is to reject it`;
    case "regression":
      return (
        "a skill, or a skill × model, passes less often in B than in A over the cells both have: the whole\n" +
        `${" ".repeat(15)}interval of the difference (at the α of A's plan) lies below 0, the exact p after Holm is at\n` +
        `${" ".repeat(15)}most α, its uplift fell too, and no trial without a verdict could change that`
      );
    case "cannot_tell":
      return isComparison
        ? "of a skill it cannot be told whether it changed from A to B"
        : "of a skill nothing can be told, or nothing is concluded";
    default:
      return unreachable(word);
  }
}

/** The words of `--fail-on`; none when it is absent. Throws `UserError` for one that is not known. */
export function failOnFrom(text: string | undefined, known: readonly FailOnWord[]): readonly FailOnWord[] {
  if (text === undefined) return [];
  const asked = commaList(text);
  const unknown = asked.filter((word) => !known.some((one) => one === word));
  if (asked.length > 0 && unknown.length === 0) return known.filter((word) => asked.includes(word));
  const named = asked.length === 0 ? "names nothing" : `does not know ${unknown.join(", ")}`;
  const meant = unknown.flatMap((word) => nearest(word, known));
  const hint = meant.length === 0 ? "" : ` Did you mean ${[...new Set(meant)].join(", ")}?`;
  throw new UserError(`--fail-on ${printable(named)}. Say some of ${known.join(", ")}, with commas.${hint}`);
}

/** What a campaign concluded; null where its plan has no hypothesis. */
type Concluded = { readonly conclusions: Conclusions | null };

/** Of the hypothesis that decisions are about, the plan's first comparison, or of `wanted`. */
export function campaignFindings({ conclusions }: Concluded, wanted?: ArmsCompared): readonly Finding[] {
  const [first] = conclusions?.settings.comparisons ?? [];
  const about = wanted ?? first;
  const isFirst = about?.arm === first?.arm && about?.against === first?.against;
  const rows = (["skill", "skill-model"] as const).flatMap((level) =>
    (conclusions?.rows ?? []).filter(
      ({ level: at, comparison }) =>
        at === level && comparison.arm === about?.arm && comparison.against === about.against,
    ),
  );
  if (conclusions === null || rows.length === 0) {
    const which = about === undefined ? "" : ` about ${about.arm} against ${about.against}`;
    const words = `the plan has no hypothesis${which}, so nothing is concluded`;
    return [{ word: "cannot_tell", words, also: ["hurts", "rejected"] }];
  }
  return [
    ...rows.flatMap(hurting),
    ...(isFirst ? rejected(conclusions) : []),
    ...rows.flatMap((row) => untold(row, conclusions)),
  ];
}

function hurting(row: ConcludedRow): readonly Finding[] {
  const told = [row.set, ...(row.tasks === null ? [] : [row.tasks])].find(({ kind }) => kind === "hurts");
  return told === undefined ? [] : [{ word: "hurts", words: `${placeOf(row)}: ${told.reason}` }];
}

function rejected({ decisions }: Conclusions): readonly Finding[] {
  return decisions.flatMap(({ skill, decision }) =>
    decision.kind === "reject"
      ? [{ word: "rejected" as const, words: `${skill}: ${decision.reasons.join(" ")}` }]
      : [],
  );
}

function untold(row: ConcludedRow, { analysis }: Conclusions): readonly Finding[] {
  const { kind, reason } = row.tasks ?? row.set;
  if (row.level !== "skill" || kind !== "cannot_tell") return [];
  const words = `${placeOf(row)}: ${reason}`;
  const { skill, comparison } = row;
  const hasEvidence = analysis.rows.some(
    (one) =>
      one.evidence !== null &&
      one.level === "skill" &&
      one.role === "primary" &&
      one.skill === skill &&
      one.comparison.arm === comparison.arm &&
      one.comparison.against === comparison.against,
  );
  // Without a single pair of verdicts harm was not looked for: that is no pass.
  return [
    hasEvidence
      ? { word: "cannot_tell", words }
      : { word: "cannot_tell", words, also: ["hurts", "rejected"] },
  ];
}

/** Of the change from A to B, and of what B concluded for itself. */
export function comparisonFindings(
  { rows, b, control }: CampaignComparison,
  ofB: Concluded,
): readonly Finding[] {
  const told = (row: ComparedRow): readonly Finding[] => {
    const words = `${placeOf(row)}: ${row.verdict?.reason ?? ""}`;
    if (row.verdict?.kind === "regression") return [{ word: "regression", words }];
    const isUntold = row.level === "skill" && row.verdict?.kind === "cannot_tell";
    return isUntold ? [{ word: "cannot_tell", words }] : [];
  };
  const concluded = campaignFindings(ofB, { arm: b.arm, against: control });
  const ofBItself = concluded.filter(({ word, also }) => word !== "cannot_tell" || also !== undefined);
  return [...ofBItself, ...rows.flatMap(told)];
}

function placeOf({ skill, model }: { readonly skill: string | null; readonly model: string | null }): string {
  return `${skill ?? "all skills"}${model === null ? "" : `, ${model}`}`;
}

/** Says on stderr what of `asked` holds; `code` is how the command ends otherwise. */
export function endOn(
  asked: readonly FailOnWord[],
  { findings, code, io }: { findings: readonly Finding[]; code: ExitCode; io: Pick<Io, "err"> },
): ExitCode {
  const held = findings.filter(
    ({ word, also = [] }) => asked.includes(word) || also.some((one) => asked.includes(one)),
  );
  for (const { word, words } of held) io.err(`${word.padEnd(11)} ${printable(words)}\n`);
  if (held.some(({ word }) => word !== "cannot_tell")) return 1;
  return held.length > 0 && code === 0 ? 5 : code;
}
