import { posix } from "node:path";
import type { Chunks, SkillLink } from "../artefacts/chunks.ts";
import type { FileTree } from "../artefacts/tree.ts";
import { bodyOf, findFrontmatter } from "./frontmatter-place.ts";
import { parseMarkdown } from "./markdown.ts";
import { readSections, type Section } from "./sections.ts";
import { isBlank, readSourceLines } from "./source-lines.ts";

/** Pages about the package, in any language. */
const leftOutNames = /^(?:readme(?:[._-][a-z]{2}(?:-[a-z]{2,4})?)?|changelog|licen[cs]e)$/i;

/**
 * At the root only: the skill itself (in any case), cards that a registry generates, instructions to agents. Deeper
 * down, these are topics.
 */
const leftOutAtRoot = /^(?:skill|skill-card|benchmark|agents|claude|gemini|contributing|changes|notice)$/i;

/** Samples and checks. A skill's own evaluation prompts would leak into the benchmarks written from them. */
const leftOutFolders = /^(?:\..*|tests?|__tests__|evals?|templates?|examples?|agents?)$/i;

/**
 * Paths of the Markdown files that are chunked besides SKILL.md: those it links to, in order of their first link, or
 * all of them, by path. `files` holds no nested skill.
 */
export function referenceDocuments(
  sources: Chunks["sources"],
  links: readonly SkillLink[],
  files: FileTree,
): readonly string[] {
  const documents = files
    .filter(({ kind, path }) => kind === "file" && isReference(path))
    .map(({ path }) => path)
    .sort();
  switch (sources) {
    case "skill":
      return [];
    case "linked": {
      const linked = links.flatMap(({ path }) => (path === null ? [] : [path]));
      return [...new Set(linked)].filter((path) => documents.includes(path));
    }
    case "all":
      return documents;
  }
}

function isReference(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  const { name, ext } = posix.parse(path);
  if (!/^\.(?:md|markdown)$/i.test(ext)) return false;
  if (leftOutNames.test(name) || (folders.length === 0 && leftOutAtRoot.test(name))) return false;
  return !folders.some((folder) => leftOutFolders.test(folder));
}

/** The sections of a reference document. Its frontmatter, if it has one, is nobody's to check: it is skipped. */
export function readDocument(bytes: Uint8Array): readonly Section[] {
  const { lines } = readSourceLines(bytes);
  const place = findFrontmatter(lines);
  const isFrontmatter = place.kind === "closed" && startsWithKey(lines.slice(place.open + 1, place.close));
  const body = (isFrontmatter ? bodyOf(lines, place)?.lines : undefined) ?? lines;
  return readSections(body, parseMarkdown(body)).sections;
}

/** A document may also begin with a rule and have another one later: what stands between them is text. */
function startsWithKey(lines: readonly string[]): boolean {
  const first = lines.find((line) => !isBlank(line) && !line.startsWith("# "));
  return first !== undefined && /^["']?[A-Za-z_][\w -]*["']?:(?:\s|$)/.test(first);
}
