import type { KeptSections, MappedSection, SectionMap, SectionNote } from "../../artefacts/section-map.ts";
import { foreign } from "../html/foreign.ts";
import { html, type Markup } from "../html/markup.ts";
import { unavailable } from "../html/figures.ts";
import { page } from "../html/page.ts";
import { bullets, longTable } from "../html/table.ts";
import { visible } from "../trial-page/foreign.ts";
import { ruleWords } from "./note.ts";
import { type DocumentPart, partsOf } from "./parts.ts";
import {
  ablationWords,
  benchmarkWords,
  counted,
  effectWords,
  noteWords,
  summaryWords,
  tokenWords,
  verdictWords,
} from "./words.ts";

/** Two columns that stand below each other where there is no room. */
const row = "display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:flex-start";
const text = "flex:3 1 26rem;min-width:0;margin-block:0.5rem 0";
const margin = "flex:1 1 14rem;min-width:0";

/** The skill's text, as text, with a note beside each of its sections. */
export function annotatedPage(map: SectionMap, kept: KeptSections): string {
  const body = html`
    <p class="kicker">Section map</p>
    <h1>${foreign(map.skill)}: which sections carry the effect</h1>
    <p class="lead">${sizeWords(map)}</p>
    ${bullets(summaryWords(map))}
    <details>
      <summary>How the notes are made</summary>
      <p class="small">${ruleWords(map)}</p>
    </details>
    ${map.sections.length === 0 ? null : overview(map)}
    ${kept.documents.map((document, index) => documentPart(document, { map, index }))}
  `;
  const contents = kept.documents.map(({ file }, index) => ({ id: idOf(index), words: foreign(file) }));
  return page({ title: `Section map of ${foreign(map.skill)}`, body, depth: 1, contents });
}

function idOf(index: number): string {
  return `document-${index + 1}`;
}

function sizeWords({ sections, tokens, benchmarks }: SectionMap): string {
  const parts = [counted(sections.length, "section"), counted(tokens, "token")];
  return `${parts.join(" of ")} in all; ${counted(benchmarks.length, "benchmark")} counted.`;
}

/** Every section in a line, with a link to its text. */
function overview(map: SectionMap): Markup {
  // A column of "not done" says nothing.
  const ablated = map.sections.some(({ ablation }) => ablation !== null);
  const rows = map.sections.map((section, index) => [
    html`<a href=${`#${sectionId(index)}`}>${foreign(section.name)}</a>`,
    html`<span class=${tagClass(section.note)}>${noteWords(section.note)}</span>`,
    String(section.tokens),
    section.share === null ? unavailable : `${(section.share * 100).toFixed(1)} %`,
    benchmarkWords(section),
    section.uplift === null ? "no benchmark" : effectWords(section.uplift),
    ...(ablated ? [decisiveWords(section)] : []),
  ]);
  return longTable({
    label: "Sections of the skill",
    columns: [
      { words: "Section", kind: "name" },
      { words: "Note" },
      { words: "Tokens", kind: "num" },
      { words: `Of ${map.tokens}`, kind: "num" },
      { words: "Benchmarks", kind: "name" },
      { words: `Uplift, ${map.comparison.arm} against ${map.comparison.against}`, kind: "name" },
      ...(ablated ? [{ words: "Whole skill against without the section", kind: "name" } as const] : []),
    ],
    rows,
  });
}

/** Of an ablation only what the note goes by; the rest stands beside the text. */
function decisiveWords({ ablation }: MappedSection): string {
  if (ablation === null) return "not done";
  const effect = effectWords(ablation.own ?? ablation.all);
  return ablation.sections > 1 ? `${effect}, with ${counted(ablation.sections - 1, "other")}` : effect;
}

function sectionId(index: number): string {
  return `section-${index + 1}`;
}

function documentPart(
  document: KeptSections["documents"][number],
  { map, index }: { readonly map: SectionMap; readonly index: number },
): Markup {
  return html`
    <section aria-labelledby=${idOf(index)}>
      <h2 id=${idOf(index)}>${foreign(document.file)}</h2>
      ${partsOf(document, map.sections).map((part) => partMarkup(part, map))}
    </section>
  `;
}

function partMarkup({ kind, section, startLine, lines }: DocumentPart, map: SectionMap): Markup {
  const copy = html`<pre class="foreign" dir="ltr" style=${text}>${block(lines.join("\n"))}</pre>`;
  if (section === null) {
    const words = kind === "frontmatter" ? "Frontmatter, in no section." : "In no section.";
    return html`<div style=${row}>
      ${copy}
      <p class="muted small" style=${margin}>${words}</p>
    </div>`;
  }
  return html`<div class=${isLong(map) ? "late" : null} style=${isLong(map) ? sizeOf(lines.length) : null}>
    <h3 id=${sectionId(map.sections.indexOf(section))}>
      ${foreign(section.name)} <span class=${tagClass(section.note)}>${noteWords(section.note)}</span>
    </h3>
    <div style=${row}>
      ${copy}
      <div style=${margin}>${facts(section, { map, startLine })}</div>
    </div>
  </div>`;
}

/** Sections from which on a page is drawn as far as it comes into view. */
const lateFrom = 100;

function isLong({ sections }: SectionMap): boolean {
  return sections.length >= lateFrom;
}

/** A heading, and the text or the notes beside it, whichever is higher. */
function sizeOf(lines: number): string {
  return `contain-intrinsic-size:auto ${(5 + Math.max(16, 1.4 * lines)).toFixed(1)}rem`;
}

function facts(
  section: MappedSection,
  { map, startLine }: { readonly map: SectionMap; readonly startLine: number },
): Markup {
  const { uplift, ablation, boilerplate } = section;
  const rows: readonly (readonly [string, string])[] = [
    ["Note", verdictWords(section)],
    ["Lines", `${startLine} to ${section.endLine}`],
    ["Tokens", tokenWords(section.tokens, map.tokens)],
    ["Benchmarks", benchmarkWords(section)],
    ...(uplift === null ? [] : [["Uplift", effectWords(uplift)] as const]),
    ["Ablation", ablation === null ? "not done" : `${foreign(ablation.arm)}: ${ablationWords(section)}`],
    ...(boilerplate ? [["Kind", "about the skill, not a capability"] as const] : []),
  ];
  return html`
    <dl class="small">
      ${rows.map(
        ([name, words]) =>
          html`<dt class="muted">${name}</dt>
            <dd>${words}</dd>`,
      )}
    </dl>
  `;
}

function tagClass(note: SectionNote): string {
  switch (note) {
    case "carries":
      return "tag up";
    case "hurts":
      return "tag down";
    case "no_effect_seen":
      return "tag";
    case "cannot_tell":
    case "not_tested":
      return "tag open";
  }
}

/** The first line break inside of a `pre` is not shown. */
function block(lines: string): readonly unknown[] {
  return lines.startsWith("\n") ? ["\n", ...visible(lines)] : visible(lines);
}
