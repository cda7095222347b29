import { type FileTree, sortedTree } from "../../artefacts/tree.ts";
import { UserError } from "../../errors.ts";
import { countTokens } from "../../tokens.ts";
import { skillBlock } from "../prompts.ts";
import { type Deliverable, markdownOf } from "./deliverable.ts";

/** `inject`: SKILL.md stands in the system prompt. `discover`: only name and description do. */
export type Delivery = "inject" | "discover";

/** Where a skill's files are in the container. */
export type PlacedSkill = { readonly skill: Deliverable; readonly root: string };

/** What the agent of an arm gets: text after the constant system prompt, and what is mounted at /skill. */
export type Delivered = {
  readonly prompt: string;
  readonly files: FileTree;
  /** In the order of the prompt. */
  readonly skills: readonly PlacedSkill[];
};

/**
 * Lays out one skill or several. One that is injected has /skill for itself; else each has a folder of its name there.
 * Throws `UserError` for names that clash or cannot be a folder, and for text that would end its block in the prompt.
 */
export function deliver(skills: readonly Deliverable[], delivery: Delivery): Delivered {
  const [only, ...others] = skills;
  if (only === undefined) throw new UserError("an arm that delivers skills needs at least one.");
  if (others.length === 0 && delivery === "inject") {
    return { prompt: injectPrompt([only]), files: only.files, skills: [{ skill: only, root: "/skill" }] };
  }
  refuseClashes(skills);
  const prompt = delivery === "inject" ? injectPrompt(skills) : discoverPrompt(skills);
  const files = skills.flatMap(({ name, files: own }) =>
    own.map((entry) => ({ ...entry, path: `${name}/${entry.path}` })),
  );
  return {
    prompt,
    files: sortedTree(files),
    skills: skills.map((skill) => ({ skill, root: `/skill/${skill.name}` })),
  };
}

/** o200k_base tokens that a delivery adds to the system prompt. */
export function injectedTokens(skills: readonly Deliverable[], delivery: Delivery): number {
  return countTokens(delivery === "inject" ? injectPrompt(skills) : discoverPrompt(skills));
}

function injectPrompt(skills: readonly Deliverable[]): string {
  const blocks = skills.map((skill) => skillBlock({ name: skill.name, markdown: markdownOf(skill) }));
  if (blocks.length === 1) return blocks.join("");
  const bodies = blocks.map((block) => block.slice(block.indexOf("<skill name=")));
  const intro =
    "The following skills apply to your work. The files of each are in the folder of its name below /skill, read-only.";
  return `\n\n${intro}\n\n${bodies.join("\n\n")}`;
}

function discoverPrompt(skills: readonly Deliverable[]): string {
  const intro =
    "There are skills for some kinds of work: instructions, with files that belong to them, below /skill, read-only. " +
    "When the description of one fits your task, read its file before you go on.";
  const lines = skills.map(({ name, description, file }) => {
    const about = oneLine(description ?? "") || "no description";
    return `- ${name} (/skill/${name}/${file}): ${about}`;
  });
  return `\n\n${intro}\n\n${lines.join("\n")}`;
}

/** A description cannot look like another skill's line. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, " ").trim();
}

function refuseClashes(skills: readonly Deliverable[]): void {
  const seen = new Map<string, string>();
  const problems = skills.flatMap(({ name }) => {
    const twin = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), name);
    if (/[/\0"<>\n]/.test(name) || /^\.*$/.test(name))
      return [`${JSON.stringify(name)} cannot be a folder's name`];
    return twin === undefined ? [] : [`two skills are called ${name}`];
  });
  if (problems.length === 0) return;
  throw new UserError(
    `skills that are delivered together lie in folders of their names: ${problems.join("; ")}. Rename a skill's folder.`,
  );
}
