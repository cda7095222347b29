import { Composer, type CST, type Document, Parser, visit } from "yaml";

export type YamlStream = {
  readonly documents: readonly Document[];
  readonly hasAliases: boolean;
};

/** The composer recurses; deeper nesting is nothing that an author wrote. */
const mostNested = 100;

/** A stream of documents without an error; null where there is none, or where they nest too deeply. */
export function parseYaml(body: string): YamlStream | null {
  const tokens = [...new Parser().parse(body)];
  if (isDeep(tokens)) return null;
  const documents = [...new Composer({ logLevel: "silent" }).compose(tokens)];
  if (documents.length === 0 || documents.some(({ errors }) => errors.length > 0)) return null;
  return { documents, hasAliases: documents.some(hasAliases) };
}

function hasAliases(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** Walks without recursing, which is the point of it. */
function isDeep(tokens: readonly CST.Token[]): boolean {
  const open: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({
    token,
    depth: 0,
  }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > mostNested) return true;
    for (const token of innerOf(next.token)) open.push({ token, depth: next.depth + 1 });
  }
  return false;
}

function innerOf(token: CST.Token): readonly CST.Token[] {
  const inner: (CST.Token | null | undefined)[] = [];
  if ("value" in token) inner.push(token.value);
  if ("items" in token) for (const { key, value } of token.items) inner.push(key, value);
  return inner.filter((each) => each !== null && each !== undefined);
}
