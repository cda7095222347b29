import type { Slice } from "./site.ts";
import { tokensOf, type XmlToken } from "./xml-tokens.ts";

/** An element of an XML document, with its place from the start of its first tag to the end of its last. */
export type XmlElement = Slice & {
  /** Without its prefix, which differs from writer to writer. */
  readonly name: string;
  readonly tag: Extract<XmlToken, { readonly kind: "start" }>;
  /** What stands between its tags; empty at its end where there is only one tag. */
  readonly inside: Slice;
  readonly children: readonly XmlElement[];
  /** Text that stands directly in it, where it is more than white space. */
  readonly texts: readonly Slice[];
};

type Open = {
  readonly tag: XmlElement["tag"];
  readonly children: XmlElement[];
  readonly texts: Slice[];
};

/**
 * Every element of a document in the order in which they end, so that an element follows all that stands in it. An
 * element that is not closed where it should be is left out.
 */
export function elementsOf(body: string): readonly XmlElement[] {
  const elements: XmlElement[] = [];
  const open: Open[] = [];
  const close = ({ tag, children, texts }: Open, last: Slice): void => {
    const inside = tag.empty ? { start: tag.end, end: tag.end } : { start: tag.end, end: last.start };
    const name = tag.name.slice(tag.name.indexOf(":") + 1);
    const element: XmlElement = { name, tag, start: tag.start, end: last.end, inside, children, texts };
    open.at(-1)?.children.push(element);
    elements.push(element);
  };
  for (const token of tokensOf(body, { html: false })) {
    if (token.kind === "text") {
      open.at(-1)?.texts.push({ start: token.start, end: token.end });
    } else if (token.kind === "start") {
      const opened: Open = { tag: token, children: [], texts: [] };
      if (token.empty) close(opened, token);
      else open.push(opened);
    } else {
      const last = open.pop();
      if (last?.tag.name === token.name) close(last, token);
    }
  }
  return elements;
}

/** Where an attribute's value stands, by its name without prefix. */
export function attributeOf({ tag }: XmlElement, name: string): Slice | undefined {
  return tag.attributes.find((attribute) => attribute.name.slice(attribute.name.indexOf(":") + 1) === name)
    ?.value;
}

/** Everything in an element, itself first, without what stands in `except`. Without recursion. */
export function* within(element: XmlElement, except: ReadonlySet<string>): Generator<XmlElement> {
  const open = [element];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    for (const child of next.children.toReversed()) if (!except.has(child.name)) open.push(child);
  }
}
