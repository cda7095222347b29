import { type Document, isCollection, isScalar, Lexer, parseAllDocuments, visit } from "yaml";
import { canonicalJson } from "../../hash.ts";
import { deepest, openAtOnce } from "./nesting.ts";

/** Parsing takes its time. */
const mostCharacters = 256 * 1024;

/**
 * YAML with another indent and members in reverse order, comments kept. Null for other files, for anchors, merge keys,
 * tags, several documents, and whenever any value or its spelling would come out otherwise.
 */
export function varyYaml(path: string, text: string): string | null {
  if (!/\.ya?ml$/i.test(path) || text.length > mostCharacters || nestsDeeply(text)) return null;
  const document = onlyDocument(text, "failsafe");
  if (document === null || !isPlain(document)) return null;
  visit(document, {
    Map: (_key, map) => {
      map.items.reverse();
    },
  });
  const wide = /^ {4}\S/m.test(text) && !/^ {2}\S/m.test(text);
  const varied = document.toString({ indent: wide ? 2 : 4, lineWidth: 0 });
  return varied === text || !meansTheSame(varied, text) ? null : varied;
}

/** Under `failsafe` every scalar is its spelling; under the others quotes make a difference. */
function meansTheSame(one: string, other: string): boolean {
  return (
    (["failsafe", "core", "yaml-1.1"] as const).every((schema) => {
      const [a, b] = [onlyDocument(one, schema), onlyDocument(other, schema)];
      return a !== null && b !== null && canonicalJson(a.toJS()) === canonicalJson(b.toJS());
    }) && commentsOf(one) === commentsOf(other)
  );
}

/** Levels in one line, indents, and tags or anchors in a row come first: the lexer itself goes down with them. */
function nestsDeeply(text: string): boolean {
  if (/(?:[-?:][ \t]+){64}|^ {128}|(?:^|\s)[!&]\S*[ \t]+[!&]/m.test(text)) return true;
  return openAtOnce(new Lexer().lex(text)) > deepest;
}

function onlyDocument(text: string, schema: "failsafe" | "core" | "yaml-1.1"): Document | null {
  const [document, ...more]: readonly Document[] = parseAllDocuments(text, { schema });
  if (document === undefined || !isCollection(document.contents) || more.length > 0) return null;
  return document.errors.length > 0 || document.warnings.length > 0 ? null : document;
}

function isPlain(document: Document): boolean {
  let plain = true;
  const refuse = (): symbol => {
    plain = false;
    return visit.BREAK;
  };
  visit(document, {
    Alias: refuse,
    Value: (_key, { anchor, tag }) => (anchor !== undefined || tag !== undefined ? refuse() : undefined),
    Pair: (_key, { key }) => (!isScalar(key) || key.value === "<<" ? refuse() : undefined),
  });
  return plain;
}

function commentsOf(text: string): string {
  return [...new Lexer().lex(text)]
    .filter((token, at, tokens) => token.startsWith("#") && tokens[at - 1] !== "\u001f")
    .sort()
    .join("\n");
}
