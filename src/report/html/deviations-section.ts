import type { Report } from "../../artefacts/report.ts";
import type { Timings } from "../../artefacts/timings.ts";
import { leftOutSummary } from "../left-out.ts";
import { trialName } from "../outcome.ts";
import { type Anchors, linked } from "./anchors.ts";
import { armsOf } from "./arms-of.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { bullets, dataTable, longTable, type TableCell } from "./table.ts";
import type { TrialRow } from "./trial-row.ts";

/** What did not go as planned, per arm, each trial with its link: a reader must see whether arms differ. */
export function deviationsSection(
  report: Report,
  { setAside }: Timings,
  { trials, anchors }: { readonly trials: readonly TrialRow[]; readonly anchors: Anchors },
): Markup {
  const hrefs = new Map(trials.map(({ planned, href }) => [trialName(planned), href]));
  const nameOf = (trial: string): TableCell => {
    const href = hrefs.get(trial) ?? null;
    return href === null ? foreign(trial) : html`<a href=${href}>${foreign(trial)}</a>`;
  };
  return html`
    <section aria-labelledby="deviations">
      <h2 id="deviations">Deviations</h2>
      ${stops(report, anchors)} ${voids(report, anchors)} ${others(report)} ${ungraded(report, nameOf)}
      ${leftOut(report, nameOf)} ${madeAgain(setAside, nameOf)}
    </section>
  `;
}

type NameOf = (trial: string) => TableCell;

function stops(report: Report, anchors: Anchors): Markup {
  const arms = armsOf(report);
  const kinds = [...new Set(report.stops.map(({ stop }) => stop))];
  const ended = (arm: string): number =>
    report.stops.reduce((sum, row) => sum + (row.arm === arm ? row.trials : 0), 0);
  const rows = kinds.map((kind): TableCell[] => [
    linked(kind.replaceAll("_", " "), anchors.all),
    ...arms.map((arm) => {
      const found = report.stops.find((row) => row.arm === arm && row.stop === kind);
      return `${found?.trials ?? 0} of ${ended(arm)}`;
    }),
  ]);
  const columns = [
    { words: "why agents stopped" },
    ...arms.map((words) => ({ words, kind: "num" as const })),
  ];
  return html`<h3>How trials ended</h3>
    ${
      rows.length === 0
        ? html`<p>No trial has ended yet.</p>`
        : dataTable({ label: "Why agents stopped, per arm", columns, rows })
    }`;
}

function voids({ voids: rows }: Report, anchors: Anchors): Markup {
  const lost = rows.reduce((sum, row) => sum + row.lost, 0);
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
  const columns = [
    { words: "model", kind: "name" },
    { words: "arm" },
    { words: "lost", kind: "num" },
  ] as const;
  const cells = rows.map((row): TableCell[] => [
    linked(foreign(row.model), anchors.all),
    row.arm,
    row.attempts === 0 ? "no attempt" : `${row.lost} of ${row.attempts}`,
  ]);
  return html`<h3>Lost to infrastructure</h3>
    <p>
      ${`${lost} of ${attempts} attempt(s) at trials were void: lost to containers, disks or providers, and made again where that was possible. None of them counts as a failure.`}
    </p>
    ${lost === 0 ? null : longTable({ label: "Attempts lost to infrastructure, per model and arm", columns, rows: cells })}`;
}

function others({ notComparable, graderErrors }: Report): Markup | null {
  return bullets([
    ...notComparable.map(
      ({ block, blocked }) =>
        `${foreign(block)} is not comparable: an input filter blocked ${blocked.join(", ")} and not the rest.`,
    ),
    ...graderErrors
      .filter(({ trials }) => trials > 0)
      .map(
        ({ arm, trials }) =>
          `${arm}: ${trials} trial(s) failed by an error of the grader, which counts as failed.`,
      ),
  ]);
}

const causes: Readonly<Record<Report["ungraded"][number]["cause"], string>> = {
  missing: "missing; the same command tries again",
  judges_unreached: "judges could not be reached; the same command tries again",
  blocked: "blocked by an input filter; it stays so",
  undecided: "judges did not agree; it stays so",
};

function ungraded({ ungraded: rows, trials }: Report, nameOf: NameOf): Markup {
  if (rows.length === 0)
    return html`<h3>Without a verdict</h3>
      <p>${`None: ${trials.graded} of ${trials.planned} planned trials were graded.`}</p>`;
  const columns = [
    { words: "trial", kind: "name" },
    { words: "arm" },
    { words: "cause" },
    { words: "reason", kind: "name" },
  ] as const;
  const cells = rows.map(({ trial, arm, cause, reason }): TableCell[] => [
    nameOf(trial),
    arm,
    causes[cause],
    foreign(reason),
  ]);
  return html`<h3>Without a verdict</h3>
    <p>${`${rows.length} of ${trials.planned} planned trials. They are in no pass rate.`}</p>
    ${longTable({ label: "Trials without a verdict", columns, rows: cells })}`;
}

function leftOut({ leftOut: snapshots }: Report, nameOf: NameOf): Markup {
  const columns = [
    { words: "trial", kind: "name" },
    { words: "arm" },
    { words: "left out", kind: "name" },
  ] as const;
  const cells = snapshots.trials.map(({ trial, arm, words }): TableCell[] => [
    nameOf(trial),
    arm,
    foreign(words),
  ]);
  return html`<h3>Snapshots over a limit</h3>
    <p>${leftOutSummary(snapshots)}</p>
    ${cells.length === 0 ? null : longTable({ label: "Snapshots that leave something out", columns, rows: cells })}`;
}

function madeAgain(rows: Timings["setAside"], nameOf: NameOf): Markup | null {
  if (rows.length === 0) return null;
  const columns = [
    { words: "trial", kind: "name" },
    { words: "what" },
    { words: "reason", kind: "name" },
  ] as const;
  const cells = rows.map(({ trial, what, reason }): TableCell[] => [nameOf(trial), what, foreign(reason)]);
  return html`<h3>Set aside and made again</h3>
    ${longTable({ label: "Trials that were set aside and made again", columns, rows: cells })}`;
}
