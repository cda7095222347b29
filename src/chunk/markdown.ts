import type { Root, RootContent } from "mdast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";

const parser = unified().use(remarkParse).use(remarkGfm);

/** CommonMark with GFM. Line n of the tree's positions is `lines[n - 1]`: blank what must not be read, cut nothing. */
export function parseMarkdown(lines: readonly string[]): Root {
  return parser.parse(lines.join("\n"));
}

/** 1-based first and last line of a node of a parsed document. */
export function linesOf(node: RootContent): { readonly start: number; readonly end: number } {
  if (node.position === undefined) throw new Error(`a parsed ${node.type} has a position`);
  return { start: node.position.start.line, end: node.position.end.line };
}
