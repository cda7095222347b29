import type { ArmUsage, Cell, Mean, Report, Uplift } from "../artefacts/report.ts";
import type { Timings } from "../artefacts/timings.ts";
import type { Tally } from "../artefacts/tally.ts";
import { activationSection } from "./activation.ts";
import { conclusionsSection } from "./conclusions-section.ts";
import { equalArmsSection } from "./equal-arms.ts";
import { furtherSection } from "./further/section.ts";
import { points, rate } from "./headline.ts";
import { honestySection } from "./honesty/honesty-section.ts";
import { isolationHeader, isolationRows, isolationSummary, searchedWords } from "./isolation.ts";
import { judgesSection } from "./judges-section.ts";
import { looksSection } from "./looks-section.ts";
import { leaksSection } from "./leaks.ts";
import { leftOutSummary } from "./left-out.ts";
import { moneySection } from "./money-section.ts";
import { sectionMapSection } from "./section-map/section.ts";

const unavailable = "unavailable";

/** report.md: every number with its denominator, what is not known said as such. */
export function renderMarkdown(report: Report, timings: Timings): string {
  const sections = [
    marker(report),
    heading(report, timings),
    warnings(report),
    conclusionsSection(report, { table, plain }),
    equalArmsSection(report, table),
    looksSection(report, { table }),
    upliftTable(report),
    leaksSection(report, { table }),
    cellTable(report),
    usageTable(report),
    secondsTable(timings),
    activationSection(report, table),
    furtherSection(report.further, table),
    sectionMapSection(report.sections, { table, plain }),
    circumstances(report),
    setAside(timings),
    judgesSection(report.judges, { table, plain }),
    honestySection(report.honesty, table),
    moneySection(timings.money, timings.replayed, { table }),
    endpointTable(report),
    isolation(report, timings),
    benchmarkTable(report),
    excludedTable(report),
    provenance(report, timings),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** By which a comment on a pull request is found again; the same for every campaign of the name. */
function marker({ campaign }: Report): string {
  return `<!-- skillproof:${campaign.replace(/-[0-9a-f]{12}$/, "").replace(/[^\w.-]/g, "")} -->`;
}

function heading(report: Report, { replayed }: Timings): string {
  const notice = report.standIn
    ? "**stand-in, not a model**: nothing below says anything about a model.\n\n"
    : "";
  const replay = replayed
    ? "**replayed from a recording**: no model was asked; this is how its answers were graded again.\n\n"
    : "";
  const judges = report.standInJudges
    ? "\n\nJudged questions were answered by a stand-in, not by a panel of models."
    : "";
  const probe =
    report.probe === null
      ? ""
      : "**probe**: these trials choose benchmarks and are counted nowhere else.\n\n";
  return `${notice}${replay}${probe}# ${report.campaign}\n\n${plain(report.headline)}${judges}`;
}

/** Before any number. */
function warnings(report: Report): string {
  return report.warnings.map((words) => `- **Warning**: ${plain(words)}`).join("\n");
}

/** Where the requests went: one endpoint per model for the whole campaign. */
function endpointTable(report: Report): string {
  if (report.endpoints.length === 0) return "";
  const rows = report.endpoints.map((endpoint) => [
    endpoint.model,
    endpoint.tag ?? "the only one",
    endpoint.provider ?? "not told",
    endpoint.quantization ?? "unknown",
    endpoint.contextLength === null ? "unknown" : String(endpoint.contextLength),
    endpoint.prices === null ? "unknown" : `${endpoint.prices.prompt} / ${endpoint.prices.completion}`,
  ]);
  const header = ["model", "endpoint", "provider", "quantization", "window", "$ per input / output token"];
  return `## Endpoints\n\n${table(header, rows)}`;
}

function upliftTable(report: Report): string {
  const rows: string[][] = [
    ...report.perSkillAndModel.map((row) => [row.skill, row.model, ...upliftColumns(row)]),
    ...report.perSkill.map((row) => [row.skill, "all models", ...upliftColumns(row)]),
    ["all skills", "all models", ...upliftColumns(report.pooled)],
  ];
  return `## Uplift\n\n${table(["skill", "model", "uplift", "with", "without", "cells (complete)"], rows)}`;
}

function upliftColumns(row: Uplift): string[] {
  const uplift = row.uplift === null ? unavailable : points(row.uplift);
  return [uplift, rate(row.with), rate(row.without), `${row.cells} (${row.completeCells})`];
}

function cellTable(report: Report): string {
  const rows = report.cells.map((cell) => [
    `${cell.skill}/${cell.benchmark}`,
    cell.model,
    armColumn(cell.arms.with_skill),
    armColumn(cell.arms.without_skill),
    cellUplift(cell),
  ]);
  const header = ["benchmark", "model", "with: passed/graded/planned", "without", "uplift"];
  return `## Benchmarks\n\n${table(header, rows)}`;
}

function armColumn(tally: Tally | undefined): string {
  return tally === undefined ? "not planned" : `${tally.passed}/${tally.graded}/${tally.planned}`;
}

function cellUplift(cell: Cell): string {
  if (cell.uplift === null) return unavailable;
  return cell.complete ? points(cell.uplift) : `${points(cell.uplift)} (trials missing)`;
}

function usageTable(report: Report): string {
  const header = ["skill", "model", "arm", "input", "uncached", "cached", "output", "cost", "model calls"];
  const more = ["tool calls", "peak context"];
  const rows = report.usage.map((row) => [row.skill, row.model, row.arm, ...usageColumns(row)]);
  return `## Per trial, mean over finished trials\n\n${table([...header, ...more], rows)}`;
}

function usageColumns(row: ArmUsage): string[] {
  return [
    mean(row.inputTokens, 0),
    mean(row.uncachedInputTokens, 0),
    mean(row.cachedInputTokens, 0),
    mean(row.outputTokens, 0),
    row.costUsd.mean === null ? unavailable : `$${mean(row.costUsd, 4)}`,
    mean(row.modelCalls, 1),
    mean(row.toolCalls, 1),
    mean(row.peakContextTokens, 0),
  ];
}

/** Load and servers differ from one execution to another: of the arms' times only the difference within one tells. */
function secondsTable({ seconds }: Timings): string {
  const rows = seconds.map((row) => [
    row.skill,
    row.model,
    row.arm,
    mean(row.agentSeconds, 1),
    mean(row.waitingSeconds, 1),
  ]);
  return `## Seconds per trial, of this execution\n\n${table(["skill", "model", "arm", "agent", "waiting"], rows)}`;
}

/** A mean says of how many trials it is when not all of them reported the figure. */
function mean(value: Mean, digits: number): string {
  if (value.mean === null) return unavailable;
  const figure = value.mean.toFixed(digits);
  return value.known === value.of ? figure : `${figure} (${value.known} of ${value.of})`;
}

function circumstances(report: Report): string {
  const stops = table(
    ["arm", "stopped because", "trials"],
    report.stops.map(({ arm, stop, trials }) => [arm, stop, String(trials)]),
  );
  const lost = [
    ...report.voids.map(
      ({ model, arm, lost: voids, attempts }) =>
        `${plain(model)}, ${arm}: ${voids} of ${attempts} attempt(s) lost to infrastructure`,
    ),
    ...report.notComparable.map(
      ({ block, blocked }) =>
        `${code(block)} is not comparable: an input filter blocked ${blocked.join(", ")} and not the rest`,
    ),
    ...report.graderErrors.map(({ arm, trials }) => `${arm}: ${trials} trial(s) failed by a grader error`),
  ];
  const ungraded = report.ungraded.map(({ trial, reason }) => `- ${code(trial)}: ${plain(reason)}`);
  return [
    `## How trials ended\n\n${stops}`,
    lost.map((words) => `- ${words}`).join("\n"),
    ungraded.length === 0 ? "Every planned trial was graded." : `### Ungraded\n\n${ungraded.join("\n")}`,
    leftOut(report),
  ].join("\n\n");
}

/** Of this execution: torn records, and that their trials were made again. */
function setAside({ setAside: rows }: Timings): string {
  if (rows.length === 0) return "";
  const lines = rows.map(({ trial, what, reason }) => `- ${code(trial)}, its ${what}: ${plain(reason)}`);
  return `### Set aside and made again\n\n${lines.join("\n")}`;
}

function leftOut(report: Report): string {
  const rows = report.leftOut.trials.map(({ trial, arm, words }) => [trial, arm, words]);
  const summary = leftOutSummary(report.leftOut);
  return rows.length === 0
    ? summary
    : `### Snapshots over a limit\n\n${summary}\n\n${table(["trial", "arm", "left out"], rows)}`;
}

function isolation(report: Report, timings: Timings): string {
  const summary = `## Isolation\n\n${isolationSummary(report.isolation, timings)}`;
  if (report.isolation.length === 0) return summary;
  const searched = timings.canaries.map((canary) => `- ${plain(searchedWords(canary))}`).join("\n");
  const probes = table(isolationHeader, isolationRows(timings));
  return [summary, searched, probes].join("\n\n");
}

function benchmarkTable(report: Report): string {
  const rows = report.benchmarks.map((row) => [
    `${row.skill}/${row.benchmark}`,
    row.title,
    row.judged ? (row.standInJudges ? "judged (gate: stand-in)" : "judged") : "program",
    row.checks.join(", "),
    row.backend === null ? "unknown" : `${row.backend}${row.isolated === false ? " (not isolated)" : ""}`,
  ]);
  return `## Benchmarks used\n\n${table(["benchmark", "title", "grader", "gate", "author"], rows)}`;
}

/** Left out before the first trial, because a probe found no room on them. */
function excludedTable({ excluded }: Report): string {
  if (excluded.length === 0) return "";
  const rows = excluded.map(({ skill, benchmark, mark }) => [`${skill}/${benchmark}`, mark]);
  return `## Benchmarks left out for want of headroom\n\n${table(["benchmark", "a probe found"], rows)}`;
}

function provenance(report: Report, { evidenceHead }: Timings): string {
  const head = evidenceHead ?? "none";
  return `Inputs ${code(report.inputsHash)}; evidence head ${code(head)}.`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(" | ")} |`;
  return [line(header), `|${header.map(() => " --- |").join("")}`, ...rows.map(line)].join("\n");
}

/**
 * Text from models and files must not break the table, become markup, call somebody by name, turn into a link or turn
 * the direction of what stands beside it.
 */
function plain(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\\|<>[\]`*_#~&]/g, (character) => `\\${character}`)
    .replace(/@(?=\w)|\b(?:https?|ftp):(?=\/\/)|\bwww(?=\.)/gi, "$&\u2060");
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}
