import { existsSync, readdirSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { slugOf } from "../artefacts/arm.ts";
import { messageOf, UserError } from "../errors.ts";
import { writeAtomic } from "../store/atomic.ts";
import { asInvoked } from "./as-invoked.ts";
import { writeConfig } from "./init/write-config.ts";
import { type AddCommand, defaultConfigFile, type Io } from "./io.ts";
import { printable } from "./progress.ts";
import { shellWord } from "./shell-word.ts";

type Options = {
  readonly config: string;
  readonly skill?: readonly string[];
  readonly force?: boolean;
};

/** The models of the file that ships: three under test, an author, and judges of three other vendors. */
export const usualModels = {
  "evaluation.models": ["qwen/qwen3-coder", "z-ai/glm-4.6", "moonshotai/kimi-k2"],
  "authoring.model": "anthropic/claude-sonnet-4.5",
  "judge.models": ["openai/gpt-5-mini", "google/gemini-2.5-flash", "anthropic/claude-haiku-4.5"],
} as const;

/** Where a default would surprise: nobody's money is spent without a limit, and five tasks cannot speak for others. */
const usualValues = { ...usualModels, "evaluation.budgetUsd": 20, "clustering.benchmarks": 8 } as const;

/** `skillproof init`: a campaign's file with every key explained and what was found filled in. */
export const addInit: AddCommand = (program, io, done) => {
  program
    .command("init")
    .description("write a commented campaign file for the skills found here")
    .option("-c, --config <file>", "the file to write", defaultConfigFile)
    .option("--skill <folders...>", "these skills, instead of those found")
    .option("--force", "replace a file that is there")
    .action(async (options: Options) => {
      io.out(await init(options, io));
      done(0);
    });
};

async function init(options: Options, { cwd, env }: Io): Promise<string> {
  const file = resolve(cwd, options.config);
  if (options.force !== true && (await isThere(file)))
    throw new UserError(
      `${options.config} is there already. Give --force to replace it, or --config FILE for another.`,
    );
  const { skills, left } =
    options.skill === undefined ? await findSkills(cwd) : await named(options.skill, cwd);
  refuseInside(file, skills, cwd);
  const folder = dirname(file);
  const places = skills.map((skill) => relative(folder, skill) || ".");
  const values = new Map<string, unknown>([
    ["name", nameFor(skills, folder)],
    ["skills", places],
    ...Object.entries(usualValues),
  ]);
  await write(file, writeConfig(values), options.config);
  return wordsAfter(options.config, { skills, left, folder, cwd, env });
}

/** A link to nothing is somebody's too. */
async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch {
    return false; // writing it says what is wrong with its folder
  }
}

/** Where it cannot be written is for the user to choose. */
async function write(file: string, text: string, shown: string): Promise<void> {
  try {
    await writeAtomic(file, text);
  } catch (error) {
    throw new UserError(
      `${printable(shown)}: cannot be written (${messageOf(error)}). Name another file with --config FILE.`,
      { cause: error },
    );
  }
}

type Found = {
  /** Absolute folders, each with a name of its own. */
  readonly skills: readonly string[];
  /** Folders of skills whose name another one has. */
  readonly left: readonly string[];
};

/** Below skills/ and .claude/skills/, and the current folder itself. Throws `UserError` when there is none. */
async function findSkills(cwd: string): Promise<Found> {
  const places = [
    cwd,
    ...(await foldersIn(join(cwd, "skills"))),
    ...(await foldersIn(join(cwd, ".claude", "skills"))),
  ];
  const found: string[] = [];
  for (const place of places) if (await isSkill(place)) found.push(place);
  if (found.length > 0) return withoutNamesakes(found);
  throw new UserError(
    "no skill found: looked for SKILL.md here, in skills/* and in .claude/skills/*. Name one: skillproof init --skill FOLDER",
  );
}

