import { posix } from "node:path";
import type { Root } from "mdast";
import { visit } from "unist-util-visit";
import type { SkillLink } from "../artefacts/chunks.ts";
import { linesOf } from "./markdown.ts";

type Mention = { readonly target: string; readonly line: number; readonly kind: SkillLink["kind"] };

/**
 * Every mention of a file in document order: Markdown links, images and definitions with a relative target, and code
 * spans that look like a relative path (skills name their files in code twice as often as in links).
 */
export function findLinks(root: Root, files: ReadonlySet<string>): readonly SkillLink[] {
  return findMentions(root).map((mention) => ({ ...mention, ...resolveTarget(mention.target, files) }));
}

function findMentions(root: Root): readonly Mention[] {
  const mentions: Mention[] = [];
  visit(root, (node) => {
    if (node.type === "inlineCode") {
      if (looksLikePath(node.value))
        mentions.push({ target: node.value, line: linesOf(node).start, kind: "code" });
    } else if (node.type === "link" || node.type === "definition" || node.type === "image") {
      const kind = node.type === "image" ? "image" : "link";
      if (isRelative(node.url)) mentions.push({ target: node.url, line: linesOf(node).start, kind });
    }
  });
  return mentions;
}

/** `references/rules.md`, `../other/run.py#part`: a slash at least, no space, and an extension with a letter in it. */
function looksLikePath(code: string): boolean {
  const path = withoutFragment(code);
  if (!path.includes("/") || !/^[\p{L}\p{N}_.-][\p{L}\p{N}_.@+/-]*$/u.test(path)) return false;
  return /^\.[0-9]*[A-Za-z][A-Za-z0-9]*$/.test(posix.extname(path));
}

/** Neither a web address, nor a place on the same page. */
function isRelative(target: string): boolean {
  return target !== "" && !/^(?:#|\/\/|[a-z][a-z0-9+.-]*:)/i.test(target);
}

function resolveTarget(target: string, files: ReadonlySet<string>): Pick<SkillLink, "path" | "status"> {
  const written = withoutFragment(target);
  // Links are URLs, code spans are not, and authors mix them up: an escape counts only when it leads to a file.
  for (const candidate of [written, unescaped(written)]) {
    const path = posix.normalize(candidate);
    if (files.has(path)) return { path, status: "found" };
  }
  const path = posix.normalize(written);
  if (path === ".." || path.startsWith("../") || path.startsWith("/"))
    return { path: null, status: "outside" };
  return { path, status: "missing" };
}

function withoutFragment(target: string): string {
  return target.replace(/#.*$/s, "");
}

function unescaped(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch (error) {
    if (error instanceof URIError) return target;
    throw error;
  }
}
