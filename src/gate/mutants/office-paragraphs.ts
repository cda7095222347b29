import { otherText } from "./other-value.ts";
import { shown, type Site, type Slice, valueSite } from "./site.ts";
import { within, type XmlElement } from "./xml-elements.ts";

/** Letters that stand for a character: with another one they would be nothing. */
export const entities = /&[^;\s&]{1,32};/g;

const names = new Set(["p", "h"]);

/** Paragraphs and headings of a document or slide, where they say something. */
export function* paragraphSites(elements: readonly XmlElement[], body: string): Generator<Site> {
  for (const { children } of elements) {
    const paragraphs = children.filter(({ name }) => names.has(name));
    for (const paragraph of paragraphs) {
      const texts = textsOf(paragraph);
      if (texts.length === 0) continue;
      for (const text of texts) yield textSite("paragraph", text, body);
      yield droppedSite(paragraph, texts, body, paragraphs.length > 1);
    }
  }
}

/** What is written in a paragraph, piece by piece. Text boxes and notes have paragraphs of their own. */
function textsOf(paragraph: XmlElement): readonly Slice[] {
  return [...within(paragraph, names)].flatMap(({ name, texts }) => (name === "instrText" ? [] : texts));
}

export function textSite(what: "paragraph" | "cell", { start, end }: Slice, body: string): Site {
  const before = (): string => body.slice(start, end);
  return valueSite(what, { start, end }, before, (random) => otherText(before(), random, entities));
}

/** A cell or a slide's text has to keep one paragraph, which is left empty. */
function droppedSite(
  { tag, start, end }: XmlElement,
  texts: readonly Slice[],
  body: string,
  hasOthers: boolean,
): Site {
  const become: Site["become"] = () => ({
    text: hasOthers ? "" : `<${tag.name}/>`,
    what: "a paragraph dropped",
    detail: shown(texts.map((text) => body.slice(text.start, text.end)).join("")),
  });
  return { kind: "paragraph-dropped", start, end, become };
}
