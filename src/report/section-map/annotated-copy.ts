import type { KeptSections, MappedSection, SectionMap } from "../../artefacts/section-map.ts";
import { foreign } from "../html/foreign.ts";
import { ruleWords } from "./note.ts";
import { type DocumentPart, headingLines, partsOf } from "./parts.ts";
import {
  ablationWords,
  benchmarkWords,
  effectWords,
  summaryWords,
  tokenWords,
  verdictWords,
} from "./words.ts";

/**
 * The skill's own text as Markdown, with one quoted line behind each heading that has text: what the section costs and
 * what was seen of it. Control characters and marks that turn the direction of text are shown by their code.
 */
export function annotatedCopy(map: SectionMap, kept: KeptSections): string {
  const documents = kept.documents.map((document) => {
    const parts = partsOf(document, map.sections).map((part) => partOf(part, map));
    return [`**File ${literal(document.file)}**`, ...parts].join("\n\n");
  });
  const about =
    "The skill's text as it was planned. Lines that begin with **skillproof** are notes; all others are the skill's.";
  const head = [about, ...summaryWords(map), ruleWords(map)].map((words) => `> ${inLine(words, about)}`);
  return `${[`# ${plain(map.skill)}, annotated`, head.join("\n>\n"), ...documents].join("\n\n---\n\n")}\n`;
}

function partOf({ kind, section, lines }: DocumentPart, map: SectionMap): string {
  const text = shown(lines.join("\n"));
  if (kind === "frontmatter") return fenced(text);
  if (section === null) return text;
  const heading = headingLines(lines, section);
  const [above, below] = [lines.slice(0, heading), lines.slice(heading)].map((part) =>
    shown(part.join("\n")),
  );
  const parts = [above ?? "", noteLine(section, map), (below ?? "").replace(/^\n+/, "")];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** One line: cost, benchmarks, effect, ablation, note. */
export function noteLine(section: MappedSection, map: SectionMap): string {
  const facts = [
    tokenWords(section.tokens, map.tokens),
    `benchmarks: ${benchmarkWords(section)}`,
    ...(section.uplift === null ? [] : [`uplift ${effectWords(section.uplift)}`]),
    ...(section.ablation === null ? [] : [`against the skill without it: ${ablationWords(section)}`]),
  ];
  return `> **skillproof**: ${plain(facts.join(" · "))} · **${plain(verdictWords(section))}**`;
}

/** Our own first sentence holds the only markup of the head. */
function inLine(words: string, own: string): string {
  return words === own ? words : plain(words);
}

function plain(text: string): string {
  return foreign(text, 4000).replace(/[\\|<>[\]`*_&~#]/g, (character) => `\\${character}`);
}

function literal(text: string): string {
  return `\`${foreign(text).replaceAll("`", "'")}\``;
}

/** A fence that nothing in the text closes. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}yaml\n${text}\n${fence}`;
}

/**
 * Of more than one line: everything that a reader of Markdown or a terminal would obey and not show, by its code. What
 * looks like one of our notes loses its emphasis.
 */
function shown(text: string): string {
  const own = text.replace(/[*_]+(?=skillproof)/gi, (marks) => marks.replace(/[*_]/g, "\\$&"));
  return own.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu, (mark) =>
    mark === "\n" || mark === "\t"
      ? mark
      : `[U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}
