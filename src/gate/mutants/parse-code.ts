import { createRequire } from "node:module";
import treeSitter, { type Language, type Parser, type Point, type Tree } from "@vscode/tree-sitter-wasm";

export type CodeLanguage = "python" | "javascript" | "typescript" | "tsx" | "bash";

/** A node of a syntax tree. `from` and `to` are places in `source`, in UTF-16 units; `to` is the first after it. */
export type Syntax = {
  readonly type: string;
  readonly named: boolean;
  /** What it is to its parent (`condition`, `left`, …), where the grammar says so. */
  readonly field: string | null;
  readonly from: number;
  readonly to: number;
  readonly source: string;
  readonly parent: Syntax | null;
  readonly children: readonly Syntax[];
};

export type ParsedCode = {
  readonly root: Syntax;
  /** Whether a source that differs in one place is without a syntax error too. */
  readonly stillParses: (changed: string) => boolean;
  /** Frees the parser's memory, which is outside the garbage collector's reach. */
  readonly dispose: () => void;
};

/** By extension, else by the `#!` line; null for what is no code or not of these languages. */
export function codeLanguageOf(path: string, text: string): CodeLanguage | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const byName = dot > 0 ? byExtension.get(name.slice(dot + 1).toLowerCase()) : undefined;
  if (byName !== undefined) return byName;
  const program = /^#![ \t]*(?:\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\S*\/)?([a-z]+)/.exec(text)?.[1] ?? "";
  return byProgram.get(program) ?? null;
}

const byExtension = new Map<string, CodeLanguage>([
  ["py", "python"],
  ["js", "javascript"],
  ["mjs", "javascript"],
  ["cjs", "javascript"],
  ["jsx", "javascript"],
  ["ts", "typescript"],
  ["mts", "typescript"],
  ["cts", "typescript"],
  ["tsx", "tsx"],
  ["sh", "bash"],
  ["bash", "bash"],
]);
const byProgram = new Map<string, CodeLanguage>([
  ["python", "python"],
  ["node", "javascript"],
  ["sh", "bash"],
  ["bash", "bash"],
  ["dash", "bash"],
]);

/** Null where the source has syntax errors, by this parser's lights. Parsing again goes on from the first tree. */
export async function parseCode(source: string, language: CodeLanguage): Promise<ParsedCode | null> {
  const grammar = await loadGrammar(language);
  const parser = new treeSitter.Parser();
  parser.setLanguage(grammar);
  const tree = parser.parse(source);
  const dispose = (): void => {
    tree?.delete();
    parser.delete();
  };
  if (tree === null || tree.rootNode.hasError) {
    dispose();
    return null;
  }
  return {
    root: nodesOf(tree, source),
    stillParses: (changed) => stillParses(parser, tree, source, changed),
    dispose,
  };
}

const grammars = new Map<CodeLanguage, Promise<Language>>();
let begun: Promise<void> | undefined;

/** Grammars are found from this module, wherever it and the package were put. */
function loadGrammar(language: CodeLanguage): Promise<Language> {
  const known = grammars.get(language);
  if (known !== undefined) return known;
  begun ??= treeSitter.Parser.init();
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`;
  const loading = begun.then(() => treeSitter.Language.load(createRequire(import.meta.url).resolve(file)));
  grammars.set(language, loading);
  return loading;
}

type Growing = Omit<Syntax, "children"> & { readonly children: Syntax[] };

/** Copied out in one walk without recursion: half a million brackets may stand in each other. */
function nodesOf(tree: Tree, source: string): Syntax {
  const cursor = tree.walk();
  const read = (parent: Growing | null): Growing => {
    const {
      nodeType: type,
      nodeIsNamed: named,
      currentFieldName: field,
      startIndex: from,
      endIndex: to,
    } = cursor;
    const node: Growing = { type, named, field, from, to, source, parent, children: [] };
    parent?.children.push(node);
    return node;
  };
  const root = read(null);
  const above: Growing[] = [];
  let node = root;
  for (;;) {
    if (cursor.gotoFirstChild()) {
      above.push(node);
    } else {
      while (!cursor.gotoNextSibling()) {
        cursor.gotoParent();
        if (above.pop() === undefined || above.length === 0) {
          cursor.delete();
          return root;
        }
      }
    }
    node = read(above.at(-1) ?? root);
  }
}

function stillParses(parser: Parser, tree: Tree, source: string, changed: string): boolean {
  const { from, to, text } = difference(source, changed);
  const start = pointAfter({ row: 0, column: 0 }, source.slice(0, from));
  const old = tree.copy();
  old.edit({
    startIndex: from,
    oldEndIndex: to,
    newEndIndex: from + text.length,
    startPosition: start,
    oldEndPosition: pointAfter(start, source.slice(from, to)),
    newEndPosition: pointAfter(start, text),
  });
  const again = parser.parse(changed, old);
  const sound = again !== null && !again.rootNode.hasError;
  again?.delete();
  old.delete();
  return sound;
}

/** The slice of `source` that became `text`. */
function difference(source: string, changed: string): { from: number; to: number; text: string } {
  const shorter = Math.min(source.length, changed.length);
  let from = 0;
  while (from < shorter && source[from] === changed[from]) from++;
  let same = 0;
  while (same < shorter - from && source.at(-1 - same) === changed.at(-1 - same)) same++;
  return { from, to: source.length - same, text: changed.slice(from, changed.length - same) };
}

function pointAfter(start: Point, text: string): Point {
  let row = start.row;
  let last = -1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    row++;
    last = at;
  }
  return { row, column: last < 0 ? start.column + text.length : text.length - last - 1 };
}
