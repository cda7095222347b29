/** A heading that is a direct child of its document. Lines are 1-based and those of the file. */
export type OutlineHeading = {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
  /** Titles of the enclosing headings, then its own. */
  readonly path: readonly string[];
  readonly line: number;
  /** Last line of it and of its sub-sections, blank ones included. */
  readonly endLine: number;
  /** Whether something stands between it and the next heading. */
  readonly hasText: boolean;
};

/** How a SKILL.md is built, as the chunker reads it. */
export type SkillOutline = {
  /** The file's name, whatever its case. */
  readonly file: string;
  /** The folder's name stands in for an absent name. */
  readonly name: string;
  readonly description: string | null;
  /** Top-level fields of the frontmatter, each once, in the order of the file; null without one that can be read. */
  readonly fields: readonly string[] | null;
  /** First line of the body; null when the frontmatter never closes, since then nothing is known to be body. */
  readonly bodyLine: number | null;
  readonly headings: readonly OutlineHeading[];
};
