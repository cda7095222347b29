import type { KeptSections, MappedSection } from "../../artefacts/section-map.ts";

/** A run of lines of one document: a section, or what stands between sections (frontmatter, headings without text). */
export type DocumentPart = {
  readonly kind: "frontmatter" | "between" | "section";
  readonly section: MappedSection | null;
  readonly startLine: number;
  readonly lines: readonly string[];
};

/** A document cut along its sections, nothing left out but blank lines between them. */
export function partsOf(
  { file, lines, bodyLine }: KeptSections["documents"][number],
  sections: readonly MappedSection[],
): readonly DocumentPart[] {
  const own = sections.filter((section) => section.file === file).sort((a, b) => a.startLine - b.startLine);
  const parts: DocumentPart[] = [];
  const lastOfHead = Math.min(lines.length, (bodyLine ?? lines.length + 1) - 1);
  let next = 1;
  const add = (kind: DocumentPart["kind"], section: MappedSection | null, to: number): void => {
    const part = lines.slice(next - 1, to);
    const [first, last] = [part.findIndex(isText), part.findLastIndex(isText)];
    if (first !== -1 || section !== null) {
      const shown = first === -1 ? [] : part.slice(first, last + 1);
      parts.push({ kind, section, startLine: next + Math.max(0, first), lines: shown });
    }
    next = Math.max(next, to + 1);
  };
  if (lastOfHead > 0) add("frontmatter", null, lastOfHead);
  for (const section of own) {
    if (section.startLine > next) add("between", null, section.startLine - 1);
    add("section", section, section.endLine);
  }
  if (next <= lines.length) add("between", null, lines.length);
  return parts;
}

function isText(line: string): boolean {
  return line.trim() !== "";
}

/** How many lines of a section's own are its heading; an underlined one ends with its underline. */
export function headingLines(lines: readonly string[], { level }: Pick<MappedSection, "level">): number {
  if (level === 0) return 0;
  if (/^(?:---)? {0,3}#{1,6}(?:[ \t]|$)/.test(lines[0] ?? "")) return 1;
  return lines.findIndex((line) => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line)) + 1;
}
