import { toString } from "mdast-util-to-string";
import type { OutlineHeading, SkillOutline } from "../artefacts/outline.ts";
import type { Skill } from "../artefacts/skill.ts";
import { UserError } from "../errors.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { bodyOf, findFrontmatter } from "./frontmatter-place.ts";
import { linesOf, parseMarkdown } from "./markdown.ts";
import { readSections } from "./sections.ts";
import { findSkillMarkdown } from "./skill-files.ts";
import { isBlank, readSourceLines } from "./source-lines.ts";

/** Every heading of a skill's SKILL.md, those without text of their own too. Throws `UserError` when there is none. */
export function outlineSkill({ id, tree }: Skill): SkillOutline {
  const entry = findSkillMarkdown(tree);
  if (entry === undefined) {
    throw new UserError(`${id}: this folder has no SKILL.md of its own. Name the folder that holds it.`);
  }
  const source = readSourceLines(entry.bytes);
  const place = findFrontmatter(source.lines);
  const { name, description, data, present } = readFrontmatter(source, place, id);
  const fields = present ? Object.keys(data) : null;
  const body = bodyOf(source.lines, place);
  const about = { file: entry.path, name, description, fields, bodyLine: body?.startLine ?? null };
  if (body === null) return { ...about, headings: [] };
  // The closing line of a fence around the whole file is no part of its last section.
  const lastText = body.lines.findLastIndex((line) => !isBlank(line)) + 1;
  const lastLine = source.wrapperLine === null ? body.lines.length : lastText;
  return { ...about, headings: headingsOf(body.lines, lastLine) };
}

function headingsOf(lines: readonly string[], lastLine: number): readonly OutlineHeading[] {
  const root = parseMarkdown(lines);
  const { sections, diagnostics } = readSections(lines, root);
  // What the chunker does not take for a heading must not be one here.
  const lost = new Set(
    diagnostics.flatMap(({ code, line }) => (code === "setext-dash-ignored" ? [line] : [])),
  );
  const withText = new Set(sections.map(({ startLine }) => startLine));
  const found = root.children.flatMap((node) => {
    if (node.type !== "heading" || lost.has(linesOf(node).end)) return [];
    const title = toString(node, { includeHtml: false }).replace(/\s+/g, " ").trim();
    return [{ level: node.depth, title, line: linesOf(node).start }];
  });
  const open: number[] = [];
  const ends: number[] = [];
  const paths = found.map(({ level, line }, index) => {
    while ((found[open.at(-1) ?? -1]?.level ?? 0) >= level) ends[open.pop() ?? -1] = line - 1;
    open.push(index);
    return open.map((ancestor) => found[ancestor]?.title ?? "");
  });
  return found.map((heading, index) => ({
    ...heading,
    path: paths[index] ?? [],
    endLine: ends[index] ?? lastLine,
    hasText: withText.has(heading.line),
  }));
}
