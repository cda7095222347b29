import type { SkillOutline } from "../../artefacts/outline.ts";
import type { FileTree } from "../../artefacts/tree.ts";

/** A skill as an arm can give it to an agent. */
export type Deliverable = {
  /** What the agent is told it is called: the folder's name. */
  readonly name: string;
  readonly description: string | null;
  /** Name of its SKILL.md, whatever its case. */
  readonly file: string;
  /** Without nested skills and without the skill's own test prompts. */
  readonly files: FileTree;
};

/** A skill of the name `id` from the files that are delivered of it. */
export function deliverableOf(id: string, files: FileTree, outline: SkillOutline): Deliverable {
  return { name: id, description: outline.description, file: outline.file, files };
}

/** The bytes of its SKILL.md. */
export function skillBytes({ name, file, files }: Pick<Deliverable, "name" | "file" | "files">): Uint8Array {
  const entry = files.find(({ path }) => path === file);
  if (entry?.kind !== "file") throw new Error(`${name}: ${file} is not among the files that are delivered`);
  return entry.bytes;
}

/** The text of its SKILL.md, as a prompt gets it. */
export function markdownOf(skill: Deliverable): string {
  return new TextDecoder().decode(skillBytes(skill));
}
