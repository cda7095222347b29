import type { MappedSection, SectionMap } from "../../artefacts/section-map.ts";
import { groupBy } from "../group-by.ts";
import { foreign } from "../html/foreign.ts";
import { ruleWords } from "./note.ts";
import {
  ablationWords,
  benchmarkWords,
  effectWords,
  missingWords,
  summaryWords,
  tokenWords,
  verdictWords,
} from "./words.ts";

type Render = {
  readonly table: (header: readonly string[], rows: readonly (readonly string[])[]) => string;
  readonly plain: (text: string) => string;
};

/** A comment on a pull request holds 65,536 characters. */
const mostRows = 40;

/** Which sections of each skill carry its effect, in report.md. */
export function sectionMapSection(maps: readonly SectionMap[], render: Render): string {
  if (maps.length === 0) return "";
  const parts = maps.map((map) => mapOf(map, render));
  const rules = maps.filter(({ missing }) => missing === null).map(ruleWords);
  return ["## Sections of the skill", ...parts, ...new Set(rules)].join("\n\n");
}

function mapOf(map: SectionMap, { table, plain }: Render): string {
  const title = `### ${plain(foreign(map.skill))}`;
  if (map.missing !== null) return `${title}\n\n${plain(sentence(missingWords(map.missing, map.skill)))}`;
  const summary = summaryWords(map)
    .map((words) => `- ${plain(words)}`)
    .join("\n");
  if (map.sections.length === 0) return `${title}\n\nIt has no section with text.\n\n${summary}`;
  const ablated = map.sections.some(({ ablation }) => ablation !== null);
  const rows = groupBy(map.sections, evidenceKey).map((group) => rowOf(group, map, ablated));
  const whole = ablated ? ["whole against without it"] : [];
  const header = ["sections", "tokens", "benchmarks", "uplift", ...whole, "note"];
  const cut = rows.length > mostRows ? `The first ${mostRows} of ${rows.length} rows are shown. ` : "";
  const more = `${cut}Every section by itself stands in the annotated copy beside this report: sections/${map.skill}.md.`;
  return [title, summary, table(header, rows.slice(0, mostRows)), plain(foreign(more, 1000))].join("\n\n");
}

/** Sections of one cluster share their benchmarks, and those that one arm leaves out their ablation. */
function evidenceKey({ name, cluster, boilerplate, ablation, note, basis }: MappedSection): string {
  return JSON.stringify([cluster ?? `alone ${name}`, boilerplate, ablation?.arm ?? null, note, basis]);
}

function rowOf(
  group: readonly [MappedSection, ...MappedSection[]],
  map: SectionMap,
  ablated: boolean,
): readonly string[] {
  const [first, ...others] = group;
  const tokens = group.reduce((sum, section) => sum + section.tokens, 0);
  const names = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
  return [
    `${names}${first.boilerplate ? " (about the skill)" : ""}`,
    tokenWords(tokens, map.tokens),
    benchmarkWords(first),
    first.uplift === null ? "no benchmark" : effectWords(first.uplift),
    ...(ablated ? [ablationWords(first)] : []),
    verdictWords(first),
  ].map((cell) => foreign(cell, 1000));
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
