import type { Section } from "./sections.ts";

/**
 * Titles of sections that describe a skill instead of teaching something: a benchmark written from one could only
 * test phrasing. 13 % of the sections of public skills. A `*` at the end stands for any ending.
 */
export const defaultBoilerplateTitles: readonly string[] = [
  "overview",
  "introduction",
  "about",
  "about this skill",
  "purpose",
  "when to use*",
  "when not to use*",
  "use this skill when",
  "do not use this skill when",
  "prerequisites",
  "installation",
  "references",
  "reference files",
  "resources",
  "additional resources",
  "bundled resources",
  "further reading",
  "see also",
  "related skills",
  "limitations",
  "table of contents",
  "contents",
  "changelog",
  "version history",
  "credits",
  "license",
  "licence",
];

/**
 * Whether each section of one document is boilerplate: its own title is, or that of a heading around it (Installation
 * > macOS). A first title that the whole document shares says nothing about its sections.
 */
export function markBoilerplate(sections: readonly Section[], titles: readonly string[]): readonly boolean[] {
  const isBoilerplate = matcher(titles);
  const firstTitles = new Set(sections.filter(({ level }) => level > 0).map(({ path }) => path[0]));
  return sections.map(({ path, title }) => {
    const around = firstTitles.size === 1 ? path.slice(1) : path;
    return isBoilerplate(title) || around.some(isBoilerplate);
  });
}

function matcher(titles: readonly string[]): (title: string) => boolean {
  const patterns = titles.map((title) => ({ plain: plainTitle(title), open: title.trimEnd().endsWith("*") }));
  return (title) => {
    const plain = plainTitle(title);
    return patterns.some((pattern) =>
      pattern.open
        ? plain === pattern.plain || plain.startsWith(`${pattern.plain} `)
        : plain === pattern.plain,
    );
  };
}

/** Without case, numbering (`2.1 `), and signs around the words (`📦 Installation:`). */
function plainTitle(title: string): string {
  return title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .replace(/^\d+(?:\.\d+)*[.):]?\s+/, "")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/\s+/g, " ");
}
