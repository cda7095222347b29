import type { Report } from "../../artefacts/report.ts";
import { sectionsHref } from "../section-map/files.ts";
import { sectionMapSection } from "../section-map/section.ts";
import type { Anchors } from "./anchors.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { linksTo } from "./row-links.ts";
import { toldSection } from "./told.ts";

/** Which sections of each skill carry its effect, with a link to the annotated copy of each that has a map. */
export function sectionsPart({ sections }: Report, anchors: Anchors): Markup | null {
  const told = toldSection("sections", (written) => sectionMapSection(sections, written), {
    link: linksTo(anchors),
  });
  const mapped = sections.filter(({ missing }) => missing === null);
  if (told === null || mapped.length === 0) return told;
  return html`
    ${told}
    <p>
      The text of the skill with these figures beside it:
      ${mapped.map(({ skill }) => html` <a href=${sectionsHref(skill)}>${foreign(skill)}</a>`)}
    </p>
  `;
}
