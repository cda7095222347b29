import type { Report } from "../../artefacts/report.ts";
import type { Timings } from "../../artefacts/timings.ts";
import { isolationHeader, isolationRows, isolationSummary, searchedWords } from "../isolation.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { bullets, dataTable, longTable, type TableCell } from "./table.ts";

/** What canaries found: that containers were closed is proven here, or said not to be. */
export function isolationSection({ isolation }: Report, timings: Timings): Markup {
  const summary = html`<p>${isolationSummary(isolation, timings)}</p>`;
  return html`
    <section aria-labelledby="isolation">
      <h2 id="isolation">Isolation</h2>
      ${summary} ${isolation.length === 0 ? null : evidence(isolation, timings)}
    </section>
  `;
}

function evidence(isolation: Report["isolation"], timings: Timings): Markup {
  const arms = isolation.map(({ skill, arm, passed, probes }): TableCell[] => [
    `${foreign(skill)}, ${foreign(arm)}`,
    verdictTag(passed),
    `${probes.filter((probe) => probe.passed).length} of ${probes.length}`,
    probes.flatMap(({ probe, passed: sound }) => (sound ? [] : [probe.replaceAll("_", " ")])).join(", ") ||
      "none",
  ]);
  const armColumns = [
    { words: "skill and arm", kind: "name" },
    { words: "containers" },
    { words: "probes passed", kind: "num" },
    { words: "failed" },
  ] as const;
  const verdict = isolationHeader.indexOf("verdict");
  const rows = isolationRows(timings).map((row) =>
    row.map((cell, at) => (at === verdict ? verdictTag(cell === "passed") : foreign(cell))),
  );
  const columns = isolationHeader.map((words) => ({ words }));
  return html`
    ${dataTable({ label: "Probes per arm", columns: armColumns, rows: arms })}
    <details>
      <summary>${`Each of the ${rows.length} probes: what was expected and what was found`}</summary>
      ${longTable({ label: "Every probe with what it found", columns, rows })}
    </details>
    <details>
      <summary>${`How much the ${timings.canaries.length} probe containers searched`}</summary>
      ${bullets(timings.canaries.map((canary) => foreign(searchedWords(canary), 600)))}
    </details>
  `;
}

function verdictTag(passed: boolean): Markup {
  return passed
    ? html`<span class="tag passed">✓ passed</span>`
    : html`<span class="tag failed">✗ failed</span>`;
}
