import { UserError } from "../errors.ts";

/** What every agent is told, whatever the arm. Constant, so that providers can cache it. */
export const baseSystemPrompt = `You are an agent that completes one task in a Linux container. There is no network.

Your working directory is /workspace. It holds the files of the task; what you leave there when you stop is your work, and nothing else is looked at.

You have three tools:
- bash: runs one command with \`bash -c\` in /workspace. Nothing carries over between calls but files: no shell variables, no working directory.
- read_file: returns the text of a file.
- write_file: writes a whole file, making its folders.

Work step by step, check what you made, and when you are done answer with one short message without a tool call. Nobody answers questions.`;

/** A skill as an arm delivers it. */
export type DeliveredSkill = {
  readonly name: string;
  /** SKILL.md, whole. */
  readonly markdown: string;
};

/** The only thing that differs between the first requests of an arm without and of one that injects a skill. */
export function skillBlock(skill: DeliveredSkill): string {
  if (skill.markdown.includes("</skill>")) {
    throw new UserError(
      `skill ${skill.name}: SKILL.md holds "</skill>", which would end the block it is delivered in.`,
    );
  }
  return `\n\nThe following skill applies to your work. Its files are at /skill, read-only.\n\n<skill name="${skill.name}">\n${skill.markdown.trimEnd()}\n</skill>`;
}
