import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { type FileTree, isExecutable } from "../artefacts/tree.ts";
import { messageOf, UserError } from "../errors.ts";
import { readTree } from "../store/tree.ts";

export const standInPolicyFormat = "skillproof/stand-in-policy@1";

const behaviourSchema = z.strictObject({
  /** A folder beside the policy whose files are written as they are. */
  files_from: z.string().optional(),
  write: z.array(z.strictObject({ path: z.string().min(1), content: z.string() })).default([]),
  commands: z.array(z.string().min(1)).default([]),
  say: z.string().min(1),
});

const taskSchema = z.strictObject({
  /** A sentence of task.md. */
  task: z.string().min(1),
  look: z.array(z.string().min(1)).default([]),
  facts: z.array(z.string().min(1)).min(1),
  knowing: behaviourSchema,
  otherwise: behaviourSchema,
});

const judgeRuleSchema = z.strictObject({
  question: z.string().min(1),
  /** Substrings, or regular expressions as `/…/flags`. */
  yes_if: z.array(z.string().min(1)).min(1),
});

const policySchema = z.strictObject({
  format: z.literal(standInPolicyFormat),
  models: z.record(z.string(), z.strictObject({ tasks: z.array(taskSchema) })),
  judges: z.array(judgeRuleSchema).default([]),
});

export type StandInWrite = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
};

/** What a stand-in does and says, with every file in memory. */
export type StandInBehaviour = {
  readonly writes: readonly StandInWrite[];
  readonly commands: readonly string[];
  readonly say: string;
};

export type StandInTask = {
  readonly task: string;
  readonly look: readonly string[];
  readonly facts: readonly string[];
  readonly knowing: StandInBehaviour;
  readonly otherwise: StandInBehaviour;
};

export type StandInPolicy = {
  /** For messages. */
  readonly path: string;
  readonly models: ReadonlyMap<string, readonly StandInTask[]>;
  readonly judges: readonly { readonly question: string; readonly yesIf: readonly RegExp[] }[];
};

/** Reads a policy and every folder it names. Throws `UserError` that lists all faults with their places. */
export async function loadStandInPolicy(path: string): Promise<StandInPolicy> {
  const raw = policySchema.safeParse(await readYaml(path));
  if (!raw.success) {
    const faults = raw.error.issues.map((issue) => `  ${issue.path.join(".") || "(top)"}: ${issue.message}`);
    throw new UserError(`${path} is no stand-in policy:\n${faults.join("\n")}`);
  }
  const models = new Map<string, readonly StandInTask[]>();
  for (const [id, { tasks }] of Object.entries(raw.data.models)) {
    models.set(id, await Promise.all(tasks.map((task) => loadTask(task, path))));
  }
  const judges = raw.data.judges.map(({ question, yes_if }) => ({
    question,
    yesIf: yes_if.map((pattern) => toRegExp(pattern, path)),
  }));
  return { path, models, judges };
}

async function readYaml(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof YAMLParseError) throw new UserError(`${path}: ${error.message}`, { cause: error });
    throw new UserError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function loadTask(task: z.infer<typeof taskSchema>, path: string): Promise<StandInTask> {
  const [knowing, otherwise] = await Promise.all([
    loadBehaviour(task.knowing, path),
    loadBehaviour(task.otherwise, path),
  ]);
  return { ...task, knowing, otherwise };
}

async function loadBehaviour(
  { files_from: folder, write, commands, say }: z.infer<typeof behaviourSchema>,
  path: string,
): Promise<StandInBehaviour> {
  const copied = folder === undefined ? [] : treeWrites(await folderTree(folder, path), folder, path);
  const written = write.map(({ path: to, content }) => ({
    path: to,
    bytes: new TextEncoder().encode(content),
    executable: false,
  }));
  return { writes: [...copied, ...written], commands, say };
}

async function folderTree(folder: string, path: string): Promise<FileTree> {
  try {
    return await readTree(resolve(dirname(path), folder));
  } catch (error) {
    throw new UserError(`${path}: files_from "${folder}" cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function treeWrites(tree: FileTree, folder: string, path: string): StandInWrite[] {
  return tree.map((entry) => {
    if (entry.kind === "link") {
      throw new UserError(`${path}: files_from "${folder}" holds the link ${entry.path}. Put a file there.`);
    }
    return { path: entry.path, bytes: entry.bytes, executable: isExecutable(entry.mode) };
  });
}

/** `/…/flags` is a regular expression; anything else stands for itself. */
function toRegExp(pattern: string, path: string): RegExp {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? [];
  if (source === undefined) return new RegExp(escaped(pattern));
  try {
    // A sticky or global expression would remember where it stopped.
    return new RegExp(source, (flags ?? "").replace(/[gy]/g, ""));
  } catch (error) {
    throw new UserError(`${path}: yes_if "${pattern}": ${messageOf(error)}`, { cause: error });
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
