import { type FileText, wholeText } from "../../artefacts/file-text.ts";
import type { SectionMap } from "../../artefacts/section-map.ts";
import { annotatedCopy } from "./annotated-copy.ts";
import { annotatedPage } from "./annotated-page.ts";
import type { SectionsFound } from "./map-sections.ts";

/** File of a skill's section map below report/. */
export function sectionsPageFile(skill: string): string {
  return `sections/${skill}.html`;
}

/** Address of the same from the page at report/. */
export function sectionsHref(skill: string): string {
  return `sections/${encodeURIComponent(`${skill}.html`)}`;
}

/** Annotated copies of the skills, as Markdown and as pages, by their file below report/. */
export function sectionFiles(
  maps: readonly SectionMap[],
  found: readonly SectionsFound[],
): Readonly<Record<string, FileText>> {
  const files = maps.flatMap((map): readonly [string, FileText][] => {
    const kept = found.find(({ skill }) => skill === map.skill)?.kept;
    if (kept === null || kept === undefined) return [];
    return [
      [`sections/${map.skill}.md`, wholeText(() => annotatedCopy(map, kept))],
      [sectionsPageFile(map.skill), wholeText(() => annotatedPage(map, kept))],
    ];
  });
  return Object.fromEntries(files);
}
