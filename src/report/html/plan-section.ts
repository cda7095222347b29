import type { Report } from "../../artefacts/report.ts";
import type { Timings } from "../../artefacts/timings.ts";
import { armsOf } from "./arms-of.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { withoutConclusion } from "./no-conclusion.ts";
import { dataTable, facts, longTable, type TableCell } from "./table.ts";

/** What was fixed before the first trial, and where requests went. */
export function planSection(report: Report, { evidenceHead }: Timings): Markup {
  const { settings, conclusions, trials, cells, inputsHash } = report;
  const arms = armsOf(report);
  return html`
    <section aria-labelledby="plan">
      <h2 id="plan">The plan</h2>
      ${facts([
        [
          "Hypotheses",
          conclusions === null
            ? `none concluded: ${withoutConclusion(report)}; every difference is exploratory`
            : hypothesesWords(conclusions.settings),
        ],
        [
          "Trials",
          `${trials.planned} planned: ${settings.trials} per arm in each of ${cells.length} benchmark × model cells`,
        ],
        ["Arms", arms.length === 0 ? "none" : arms.map((arm) => foreign(arm)).join(", ")],
        ["Models", settings.models.map((model) => foreign(model)).join(", ")],
        [
          "Judges",
          settings.judges.length === 0 ? "none" : settings.judges.map((judge) => foreign(judge)).join(", "),
        ],
        ["Delivery", deliveryWords[settings.delivery]],
        [
          "Order",
          `blocks of one trial per arm back to back, arms in an order fixed by seed ${settings.seed}; repetitions outermost`,
        ],
        [
          "Limits of a trial",
          Object.entries(settings.limits)
            .map(([name, value]) => `${name} ${value}`)
            .join(", ") || "none",
        ],
        ["Hash of the inputs", html`<code>${inputsHash}</code>`],
        ["Head of the evidence", evidenceHead === null ? "none yet" : html`<code>${evidenceHead}</code>`],
      ])}
      ${conclusions === null ? null : html`<p class="muted">${ruleWords(conclusions.settings)}</p>`}
      ${benchmarks(report)} ${excluded(report)} ${endpoints(report)}
    </section>
  `;
}

const deliveryWords: Readonly<Record<Report["settings"]["delivery"], string>> = {
  inject: "SKILL.md in the system prompt, its files read-only at /skill",
  discover: "names and descriptions only; agents choose whether to open a skill",
};

type Rules = NonNullable<Report["conclusions"]>["settings"];

function hypothesesWords({ comparisons }: Rules): string {
  return comparisons.map(({ arm, against }) => `${foreign(arm)} against ${foreign(against)}`).join("; ");
}

function ruleWords({ alpha, sides, delta, family, midP, minTasks }: Rules): string {
  return (
    `Frozen before the first trial: α ${alpha}, ${sides}-sided, margin of no meaningful difference ±${(delta * 100).toFixed(0)} points, ` +
    `${family === "holm" ? "Holm" : "Benjamini–Hochberg"} over each level, ${midP ? "mid-p" : "exact p"}; about tasks like these ` +
    `something is said from ${minTasks} tasks on. Intervals are not adjusted for several comparisons.`
  );
}

function benchmarks({ benchmarks: rows }: Report): Markup | null {
  if (rows.length === 0) return null;
  const columns = [
    { words: "benchmark", kind: "name" },
    { words: "title", kind: "name" },
    { words: "grader" },
    { words: "author" },
    { words: "gate" },
  ] as const;
  const cells = rows.map((row): TableCell[] => [
    `${foreign(row.skill)}/${foreign(row.benchmark)}`,
    foreign(row.title),
    row.judged ? (row.standInJudges ? "judged (gate: stand-in)" : "judged") : "program",
    row.backend === null
      ? "unknown"
      : `${foreign(row.backend)}${row.isolated === false ? " (not isolated)" : ""}`,
    `${row.checks.length} checks passed: ${row.checks.join(", ")}`,
  ]);
  return html`<details>
    <summary>${`The ${rows.length} benchmarks and the checks that they passed`}</summary>
    ${longTable({ label: "Benchmarks used", columns, rows: cells })}
  </details>`;
}

function excluded({ excluded: rows }: Report): Markup | null {
  if (rows.length === 0) return null;
  const columns = [
    { words: "benchmark left out for want of headroom", kind: "name" },
    { words: "a probe found" },
  ] as const;
  const cells = rows.map(({ skill, benchmark, mark }): TableCell[] => [
    `${foreign(skill)}/${foreign(benchmark)}`,
    mark,
  ]);
  return longTable({ label: "Benchmarks left out before the first trial", columns, rows: cells });
}

function endpoints({ endpoints: rows }: Report): Markup | null {
  if (rows.length === 0) return null;
  const names = ["model", "endpoint", "provider", "quantization", "window", "$ per input / output token"];
  const cells = rows.map((endpoint) =>
    [
      endpoint.model,
      endpoint.tag ?? "the only one",
      endpoint.provider ?? "not told",
      endpoint.quantization ?? "unknown",
      endpoint.contextLength === null ? "unknown" : String(endpoint.contextLength),
      endpoint.prices === null ? "unknown" : `${endpoint.prices.prompt} / ${endpoint.prices.completion}`,
    ].map((text) => foreign(text)),
  );
  return html`<h3>Where the requests went</h3>
    ${dataTable({ label: "Endpoint of each model", columns: names.map((words) => ({ words })), rows: cells })}`;
}
