import type { Code, Html, Root } from "mdast";
import { visit } from "unist-util-visit";
import type { Diagnostic } from "../artefacts/chunks.ts";
import { diagnose } from "./diagnostics.ts";
import { linesOf } from "./markdown.ts";
import { closesFence } from "./source-lines.ts";

/** What CommonMark reads otherwise than its author probably meant; reported, and parsed as CommonMark says. */
export function findSuspects(lines: readonly string[], root: Root): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  visit(root, (node, _index, parent) => {
    if (node.type === "code") diagnostics.push(...codeSuspects(node, lines, parent === root));
    if (node.type === "html") diagnostics.push(...htmlSuspects(node));
  });
  return diagnostics;
}

function codeSuspects(code: Code, lines: readonly string[], atRoot: boolean): readonly Diagnostic[] {
  const { start, end } = linesOf(code);
  const column = code.position?.start.column ?? 1;
  const fence = /^(?:`{3,}|~{3,})/.exec((lines[start - 1] ?? "").slice(column - 1))?.[0];
  if (fence === undefined) return [];
  const diagnostics: Diagnostic[] = [];
  if (atRoot && (end === start || !closesFence(lines[end - 1] ?? "", fence))) {
    diagnostics.push(
      diagnose("fence-unclosed", start, "this code fence is never closed: the rest of the file is code"),
    );
  }
  if (fence.startsWith("`") && code.value.split("\n").some((line) => opensFence(line, fence.length))) {
    const message = "this code fence holds the opening of another one; make the outer fence longer";
    diagnostics.push(diagnose("fence-nested-suspect", start, message));
  }
  return diagnostics;
}

/** Only with an info word: a bare fence would be taken for the closing one. */
function opensFence(line: string, atLeast: number): boolean {
  const fence = /^ {0,3}(`{3,})[ \t]*[^\s`][^`]*$/.exec(line)?.[1];
  return fence !== undefined && fence.length >= atLeast;
}

function htmlSuspects(html: Html): readonly Diagnostic[] {
  const { start } = linesOf(html);
  if (html.value.startsWith("<!--")) {
    if (html.value.includes("-->")) return [];
    return [diagnose("html-comment-unclosed", start, "this comment is never closed: what follows is hidden")];
  }
  if (/^<(?:pre|script|style|textarea)(?:[\s>]|$)/i.test(html.value)) return [];
  return html.value.split("\n").flatMap((line, index) => {
    if (!/^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) return [];
    const message = "a heading right after an HTML tag is part of the HTML; put a blank line before it";
    return [diagnose("heading-in-html", start + index, message)];
  });
}
