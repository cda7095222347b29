import { type CodeRules, type Edit, editWords } from "./code-edit.ts";
import { javascriptRules } from "./code-javascript.ts";
import { pythonRules } from "./code-python.ts";
import { shellRules } from "./code-shell.ts";
import { decodeText } from "./file-kind.ts";
import type { Mutator } from "./mutant.ts";
import { type CodeLanguage, codeLanguageOf, parseCode, type Syntax } from "./parse-code.ts";
import { changesAt, shown, type Site } from "./site.ts";

/** A longer source is data, or was not written by hand; beyond it a tree costs seconds. In UTF-16 units. */
export const longestSource = 256 * 1024;

/**
 * Breaks Python, JavaScript, TypeScript and shell by their syntax trees, so that what comes out is a program again:
 * comparisons, limits, numbers, strings, conditions, statements. None for a source with syntax errors.
 */
export const mutateCode: Mutator = async ({ path, bytes }, options) => {
  const text = decodeText(bytes);
  if (text === null || text.body.length > longestSource) return [];
  const language = codeLanguageOf(path, text.body);
  const parsed = language === null ? null : await parseCode(text.body, language);
  if (language === null || parsed === null) return [];
  try {
    const sites = editsOf(parsed.root, rulesOf(language)).map((edit) => siteOf(edit, text.body));
    return changesAt(text, sites, { ...options, isReal: parsed.stillParses });
  } finally {
    parsed.dispose();
  }
};

function rulesOf(language: CodeLanguage): CodeRules {
  switch (language) {
    case "python":
      return pythonRules;
    case "javascript":
    case "typescript":
    case "tsx":
      return javascriptRules;
    case "bash":
      return shellRules;
  }
}

/** Without recursion, as the tree may be as deep as the source is long. */
function editsOf(root: Syntax, { isQuiet, operators }: CodeRules): readonly Edit[] {
  const edits: Edit[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isQuiet(node)) continue;
    edits.push(...(operators.get(node.type)?.(node) ?? []));
    for (const child of node.children) open.push(child);
  }
  return edits;
}

function siteOf({ kind, from, to, text }: Edit, body: string): Site {
  const detail = `${shown(body.slice(from, to))} → ${shown(text)}`;
  return { kind, start: from, end: to, become: () => ({ text, what: editWords[kind], detail }) };
}
