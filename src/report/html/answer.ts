import type { AnalysisRow } from "../../artefacts/analysis.ts";
import type { Conclusion, ConcludedRow, Conclusions, Decision } from "../../artefacts/conclusion.ts";
import type { Report } from "../../artefacts/report.ts";
import { type Anchors, linked } from "./anchors.ts";
import { ofGraded, pointsInterval, pWords, signedPoints } from "./figures.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { withoutConclusion } from "./no-conclusion.ts";
import { bullets, longTable, type TableCell } from "./table.ts";

/** Skills that get a card of their own; more are told by the table alone. */
const mostCards = 12;

/** What the campaign concludes, per skill and per skill × model, with why, what would settle it and the decision. */
export function answerSection(report: Report, anchors: Anchors): Markup {
  const { conclusions } = report;
  if (conclusions === null) return withoutHypothesis(report, anchors);
  const skills = conclusions.rows.filter(({ level }) => level === "skill");
  const shown = skills.slice(0, mostCards);
  const others =
    skills.length > shown.length
      ? html`<p class="muted">
          ${shown.length} of ${skills.length} skills shown here; all are in the table.
        </p>`
      : null;
  return html`
    <section aria-labelledby="answer">
      <h2 id="answer">What it comes to</h2>
      <div class="answers">${shown.map((row) => card(row, conclusions, anchors))}</div>
      ${others} ${concludedTable(conclusions, anchors)} ${reasonsOf(conclusions)}
    </section>
  `;
}

function withoutHypothesis(report: Report, anchors: Anchors): Markup {
  const rows = report.perSkill.map((row): TableCell[] => [
    linked(foreign(row.skill), anchors.skill(row.skill)),
    signedPoints(row.uplift),
    ofGraded(row.with),
    ofGraded(row.without),
    String(row.cells),
  ]);
  const columns = [
    { words: "skill", kind: "name" },
    { words: "uplift, points", kind: "num" },
    { words: "passed with", kind: "num" },
    { words: "passed without", kind: "num" },
    { words: "cells", kind: "num" },
  ] as const;
  return html`
    <section aria-labelledby="answer">
      <h2 id="answer">What it comes to</h2>
      <p>
        ${`No conclusion: ${withoutConclusion(report)}, so that every difference on this page is exploratory.`}
      </p>
      ${rows.length === 0 ? null : longTable({ label: "Uplift per skill", columns, rows })}
    </section>
  `;
}

const tones: Readonly<Record<Conclusion["kind"], string>> = {
  helps: "up",
  hurts: "down",
  no_meaningful_difference: "flat",
  cannot_tell: "open",
};

/** Of two answers the one about tasks like these is the headline, where there is one. */
function headOf({ set, tasks }: ConcludedRow): Conclusion {
  return tasks ?? set;
}

function card(row: ConcludedRow, conclusions: Conclusions, anchors: Anchors): Markup {
  const head = headOf(row);
  const name = row.skill ?? "all skills";
  // A decision is about the first comparison of the plan.
  const decided = isFirst(row, conclusions);
  const found = conclusions.decisions.find(({ skill }) => decided && skill === row.skill);
  const decision = found?.decision ?? null;
  const about = head.question === "tasks" ? "for tasks like these" : "for this set of benchmarks";
  return html`
    <article class=${`answer ${tones[head.kind]}`}>
      <h3>${linked(foreign(name), row.skill === null ? null : anchors.skill(row.skill))}</h3>
      <p class="big">${foreign(head.label)}</p>
      <p class="muted small">${`${about}; ${row.comparison.arm} against ${row.comparison.against}`}</p>
      <p>${foreign(head.reason, 600)}</p>
      ${bullets(head.notes.map((note) => foreign(note, 600)))}
      ${row.tasks === null ? null : setWords(row.set)}
      ${head.take === null ? null : html`<p><strong>To settle it:</strong> ${foreign(head.take, 600)}</p>`}
      ${decision === null ? null : decisionWords(decision, head)}
    </article>
  `;
}

function isFirst({ comparison }: ConcludedRow, { settings }: Conclusions): boolean {
  const [first] = settings.comparisons;
  return first?.arm === comparison.arm && first.against === comparison.against;
}

/** The narrower question, where the other one is the headline. */
function setWords({ label }: Conclusion): Markup {
  return html`<p><strong>About these very benchmarks:</strong> ${foreign(label)}.</p>`;
}

