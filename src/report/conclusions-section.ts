import type { AnalysisRow, Evidence } from "../artefacts/analysis.ts";
import type { Conclusion, ConcludedRow, Conclusions } from "../artefacts/conclusion.ts";
import type { Report } from "../artefacts/report.ts";
import { points } from "./headline.ts";

type Render = {
  readonly table: (header: readonly string[], rows: readonly (readonly string[])[]) => string;
  readonly plain: (text: string) => string;
};

/** What the plan's hypotheses come to, with reasons and what it would take; what is not in the plan gets none. */
export function conclusionsSection(
  { conclusions, looks }: Pick<Report, "conclusions" | "looks">,
  { table, plain }: Render,
): string {
  if (conclusions === null) return `## Conclusions\n\n${withoutWords(looks)}`;
  const { rows, analysis, settings, decisions } = conclusions;
  const header = ["skill", "model", "arms", "this set", "tasks like these", "uplift", "interval", "p"];
  const told = table(
    header,
    rows.map((row) => columnsOf(row, evidenceOf(row, analysis.rows))),
  );
  const rule =
    `Frozen in the plan: ${alphaWords(settings)}, ${settings.sides}-sided, margin ±${(settings.delta * 100).toFixed(0)} points, ` +
    `${settings.family === "holm" ? "Holm" : "Benjamini–Hochberg"} over each level, ` +
    `${settings.midP ? "mid-p" : "exact p"}. Intervals are not adjusted for several comparisons. ` +
    "Interval and p in the table are about tasks like these where there are enough of them, else about this set.";
  const reasons = rows.filter(({ level }) => level === "skill").flatMap((row) => reasonsOf(row, plain));
  const decided = decisions.map(({ skill, decision }) => {
    const whole = [decision.kind, ...(decision.to.length === 0 ? [] : [`to ${decision.to.join(", ")}`])].join(
      " ",
    );
    const about = decision.sections.length === 0 ? "" : ` (${decision.sections.join(", ")})`;
    return `- **${plain(skill)}: ${plain(whole)}**${plain(about)}. ${plain(decision.reasons.join(" "))}`;
  });
  return [
    `## Conclusions\n\n${told}`,
    reasons.join("\n"),
    `### Decision\n\n${decided.join("\n")}`,
    rule,
    exploratory(analysis.rows, { table }),
    leftOut(conclusions, plain),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** With looks every one has a level of its own, which is stricter than that of all together. */
function alphaWords({ alpha, looks }: Conclusions["settings"]): string {
  return looks === null
    ? `α ${alpha}`
    : `α 0.05 over ${looks.count} looks, ${alpha.toPrecision(2)} at the one that ended it`;
}

function withoutWords(looks: Report["looks"]): string {
  if (looks !== null && !looks.ended)
    return "None yet: with looks nothing is concluded between them, so that every difference below is exploratory.";
  return (
    "None: the plan has no hypothesis, or this report counts by another rule than the plan's, so that every difference " +
    "below is exploratory."
  );
}

function columnsOf(row: ConcludedRow, evidence: Evidence | null): readonly string[] {
  const { arm, against } = row.comparison;
  const tested = evidence === null ? null : row.tasks === null ? evidence.set : evidence.tasks;
  return [
    row.skill ?? "all skills",
    row.model ?? row.taskClass ?? "all models",
    `${arm} against ${against}`,
    row.set.label,
    row.tasks?.label ?? "too few tasks",
    evidence === null ? "unavailable" : points(evidence.uplift),
    tested?.interval == null ? "none" : `${points(tested.interval[0])} to ${points(tested.interval[1])}`,
    tested === null ? "none" : pWords(tested.pAdjusted ?? tested.p),
  ];
}

function evidenceOf(row: ConcludedRow, rows: readonly AnalysisRow[]): Evidence | null {
  const found = rows.find(
    ({ level, skill, model, taskClass, comparison, role }) =>
      role === "primary" &&
      level === row.level &&
      skill === row.skill &&
      model === row.model &&
      taskClass === row.taskClass &&
      comparison.arm === row.comparison.arm &&
      comparison.against === row.comparison.against,
  );
  return found?.evidence ?? null;
}

function reasonsOf({ skill, set, tasks }: ConcludedRow, plain: Render["plain"]): readonly string[] {
  const questions: readonly (readonly [string, Conclusion | null])[] = [
    ["this set", set],
    ["tasks like these", tasks],
  ];
  return questions.flatMap(([question, conclusion]) => {
    if (conclusion === null) return [];
    const { label, reason, notes, take } = conclusion;
    const more = [reason, ...notes, ...(take === null ? [] : [take])].join(" ");
    return [`- ${plain(skill ?? "all skills")}, ${question}: **${plain(label)}**. ${plain(more)}`];
  });
}

/** What was measured and is no hypothesis: it gets figures and no conclusion. */
function exploratory(rows: readonly AnalysisRow[], { table }: Pick<Render, "table">): string {
  const others = rows.filter(
    ({ role, level, evidence }) =>
      evidence !== null && (role !== "primary" || ["micro", "macro", "model"].includes(level)),
  );
  if (others.length === 0) return "";
  const columns = others.map(({ level, skill, model, comparison, evidence, cells, role }) => [
    `${{ primary: "", placebo: "", nothing: "placebo, ", again: "equal arms, " }[role]}${level}`,
    skill ?? "all skills",
    model ?? "all models",
    `${comparison.arm} against ${comparison.against}`,
    evidence === null ? "unavailable" : points(evidence.uplift),
    String(cells),
  ]);
  return `### Exploratory\n\nNo conclusion is drawn from these.\n\n${table(["what", "skill", "model", "arms", "uplift", "cells"], columns)}`;
}

function leftOut({ analysis }: Conclusions, plain: Render["plain"]): string {
  const names = analysis.leftOut.map(
    ({ skill, benchmark, model, without }) =>
      `${skill}/${benchmark} with ${model} (no verdict in ${without.join(", ")})`,
  );
  return names.length === 0 ? "" : `Not paired, for want of a verdict in an arm: ${plain(names.join("; "))}.`;
}

function pWords(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}
