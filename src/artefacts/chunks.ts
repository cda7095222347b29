import { z } from "zod";

export const chunksFormat = "skillproof/chunks@1";

export const diagnosticSchema = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  /** 1-based line of the file on disk, where the code has one. */
  line: z.number().int().optional(),
  field: z.string().optional(),
  message: z.string(),
});

export const linkSchema = z.object({
  target: z.string(),
  /** Normalised against the skill's folder; null when it leaves it. */
  path: z.string().nullable(),
  line: z.number().int(),
  kind: z.enum(["link", "image", "code"]),
  status: z.enum(["found", "missing", "outside"]),
});

/** One section of SKILL.md or of a document it links to: its own text, without its sub-sections. */
export const chunkSchema = z.object({
  /** `<file>#<index>`: unique in the skill. */
  id: z.string(),
  file: z.string(),
  index: z.number().int(),
  /** Heading level 1 to 6; 0 for text before the first heading. */
  level: z.number().int(),
  title: z.string(),
  path: z.array(z.string()),
  startLine: z.number().int(),
  endLine: z.number().int(),
  text: z.string(),
  /** o200k_base tokens of `text`. */
  tokens: z.number().int(),
  sha256: z.string(),
  /** Describes the skill (overview, installation, …) rather than a capability. */
  boilerplate: z.boolean(),
});

/** What is embedded and clustered: a chunk with the tiny chunks that were folded into it. */
export const unitSchema = z.object({
  /** The id of its leading chunk. */
  id: z.string(),
  chunks: z.array(z.string()),
  title: z.string(),
  path: z.array(z.string()),
  file: z.string(),
  /** Breadcrumb without the title all units share, a newline, then the texts. */
  embeddedText: z.string(),
  tokens: z.number().int(),
  boilerplate: z.boolean(),
});

export const supportingFileSchema = z.object({
  path: z.string(),
  bytes: z.number().int(),
  executable: z.boolean(),
  /** Target when it is a symbolic link, else null. */
  link: z.string().nullable(),
});

export const chunksSchema = z.object({
  format: z.literal(chunksFormat),
  skill: z.object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    treeHash: z.string(),
  }),
  sources: z.enum(["skill", "linked", "all"]),
  chunks: z.array(chunkSchema),
  units: z.array(unitSchema),
  links: z.array(linkSchema),
  files: z.array(supportingFileSchema),
  nestedSkills: z.array(z.string()),
  diagnostics: z.array(diagnosticSchema),
});

export type Diagnostic = z.infer<typeof diagnosticSchema>;
export type SkillLink = z.infer<typeof linkSchema>;
export type Chunk = z.infer<typeof chunkSchema>;
export type Unit = z.infer<typeof unitSchema>;
export type Chunks = z.infer<typeof chunksSchema>;
