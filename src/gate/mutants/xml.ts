import { decodeText, fileKindOf } from "./file-kind.ts";
import type { Mutator } from "./mutant.ts";
import { otherText } from "./other-value.ts";
import { changesAt, shown, type Site, type Slice, valueSite } from "./site.ts";
import { tokensOf, type XmlToken } from "./xml-tokens.ts";

/** Breaks attributes, texts and elements of XML, SVG and HTML. */
export const mutateXml: Mutator = ({ path, bytes }, options) => {
  const text = decodeText(bytes);
  if (text === null) return [];
  const kind = fileKindOf(path, text.body);
  if ((kind !== "xml" && kind !== "html") || !/<[\p{L}_]/u.test(text.body)) return [];
  return changesAt(text, markupSites(text.body, kind === "html"), options);
};

/** They stand for a character, and another letter would make them nothing. */
const entities = /&[^;\s&]{1,32};/g;

function* markupSites(body: string, html: boolean): Generator<Site> {
  const open = new OpenElements();
  for (const token of tokensOf(body, { html })) {
    switch (token.kind) {
      case "start":
        yield* attributeSites(body, token);
        if (!token.empty) open.push(token);
        else if (open.depth > 0) yield elementSite(body, token.name, token);
        break;
      case "end": {
        const start = open.close(token.name);
        if (start !== null && mayDrop(token.name, open.depth, html))
          yield elementSite(body, token.name, { start: start.start, end: token.end });
        break;
      }
      case "text":
        yield textSite(body, token);
    }
  }
}

/** The root goes with the file, which has a kind of its own. */
function mayDrop(name: string, depth: number, html: boolean): boolean {
  return html ? !["html", "head", "body"].includes(name) : depth > 0;
}

type StartTag = Extract<XmlToken, { kind: "start" }>;

/** Elements whose end is still to come. An end tag closes all that was left open inside, and one too many nothing. */
class OpenElements {
  readonly #open: StartTag[] = [];
  readonly #counts = new Map<string, number>();

  get depth(): number {
    return this.#open.length;
  }

  push(tag: StartTag): void {
    this.#open.push(tag);
    this.#counts.set(tag.name, (this.#counts.get(tag.name) ?? 0) + 1);
  }

  close(name: string): StartTag | null {
    if ((this.#counts.get(name) ?? 0) === 0) return null;
    for (let tag = this.#open.pop(); tag !== undefined; tag = this.#open.pop()) {
      this.#counts.set(tag.name, (this.#counts.get(tag.name) ?? 0) - 1);
      if (tag.name === name) return tag;
    }
    return null;
  }
}

function elementSite(body: string, name: string, { start, end }: Slice): Site {
  const become: Site["become"] = () => ({
    text: "",
    what: `an element ${name} dropped`,
    detail: shown(body.slice(start, end)),
  });
  return { kind: "element-dropped", start, end, become };
}

/** Names of namespaces are left alone: with another one nothing of the document is what it was. */
function* attributeSites(body: string, { attributes }: StartTag): Generator<Site> {
  for (const { name, value } of attributes) {
    if (/^xmlns(?::|$)/i.test(name) || value.end === value.start) continue;
    const before = (): string => body.slice(value.start, value.end);
    yield valueSite("attribute", value, before, (random) => otherText(before(), random, entities));
  }
}

function textSite(body: string, slice: Slice): Site {
  const before = (): string => body.slice(slice.start, slice.end);
  return valueSite("text", slice, before, (random) => otherText(before(), random, entities));
}
