import type { Diagnostic, SkillLink } from "../artefacts/chunks.ts";
import type { Skill } from "../artefacts/skill.ts";
import { UserError } from "../errors.ts";
import { diagnose } from "./diagnostics.ts";
import { type Frontmatter, readFrontmatter } from "./frontmatter.ts";
import { bodyOf, findFrontmatter } from "./frontmatter-place.ts";
import { findLinks } from "./links.ts";
import { parseMarkdown } from "./markdown.ts";
import { readSections, type Section } from "./sections.ts";
import { findSkillMarkdown, skillFiles } from "./skill-files.ts";
import { readSourceLines } from "./source-lines.ts";
import { findSuspects } from "./suspects.ts";

/** A SKILL.md as read; nothing in it is dropped, marked or folded yet. */
export type SkillReading = {
  /** The file's name, whatever its case. */
  readonly file: string;
  readonly frontmatter: Frontmatter;
  /** 1-based; null when the frontmatter never closes, since then nothing can be trusted to be body. */
  readonly bodyStartLine: number | null;
  readonly sections: readonly Section[];
  readonly links: readonly SkillLink[];
  /** By line; those without a line first. */
  readonly diagnostics: readonly Diagnostic[];
};

/** Reads the skill's SKILL.md leniently. Throws `UserError` when there is none. */
export function readSkill(skill: Skill): SkillReading {
  const entry = findSkillMarkdown(skill.tree);
  if (entry === undefined) throw new UserError(missingSkillMarkdown(skill));
  const source = readSourceLines(entry.bytes);
  const place = findFrontmatter(source.lines);
  const frontmatter = readFrontmatter(source, place, skill.id);
  const body = bodyOf(source.lines, place);
  const root = parseMarkdown(body?.lines ?? []);
  const { sections, diagnostics } = readSections(body?.lines ?? [], root);
  const all = [
    ...source.diagnostics,
    ...frontmatter.diagnostics,
    ...diagnostics,
    ...(body === null ? [] : findSuspects(body.lines, root)),
    ...(body !== null && sections.length === 0
      ? [diagnose("body-empty", null, "there is no text to chunk")]
      : []),
  ];
  return {
    file: entry.path,
    frontmatter,
    bodyStartLine: body?.startLine ?? null,
    sections,
    links: findLinks(root, new Set(skillFiles(skill.tree).map(({ path }) => path))),
    diagnostics: all.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  };
}

function missingSkillMarkdown(skill: Skill): string {
  const link = skill.tree.find(({ kind, path }) => kind === "link" && path.toLowerCase() === "skill.md");
  if (link?.kind === "link") {
    return `${skill.id}: ${link.path} is a symbolic link to ${link.target}. Put the file itself into the folder.`;
  }
  return `${skill.id}: this folder has no SKILL.md. Name the folder that holds it.`;
}
