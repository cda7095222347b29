import type { Heading, Root, RootContent } from "mdast";
import { toString } from "mdast-util-to-string";
import type { Diagnostic } from "../artefacts/chunks.ts";
import { diagnose } from "./diagnostics.ts";
import { linesOf } from "./markdown.ts";
import { isBlank } from "./source-lines.ts";

/** A heading with its own text, up to the next heading of any level; level 0 is the text before the first one. */
export type Section = {
  readonly level: number;
  readonly title: string;
  /** Titles of the enclosing headings, then its own. */
  readonly path: readonly string[];
  /** 1-based; the last line is never blank. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
};

type Boundary = { readonly level: number; readonly title: string; readonly line: number };
/** What stands between two boundaries. */
type Span = { readonly boundary: Boundary; hasContent: boolean };

/**
 * Splits a document at the headings that are direct children of its root; those in quotes, lists, code and HTML do
 * not split. Only sections with content of their own are returned.
 */
export function readSections(
  lines: readonly string[],
  root: Root,
): { readonly sections: readonly Section[]; readonly diagnostics: readonly Diagnostic[] } {
  const firstLine = lines.findIndex((line) => !isBlank(line)) + 1;
  let current: Span = { boundary: { level: 0, title: "", line: firstLine }, hasContent: false };
  const spans = [current];
  const diagnostics: Diagnostic[] = [];
  for (const node of root.children) {
    if (node.type === "heading" && !isLostRule(node, lines)) {
      current = { boundary: boundaryOf(node), hasContent: false };
      spans.push(current);
      continue;
    }
    if (node.type === "heading") diagnostics.push(ignoredUnderline(node));
    if (isContent(node)) current.hasContent = true;
  }
  diagnostics.push(...headingFaults(spans));
  return { sections: sectionsOf(lines, spans), diagnostics };
}

/**
 * One to three dashes below a paragraph, or any dashes below several lines, are a rule that lost its blank line:
 * of 41 such "headings" in 12,220 public skills, 39 were that accident.
 */
function isLostRule(heading: Heading, lines: readonly string[]): boolean {
  const { start, end } = linesOf(heading);
  const underline = (lines[end - 1] ?? "").trim();
  const isDashUnderlined = end > start && heading.depth === 2;
  return isDashUnderlined && (underline.length <= 3 || end - start > 1);
}

function ignoredUnderline(heading: Heading): Diagnostic {
  const message =
    "dashes right below a paragraph are read as a rule, not as a heading; put a blank line between";
  return diagnose("setext-dash-ignored", linesOf(heading).end, message);
}

function boundaryOf(heading: Heading): Boundary {
  const title = toString(heading, { includeHtml: false }).replace(/\s+/g, " ").trim();
  return { level: heading.depth, title, line: linesOf(heading).start };
}

/** Comments, rules and link definitions say nothing to a reader. */
function isContent(node: RootContent): boolean {
  if (node.type === "html") return node.value.replace(/<!--[\s\S]*?(?:-->|$)/g, "").trim() !== "";
  return node.type !== "thematicBreak" && node.type !== "definition";
}

function headingFaults(spans: readonly Span[]): readonly Diagnostic[] {
  return spans.slice(1).flatMap(({ boundary, hasContent }, index) => {
    const { level, title, line } = boundary;
    const before = spans[index]?.boundary.level ?? 0;
    const after = spans[index + 2]?.boundary.level ?? 0;
    const faults: Diagnostic[] = [];
    if (title === "") faults.push(diagnose("heading-empty", line, "a heading without a title"));
    if (before > 0 && level > before + 1) {
      faults.push(diagnose("heading-level-skipped", line, `level ${level} follows level ${before}`));
    }
    if (!hasContent && after <= level) {
      faults.push(diagnose("section-empty", line, `section ${JSON.stringify(title)} is empty`));
    }
    return faults;
  });
}

function sectionsOf(lines: readonly string[], spans: readonly Span[]): readonly Section[] {
  const open: Boundary[] = [];
  const sections: Section[] = [];
  for (const [index, { boundary, hasContent }] of spans.entries()) {
    const { level, title, line } = boundary;
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= level) open.pop();
    if (level > 0) open.push(boundary);
    if (!hasContent) continue;
    const end = spans[index + 1]?.boundary.line ?? lines.length + 1;
    const written = lines.slice(line - 1, end - 1);
    const own = written.slice(0, written.findLastIndex((candidate) => !isBlank(candidate)) + 1);
    sections.push({
      level,
      title,
      path: open.map((ancestor) => ancestor.title),
      startLine: line,
      endLine: line + own.length - 1,
      text: own.join("\n"),
    });
  }
  return sections;
}
