import { type Chunk, type Chunks, chunksFormat, type Diagnostic } from "../artefacts/chunks.ts";
import type { Skill } from "../artefacts/skill.ts";
import { hashTree } from "../artefacts/tree.ts";
import { UserError } from "../errors.ts";
import { sha256 } from "../hash.ts";
import { countTokens } from "../tokens.ts";
import { defaultBoilerplateTitles, markBoilerplate } from "./boilerplate.ts";
import { readDocument, referenceDocuments } from "./documents.ts";
import { readSkill } from "./read-skill.ts";
import type { Section } from "./sections.ts";
import { describeFiles, nestedSkillFolders, skillFiles } from "./skill-files.ts";
import { makeUnits } from "./units.ts";

export type ChunkSettings = {
  /** SKILL.md only, with the documents it links to, or with every Markdown file of the skill. */
  readonly sources: Chunks["sources"];
  /** Chunks of fewer tokens are folded into a neighbour before embedding; 0 folds none. */
  readonly foldBelowTokens: number;
  /** See `defaultBoilerplateTitles`. */
  readonly boilerplateTitles: readonly string[];
  /** Refuse a SKILL.md that breaks the specification. */
  readonly strict: boolean;
};

export const defaultChunkSettings: ChunkSettings = {
  sources: "linked",
  foldBelowTokens: 50,
  boilerplateTitles: defaultBoilerplateTitles,
  strict: false,
};

/**
 * Splits a skill into chunks (one per section, own text only) and units (what is embedded). Links and diagnostics are
 * those of SKILL.md. Throws `UserError` without a SKILL.md, and under `strict` when it breaks the specification.
 */
export function chunkSkill(skill: Skill, settings: ChunkSettings): Chunks {
  const { file, frontmatter, sections, links, diagnostics } = readSkill(skill);
  if (settings.strict) refuseErrors(skill, file, diagnostics);
  const files = skillFiles(skill.tree);
  const documents = referenceDocuments(settings.sources, links, files);
  const chunks = [
    ...chunksOf(file, sections, settings),
    ...documents.flatMap((path) => {
      const entry = files.find((candidate) => candidate.path === path);
      return entry?.kind === "file" ? chunksOf(path, readDocument(entry.bytes), settings) : [];
    }),
  ];
  const { name, description } = frontmatter;
  return {
    format: chunksFormat,
    skill: { id: skill.id, name, description, treeHash: hashTree(files) },
    sources: settings.sources,
    chunks,
    units: [...makeUnits(chunks, description, file, settings.foldBelowTokens)],
    links: [...links],
    files: describeFiles(files),
    nestedSkills: [...nestedSkillFolders(skill.tree)],
    diagnostics: [...diagnostics],
  };
}

function chunksOf(file: string, sections: readonly Section[], settings: ChunkSettings): readonly Chunk[] {
  const boilerplate = markBoilerplate(sections, settings.boilerplateTitles);
  return sections.map(({ path, ...section }, index) => ({
    id: `${file}#${index}`,
    file,
    index,
    ...section,
    path: [...path],
    tokens: countTokens(section.text),
    sha256: sha256(section.text),
    boilerplate: boilerplate[index] ?? false,
  }));
}

function refuseErrors(skill: Skill, file: string, diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const places = errors.map(({ line, code, message }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `  ${skill.id}/${place}  ${message} (${code})`;
  });
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  throw new UserError(
    `${skill.id}/${file}: ${count} in strict mode; mend them or leave strict out.\n${places.join("\n")}`,
  );
}