/** Without what the conclusion above it says already. */
function decisionWords({ kind, to, reasons, sections }: Decision, head: Conclusion): Markup {
  const told = [head.reason, ...head.notes];
  const why = reasons.filter((reason) => !told.some((words) => reason.includes(words)));
  const whole = to.length === 0 ? kind : `${kind} to ${to.map((one) => foreign(one)).join(", ")}`;
  const about = sections.length === 0 ? "" : ` About: ${sections.map((one) => foreign(one)).join("; ")}.`;
  return html`<p><strong>Decision: ${whole}.</strong> ${foreign(why.join(" "), 900)}${about}</p>`;
}

function analysed(row: ConcludedRow, rows: readonly AnalysisRow[]): AnalysisRow | null {
  const found = rows.find(
    (one) =>
      one.role === "primary" &&
      one.level === row.level &&
      one.skill === row.skill &&
      one.model === row.model &&
      one.taskClass === row.taskClass &&
      one.comparison.arm === row.comparison.arm &&
      one.comparison.against === row.comparison.against,
  );
  return found ?? null;
}

function concludedTable(conclusions: Conclusions, anchors: Anchors): Markup {
  const { comparisons } = conclusions.settings;
  // Named in every row only where there are several.
  const several = comparisons.length > 1;
  const whole = conclusions.rows.filter(({ level }) => level === "skill");
  const parts = conclusions.rows.filter(({ level }) => level !== "skill");
  const rows = [...whole, ...parts].map((row) => concludedRow(row, conclusions, anchors, several));
  const columns = [
    { words: "skill", kind: "name" },
    { words: "model or class", kind: "name" },
    ...(several ? [{ words: "arms", kind: "keep" } as const] : []),
    { words: "this set" },
    { words: "tasks like these" },
    { words: "uplift, points", kind: "num" },
    { words: "interval", kind: "num" },
    { words: "p, adjusted", kind: "num" },
    // Takes two lines before the table would be wider than the page.
    { words: "passed" },
  ] as const;
  return html`
    ${longTable({ label: "Every conclusion with its figures", columns, rows })}
    <p class="muted small">
      Interval and p are those of tasks like these, where they are asked about; else those of this set.
    </p>
  `;
}

function concludedRow(
  row: ConcludedRow,
  { analysis }: Conclusions,
  anchors: Anchors,
  several: boolean,
): readonly TableCell[] {
  const found = analysed(row, analysis.rows);
  const evidence = found?.evidence ?? null;
  const tested = evidence === null ? null : evidence[headOf(row).question];
  return [
    linked(foreign(row.skill ?? "all skills"), row.skill === null ? null : anchors.skill(row.skill)),
    foreign(row.model ?? row.taskClass ?? "all models"),
    ...(several ? [`${row.comparison.arm} against ${row.comparison.against}`] : []),
    tag(row.set),
    row.tasks === null ? html`<span class="muted">too few tasks</span>` : tag(row.tasks),
    signedPoints(evidence?.uplift ?? null),
    pointsInterval(tested?.interval ?? null),
    tested === null ? "none" : pWords(tested.pAdjusted ?? tested.p),
    found === null ? "unavailable" : [found.treated, found.control].map(slashed).join(" against "),
  ];
}

function slashed({ passed, graded }: AnalysisRow["treated"]): string {
  return `${passed}/${graded}`;
}

function tag({ kind, label }: Conclusion): Markup {
  return html`<span class=${`tag ${tones[kind]}`}>${foreign(label)}</span>`;
}

function reasonsOf({ rows }: Conclusions): Markup {
  const lines = rows.flatMap(({ skill, model, taskClass, set, tasks }) =>
    [set, ...(tasks === null ? [] : [tasks])].map((one) => {
      const whom = [skill ?? "all skills", model ?? taskClass ?? "all models"].map((name) => foreign(name));
      const question = one.question === "set" ? "this set" : "tasks like these";
      const why = [one.reason, ...one.notes, ...(one.take === null ? [] : [one.take])].join(" ");
      return html`<strong>${`${whom.join(", ")}, ${question}: ${foreign(one.label)}.`}</strong>
        ${foreign(why, 900)}`;
    }),
  );
  return html`<details>
    <summary>${`Why: the reasons of all ${rows.length} rows`}</summary>
    ${bullets(lines)}
  </details>`;
}
