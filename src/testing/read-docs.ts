import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Root } from "mdast";
import { toString } from "mdast-util-to-string";
import { remark } from "remark";
import remarkGfm from "remark-gfm";
import { visit } from "unist-util-visit";

/** A block of code of a page. */
export type Fence = { readonly language: string; readonly text: string; readonly line: number };

/** A page for users, taken apart. */
export type DocsPage = {
  /** Below the repository's root. */
  readonly file: string;
  readonly text: string;
  /** What `#…` can lead to. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
  /** Code inside sentences, without its marks. */
  readonly codes: readonly string[];
  readonly fences: readonly Fence[];
};

/** README.md and every page of docs/, by name. */
export async function readDocs(root: string): Promise<readonly DocsPage[]> {
  const names = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md")).sort();
  const files = ["README.md", ...names.map((name) => `docs/${name}`)];
  return Promise.all(files.map(async (file) => takeApart(file, await readFile(join(root, file), "utf8"))));
}

export function takeApart(file: string, text: string): DocsPage {
  const tree: Root = remark().use(remarkGfm).parse(text);
  const anchors = new Set<string>();
  const links: string[] = [];
  const codes: string[] = [];
  const fences: Fence[] = [];
  visit(tree, (node) => {
    if (node.type === "heading") anchors.add(slugOf(toString(node)));
    if (node.type === "link" || node.type === "image" || node.type === "definition") links.push(node.url);
    if (node.type === "inlineCode") codes.push(node.value);
    if (node.type === "code") {
      fences.push({ language: node.lang ?? "", text: node.value, line: node.position?.start.line ?? 0 });
    }
  });
  return { file, text, anchors, links, codes, fences };
}

/** As the hosts of Markdown make an address of a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** One line of a shell, as far as pages for users need one. */
export type ShellLine = {
  readonly line: string;
  readonly words: readonly string[];
  /** File that what it prints goes to. */
  readonly into: string | null;
};

/** The lines of a block without comments. Throws on what a page must not use: pipes, lists, substitutions. */
export function shellLines(text: string): readonly ShellLine[] {
  return text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "")
    .map((line) => {
      const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)].map(
        ([whole, single, double]) => single ?? double ?? whole,
      );
      const at = words.indexOf(">");
      const kept = at < 0 ? words : words.slice(0, at);
      if (kept.some((word) => /^[|&<>]|;$|`|\$\(/.test(word)))
        throw new Error(`too clever for a page: ${line}`);
      return { line, words: kept, into: at < 0 ? null : (words[at + 1] ?? null) };
    });
}
