import type { Cell, Report } from "../../artefacts/report.ts";
import { groupBy } from "../group-by.ts";
import { type Anchors } from "./anchors.ts";
import { armsOf } from "./arms-of.ts";
import { ofGraded } from "./figures.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import type { TrialRow } from "./trial-row.ts";

/** With more trials the lists of the skills are folded; a link into one unfolds it, so ids stand inside. */
const mostOpen = 200;

/** Every trial that there is, by skill, cell and arm; this is where the figures above lead to. */
export function trialList(report: Report, trials: readonly TrialRow[], anchors: Anchors): Markup {
  const byCell = new Map(
    groupBy(trials, ({ planned }) => keyOf(planned)).map((group) => [keyOf(group[0].planned), group]),
  );
  const skills = groupBy(
    report.cells.filter((cell) => byCell.has(keyOf(cell))),
    ({ skill }) => skill,
  );
  const without = trials.filter(({ href }) => href === null).length;
  const words =
    trials.length === 0 && report.trials.planned > 0
      ? `${report.trials.planned} trials are planned, too many to list on one page. "skillproof view" shows each of them, and trials.csv beside this page lists them.`
      : `${trials.length} of ${report.trials.planned} planned trials listed. ${without === 0 ? "Each leads to a page of its own, with transcript, changed files and grading." : `${trials.length - without} of them have a page of their own, with transcript, changed files and grading.`}`;
  const open = trials.length <= mostOpen;
  const arms = armsOf(report);
  return html`
    <section aria-labelledby="trials">
      <h2 id="trials">All trials</h2>
      <p>${words}</p>
      ${skills.map(
        (cells) =>
          html`<details open=${open}>
            <summary>${`${foreign(cells[0].skill)}: ${cells.length} cell(s)`}</summary>
            <div class="of-skill" id=${anchors.skill(cells[0].skill)}>
              ${cells.map((cell) => cellTrials(cell, byCell.get(keyOf(cell)) ?? [], { anchors, arms, late: !open }))}
            </div>
          </details>`,
      )}
    </section>
  `;
}

function keyOf({ skill, benchmark, model }: Pick<Cell, "skill" | "benchmark" | "model">): string {
  return JSON.stringify([skill, benchmark, model]);
}

/** `late`: the list is so long that its parts are drawn when they come into view. */
type Places = { readonly anchors: Anchors; readonly arms: readonly string[]; readonly late: boolean };

function cellTrials(cell: Cell, trials: readonly TrialRow[], { anchors, arms, late }: Places): Markup {
  // A heading, and a line per arm.
  const size = `contain-intrinsic-size: auto ${(2.4 + 1.4 * Object.keys(cell.arms).length).toFixed(1)}rem`;
  return html`<div
    class=${late ? "trials late" : "trials"}
    style=${late ? size : null}
    id=${anchors.cell(cell)}
  >
    <h3>${foreign(cell.benchmark)} <span class="muted">with ${foreign(cell.model)}</span></h3>
    ${arms.map((arm) => {
      const own = trials.filter(({ planned }) => planned.arm === arm);
      const tally = cell.arms[arm];
      if (own.length === 0 || tally === undefined) return null;
      return html`<ul id=${anchors.arm(cell, arm)}>
        <li>${`${arm}, ${ofGraded(tally)}:`}</li>
        ${own.toSorted((one, other) => one.planned.n - other.planned.n).map(trialItem)}
      </ul>`;
    })}
  </div>`;
}

const marks: Readonly<Record<TrialRow["verdict"], string>> = {
  passed: "✓ passed",
  failed: "✗ failed",
  ungraded: "○ ungraded",
};

function trialItem({ planned, verdict, reason, href }: TrialRow): Markup {
  const words = `${planned.n} ${marks[verdict]}`;
  const why = reason === null ? null : html` <span class="muted">(${foreign(reason, 80)})</span>`;
  return html`<li>${href === null ? words : html`<a href=${href}>${words}</a>`}${why}</li>`;
}
