import type { Slice } from "./site.ts";

export type XmlToken =
  | (Slice & {
      readonly kind: "start";
      readonly name: string;
      /** Has no end tag: `<br>` of HTML, or `<a/>`. */
      readonly empty: boolean;
      readonly attributes: readonly { readonly name: string; readonly value: Slice }[];
    })
  | (Slice & { readonly kind: "end"; readonly name: string })
  /** Text that is more than white space, and what stands in a CDATA section. */
  | (Slice & { readonly kind: "text" });

const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const rawTexts = new Set(["script", "style"]);

const tagName = /[\p{L}_][\p{L}\p{N}_:.-]*/uy;
const attribute = /\s+([^\s=>/"'<]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"'<]+))?/y;
const tagEnd = /\s*(\/?)>/y;

/**
 * Tags and texts of XML or HTML with their places, in one pass. Forgiving: what is no markup is text, comments,
 * declarations, scripts and styles are passed over, and what is cut off ends it.
 */
export function* tokensOf(body: string, { html }: { readonly html: boolean }): Generator<XmlToken> {
  for (let at = 0; at < body.length;) {
    const open = nextMarkup(body, at);
    yield* textToken(body, at, open);
    if (open === body.length) return;
    const passed = afterPassedOver(body, open);
    if (passed !== null) {
      if (passed.cdata) yield* textToken(body, open + "<![CDATA[".length, passed.end - "]]>".length);
      at = passed.end;
      continue;
    }
    const tag = body[open + 1] === "/" ? endTag(body, open, html) : startTag(body, open, html);
    at = tag?.end ?? open + 1;
    if (tag === null) continue;
    yield tag;
    if (html && tag.kind === "start" && rawTexts.has(tag.name)) at = rawEnd(body, tag);
  }
}

/** The next `<` that opens markup; the end of the text where there is none. */
function nextMarkup(body: string, from: number): number {
  const opening = /<(?=[\p{L}_/!?])/gu;
  opening.lastIndex = from;
  return opening.exec(body)?.index ?? body.length;
}

function* textToken(body: string, start: number, end: number): Generator<XmlToken> {
  if (end > start && /\S/.test(body.slice(start, end))) yield { kind: "text", start, end };
}

/** What is not cut off of a comment, CDATA section, declaration or instruction at `open`; null for a tag. */
function afterPassedOver(
  body: string,
  open: number,
): { readonly end: number; readonly cdata: boolean } | null {
  const until = (mark: string): number => {
    const found = body.indexOf(mark, open);
    return found === -1 ? body.length : found + mark.length;
  };
  if (body.startsWith("<!--", open)) return { end: until("-->"), cdata: false };
  if (body.startsWith("<![CDATA[", open)) return { end: until("]]>"), cdata: body.includes("]]>", open) };
  if (body.startsWith("<?", open)) return { end: until("?>"), cdata: false };
  if (!body.startsWith("<!", open)) return null;
  const subset = /^<!DOCTYPE[^>[]*\[/i.test(body.slice(open, open + 1000));
  return { end: until(subset ? "]>" : ">"), cdata: false };
}

function startTag(body: string, open: number, html: boolean): XmlToken | null {
  const name = nameAt(body, open + 1, html);
  if (name === null) return null;
  const attributes: { readonly name: string; readonly value: Slice }[] = [];
  let at = open + 1 + name.length;
  for (let found = matchAt(attribute, body, at); found !== null; found = matchAt(attribute, body, at)) {
    at += found[0].length;
    const quoted = found[2] ?? "";
    const quote = /^["']/.test(quoted) ? 1 : 0;
    if (quoted !== "") {
      const value = { start: at - quoted.length + quote, end: at - quote };
      attributes.push({ name: found[1] ?? "", value });
    }
  }
  const end = matchAt(tagEnd, body, at);
  if (end === null) return null;
  const empty = end[1] === "/" || (html && voids.has(name));
  return { kind: "start", name, empty, attributes, start: open, end: at + end[0].length };
}

function endTag(body: string, open: number, html: boolean): XmlToken | null {
  const name = nameAt(body, open + 2, html);
  const close = name === null ? null : matchAt(tagEnd, body, open + 2 + name.length);
  if (name === null || close === null) return null;
  return { kind: "end", name, start: open, end: open + 2 + name.length + close[0].length };
}

function nameAt(body: string, at: number, html: boolean): string | null {
  const name = matchAt(tagName, body, at)?.[0] ?? null;
  return html && name !== null ? name.toLowerCase() : name;
}

function matchAt(pattern: RegExp, body: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(body);
}

/** Where the end tag of a script or style begins. */
function rawEnd(body: string, { name, end }: { readonly name: string; readonly end: number }): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = end;
  return closing.exec(body)?.index ?? body.length;
}
