import type { CampaignComparison, Change, ComparedRow } from "../artefacts/comparison.ts";
import { kindWords } from "./verdict.ts";
import { counted, percent, points, pValue, range, signed, tallyWords } from "./words.ts";

/** How many rows of one table are printed; the rest is counted, and stands in the JSON. */
const most = 200;

/** What `regression` means, wherever it is asked for. */
function regressionWords(alpha: number): string {
  return (
    `A skill (or skill × model) is a *regression* when its arm passes less often in B than in A over the cells that both ` +
    `have: the whole ${percent(1 - alpha)} interval of the difference lies below 0, the exact p after Holm over the rows of ` +
    `its level is at most ${alpha}, its uplift fell too, and no trial without a verdict could change that.`
  );
}

/** The line by which a pull request's comment is found again, so that it is replaced. */
function markerOf({ b }: Pick<CampaignComparison, "b">): string {
  return `<!-- skillproof-compare:${b.name.replace(/[^A-Za-z0-9._]+/g, "-")} -->`;
}

export function comparisonMarkdown(comparison: CampaignComparison): string {
  const sections = [
    markerOf(comparison),
    heading(comparison),
    comparison.warnings.map((words) => `- **Note**: ${plain(words)}`).join("\n"),
    skillsTable(comparison),
    reasons(comparison),
    fellTable(comparison),
    conclusionsTable(comparison),
    cellsTable(comparison),
    usageTable(comparison),
    leftOutTable(comparison),
    rule(comparison),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function heading(comparison: CampaignComparison): string {
  const { a, b, rows } = comparison;
  return `# ${plain(sideName(b))} against ${plain(sideName(a))}\n\n${headlineOf(comparison)}${rows.length === 0 ? "" : `\n\nA, the baseline: ${code(a.campaign)}, arm ${code(a.arm)}. B: ${code(b.campaign)}, arm ${code(b.arm)}. Control: ${code(comparison.control)}.`}`;
}

function sideName({ campaign, arm }: CampaignComparison["a"]): string {
  return `${campaign} (${arm})`;
}

/** One sentence: how many skills got worse, better or neither. */
export function headlineOf({ rows }: Pick<CampaignComparison, "rows">): string {
  const skills = rows.filter(({ level }) => level === "skill");
  const named = (kind: NonNullable<ComparedRow["verdict"]>["kind"]): readonly string[] =>
    skills.filter(({ verdict }) => verdict?.kind === kind).map(({ skill }) => plain(skill));
  const parts = (["regression", "improvement", "drift", "no_meaningful_difference", "cannot_tell"] as const)
    .map((kind) => ({ kind, skills: named(kind) }))
    .filter((part) => part.skills.length > 0)
    .map((part) => `${kindWords[part.kind]}: ${part.skills.join(", ")}`);
  return `Of ${counted(skills.length, "skill")} compared: ${parts.length === 0 ? "nothing" : parts.join("; ")}.`;
}

const columns = [
  "verdict",
  "uplift A",
  "uplift B",
  "difference of uplifts",
  "passed A",
  "passed B",
  "difference",
  "p",
];

function skillsTable({ rows, settings }: CampaignComparison): string {
  const told = rows
    .filter(({ level }) => level !== "cell")
    .map((row) => [row.skill, row.model ?? "all models", ...figures(row)]);
  const title = `## Skills\n\nDifferences are B − A in points, with ${percent(1 - settings.alpha)} intervals for this set of benchmarks; p is exact, after Holm.`;
  return `${title}\n\n${table(["skill", "model", ...columns], told)}`;
}

function cellsTable({ rows }: CampaignComparison): string {
  const told = rows
    .filter(({ level }) => level === "cell")
    .map((row) => [`${row.skill}/${row.benchmark ?? ""}`, row.model ?? "", ...figures(row).slice(1)]);
  const header = ["benchmark", "model", ...columns.slice(1)];
  return `## Benchmarks\n\nA description: nothing is concluded from one cell, and p is not adjusted.\n\n${table(header, told)}`;
}

function figures({ verdict, uplift, arm, rate }: ComparedRow): readonly string[] {
  const set = rate.change.set;
  return [
    verdict === null ? "" : kindWords[verdict.kind],
    uplift === null ? "unavailable" : signed(uplift.a),
    uplift === null ? "unavailable" : signed(uplift.b),
    uplift === null ? "unavailable" : changeWords(uplift.change),
    tallyWords(arm.a),
    tallyWords(arm.b),
    changeWords(rate.change),
    pValue(set.pAdjusted ?? set.p ?? 1),
  ];
}

function changeWords({ estimate, set }: Change): string {
  return `${signed(estimate)} (${range(set.interval)})`;
}

function reasons({ rows }: CampaignComparison): string {
  return rows
    .filter(({ level }) => level === "skill")
    .map(({ skill, verdict, rate, uplift }) => {
      const general = uplift?.change ?? rate.change;
      return `- **${plain(skill)}: ${kindWords[verdict?.kind ?? "cannot_tell"]}**. ${plain(verdict?.reason ?? "")} ${generalWords(general, uplift !== null)}`;
    })
    .join("\n");
}

/** What the tasks say of others like them. */
function generalWords({ tasks }: Change, ofUplift: boolean): string {
  if (tasks === null) return "One cell says nothing about tasks like these.";
  const what = ofUplift ? "uplift" : "pass rate";
  const interval =
    tasks.interval === null
      ? "no interval for tasks like these"
      : `tasks like these: ${range(tasks.interval)}`;
  return (
    `By task, the ${what} rose on ${tasks.better} and fell on ${tasks.worse} of ${counted(tasks.count, "task")} ` +
    `(sign-flip ${pValue(tasks.p)}${tasks.exact ? "" : ", drawn"}; ${interval}).`
  );
}

function fellTable({ fell, settings, rows }: CampaignComparison): string {
  const of = rows.filter(({ level }) => level === "cell").length;
  if (fell.length === 0) return `No cell of ${of} fell by ${points(settings.harmedFrom).slice(1)} or more.`;
  const told = fell.map(({ skill, benchmark, model, a, b }) => [
    ...[`${skill}/${benchmark}`, model, tallyWords(a), tallyWords(b)],
  ]);
  return `## Fell by ${points(settings.harmedFrom).slice(1)} or more: ${fell.length} of ${of} cells\n\n${table(["benchmark", "model", "passed A", "passed B"], told)}`;
}

function conclusionsTable({ conclusions }: CampaignComparison): string {
  const changed = conclusions.filter(({ a, b }) => a !== b);
  if (conclusions.length === 0) return "";
  const of = counted(conclusions.length, "conclusion");
  if (changed.length === 0) return `## Conclusions\n\nThe same in A and B: ${of}.`;
  const told = changed.map(({ skill, model, question, a, b, worse }) => [
    ...[skill, model ?? "all models", question === "tasks" ? "tasks like these" : "this set"],
    ...[a.replaceAll("_", " "), b.replaceAll("_", " "), worse ? "worse" : ""],
  ]);
  const header = ["skill", "model", "about", "A", "B", ""];
  return `## Conclusions that changed: ${changed.length} of ${of}\n\n${table(header, told)}`;
}

function usageTable({ usage }: CampaignComparison): string {
  const told = usage.map(({ skill, model, inputTokens, outputTokens, costUsd }) => [
    ...[skill, model, inputTokens.words, outputTokens.words, costUsd.words],
  ]);
  return `## Per trial, B ÷ A\n\n${table(["skill", "model", "input tokens", "output tokens", "cost"], told)}`;
}

function leftOutTable({ leftOut }: CampaignComparison): string {
  if (leftOut.length === 0) return "";
  const told = leftOut.map(({ skill, benchmark, model, reason }) => [
    ...[skill === null ? "all" : `${skill}/${benchmark ?? "all"}`, model ?? "all", reason],
  ]);
  return `## Not compared: ${leftOut.length}\n\n${table(["benchmark", "model", "why"], told)}`;
}

function rule({ settings }: CampaignComparison): string {
  return `${regressionWords(settings.alpha)} *Drift*: it passes less, or more, often, and its uplift did not move that way.`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(" | ")} |`;
  const more = rows.length > most ? `\n\n${rows.length - most} of ${rows.length} more rows: see --json.` : "";
  return `${[line(header), `|${header.map(() => " --- |").join("")}`, ...rows.slice(0, most).map(line)].join("\n")}${more}`;
}

/** Names come from folders and servers: they must not become markup, mentions, links or orders to a terminal. */
function plain(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line
    .replace(/[\\|<>[\]`*_#~&]/g, (character) => `\\${character}`)
    .replace(/@(?=\w)|:(?=\/\/)|\bwww(?=\.)/gi, "$&\u2060");
}

function code(text: string): string {
  return `\`${text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]+/gu, " ")}\``;
}