async function named(folders: readonly string[], cwd: string): Promise<Found> {
  const skills = [...new Set(folders.map((folder) => resolve(cwd, folder)))];
  const wrong: string[] = [];
  for (const skill of skills) if (!(await isSkill(skill))) wrong.push(relative(cwd, skill) || ".");
  if (wrong.length > 0)
    throw new UserError(`--skill: no SKILL.md in ${wrong.join(", ")}. Name folders of skills.`);
  const { left } = withoutNamesakes(skills);
  if (left.length === 0) return { skills, left };
  throw new UserError(
    `--skill: another skill is called like ${left.map((skill) => relative(cwd, skill)).join(", ")}. Folder names must differ.`,
  );
}

/** A campaign knows a skill by its folder's name. */
function withoutNamesakes(folders: readonly string[]): Found {
  const isFirst = (folder: string, at: number): boolean =>
    folders.findIndex((other) => basename(other) === basename(folder)) === at;
  return {
    skills: folders.filter(isFirst),
    left: folders.filter((folder, at) => !isFirst(folder, at)),
  };
}

/** What lies in a skill's folder is given to agents with it: the plan, the references, a .env with its key. */
function refuseInside(file: string, skills: readonly string[], cwd: string): void {
  const around = skills.find((skill) => file.startsWith(`${skill}${sep}`));
  if (around === undefined) return;
  const name = basename(around);
  const beside = join(relative(cwd, dirname(around)) || ".", `${name}-campaign`, defaultConfigFile);
  const skill = around === cwd ? "" : ` --skill ${shellWord(relative(cwd, around))}`;
  throw new UserError(
    `${relative(cwd, file)} would lie in the folder of the skill ${name}, and all that lies there is given to agents with ` +
      `it, benchmarks and keys included. Put it beside the skill: skillproof init${skill} --config ${shellWord(beside)}`,
  );
}

function nameFor(skills: readonly string[], folder: string): string {
  const [only, ...more] = skills;
  return slugOf(basename(only !== undefined && more.length === 0 ? only : folder)).slice(0, 60);
}

async function isSkill(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder, { withFileTypes: true })).some(
      (entry) => entry.isFile() && entry.name.toLowerCase() === "skill.md",
    );
  } catch {
    return false; // no folder, or none of ours to read
  }
}

/** Links to folders are followed: skills are often linked into place. */
async function foldersIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().map((name) => join(folder, name));
  } catch {
    return []; // as above
  }
}

function wordsAfter(
  config: string,
  { skills, left, folder, cwd, env }: Found & Pick<Io, "cwd" | "env"> & { readonly folder: string },
): string {
  const shown = (path: string): string => relative(cwd, path) || ".";
  const isUsual = resolve(cwd, config) === resolve(cwd, defaultConfigFile);
  const option = isUsual ? "" : ` --config ${shellWord(config)}`;
  const unbuilt = skills.filter((skill) => !isBuilt(join(folder, "benchmarks", basename(skill))));
  const steps = [
    [`doctor${option}`, "checks engine, keys, models and prices"],
    ...(unbuilt.length === 0
      ? []
      : [
          [
            `build${option} ${unbuilt.map((skill) => shellWord(shown(skill))).join(" ")}`,
            "makes the benchmarks",
          ],
        ]),
    [`plan${option}`, "says what the design can find and what it costs"],
    [`eval${option}`, "trials, verdicts, report"],
  ].map(([command = "", why = ""]) => [asInvoked(`skillproof ${command}`, env), why] as const);
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    `wrote ${printable(config)} for ${skills.length} skill(s): ${printable(skills.map(shown).join(", "))}`,
    ...left.map((skill) => `left out ${printable(shown(skill))}: another skill has its name`),
    "It names models and a budget: look at evaluation.models, judge.models and evaluation.budgetUsd first. Then:",
    ...steps.map(([command, why]) => `  ${command.padEnd(width)}  # ${why}`),
    "",
  ].join("\n");
}

/** Whether a benchmark went through the gate there: sections and topics alone make no campaign. */
function isBuilt(benchmarks: string): boolean {
  try {
    return readdirSync(benchmarks).some((id) => existsSync(join(benchmarks, id, "gate.json")));
  } catch {
    return false; // no folder, or none of ours to read
  }
}
