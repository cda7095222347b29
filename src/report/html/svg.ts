import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { h, type VNode } from "preact";
import { z } from "zod";

/** What a drawing's element is read as; anything else of the document is none of ours. */
type Drawn = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: readonly Drawn[];
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
};

const elementNode = 1;
const textNode = 3;

/** Taken as it is: a copy would lose what the document keeps on prototypes. */
const drawnSchema = z.custom<Drawn>(
  (node) => typeof node === "object" && node !== null && "childNodes" in node && "attributes" in node,
);

/** Width and height of a drawing's own units, and what it says to those who do not see it. */
export type Drawing = {
  readonly label: string;
  readonly width: number;
  readonly options: Plot.PlotOptions;
};

/**
 * Draws without a browser. The result is markup like any other: every text and attribute of the drawing is escaped when
 * the page is rendered. Plot's own style element is left out; style.ts says how charts look.
 */
export function drawing({ label, width, options }: Drawing): VNode {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const svg = drawnSchema.parse(Plot.plot({ ...options, width, document }));
  const attributes = Object.fromEntries(svg.attributes.map(({ name, value }) => [name, value]));
  const { height = "0" } = attributes;
  // Below nine tenths of its size the text would be too small to read; then its region scrolls.
  const least = `min-width: ${((0.9 * width) / 16).toFixed(1)}rem; max-width: ${(width / 16).toFixed(1)}rem`;
  return h(
    "svg",
    {
      ...{
        role: "img",
        "aria-label": label,
        class: "chart",
        viewBox: `0 0 ${width} ${height}`,
        style: least,
      },
      ...{ fill: "currentColor", "text-anchor": "middle" },
    },
    [...svg.childNodes].map(markupOf),
  );
}

function markupOf(node: Drawn): VNode | string | null {
  if (node.nodeType === textNode) return node.textContent;
  if (node.nodeType !== elementNode || node.nodeName.toLowerCase() === "style") return null;
  const attributes = Object.fromEntries(
    [...node.attributes].flatMap(({ name, value }) =>
      name.startsWith("aria-") ? [] : [[name, value] as const],
    ),
  );
  return h(node.nodeName, attributes, [...node.childNodes].map(markupOf));
}
