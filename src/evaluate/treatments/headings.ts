import type { OutlineHeading, SkillOutline } from "../../artefacts/outline.ts";

/** A heading and what a user calls it by. */
export type NamedHeading = { readonly name: string; readonly heading: OutlineHeading };

/**
 * Every heading by its shortest name that no other has: the title, else the titles around it too
 * (`Parent > Title`), else that with a number (`Parent > Title #2`).
 */
export function nameHeadings({ headings }: SkillOutline): readonly NamedHeading[] {
  const titles = countsOf(headings.map(({ title }) => plainName(title)));
  const trails = new Map<string, number>();
  return headings.map((heading) => {
    if (titles.get(plainName(heading.title)) === 1 && heading.title !== "") {
      return { name: heading.title, heading };
    }
    const trail = heading.path.join(" > ");
    const nth = (trails.get(plainName(trail)) ?? 0) + 1;
    trails.set(plainName(trail), nth);
    return { name: nth === 1 ? trail : `${trail} #${nth}`, heading };
  });
}

/** Without case, signs of Markdown before a heading, and the difference between kinds of space. */
export function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/^\s*#+\s+/, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
