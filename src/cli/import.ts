import { basename, dirname, join, relative, resolve } from "node:path";
import { unreachable, UserError } from "../errors.ts";
import { describeLosses } from "../formats/describe-losses.ts";
import { importEvals } from "../formats/evals/import-evals.ts";
import { evalsPaths, findFormat, type Format, formatMarks, formats } from "../formats/find-format.ts";
import { importHarbor } from "../formats/harbor/import-harbor.ts";
import type { Imported, Loss } from "../formats/losses.ts";
import { importOriginal } from "../formats/original/import-original.ts";
import { nearest } from "../nearest.ts";
import { foldersIn, outlineOf, reasonNotToWrite, writeImported } from "../store/imported.ts";
import { readTree } from "../store/tree.ts";
import type { AddCommand, Io } from "./io.ts";
import { withoutDraining } from "./signals.ts";
import { type OpenImport, openImport } from "./wire-import.ts";

type Options = {
  readonly into: string;
  readonly format?: string;
  readonly config?: string;
  readonly force?: boolean;
  readonly json?: boolean;
};

type Task = { readonly folder: string; readonly format: Format };

type Told = {
  readonly imported: { id: string; folder: string; format: Format; losses: readonly Loss[] }[];
  readonly refused: { id: string; reasons: readonly string[] }[];
};

/** `skillproof import FOLDER…`: tasks of other formats as bundles, each with what did not come along. */
export const addImport: AddCommand = (program, io, done) => {
  program
    .command("import")
    .description("make bundles of tasks in another format: original, harbor or evals")
    .argument("<folder...>", "a task's folder, or a folder of such folders")
    .requiredOption("--into <dir>", "where the bundles go: DIR/<id>/")
    .option("--format <name>", `${formats.join(", ")}; told by the folder's files when absent`)
    .option("-c, --config <file>", "the campaign's YAML, for its engine")
    .option("--force", "replace bundles that are there")
    .option("--json", "print what was imported and what was refused on stdout")
    .action(async (folders: string[], options: Options) => {
      const told = await importAll(folders, options, withoutDraining(io));
      if (options.json === true) io.out(`${JSON.stringify(told, null, 2)}\n`);
      else io.out(describe(told, io.cwd));
      done(told.refused.length > 0 ? 1 : 0);
    });
};

async function importAll(folders: readonly string[], options: Options, io: Io): Promise<Told> {
  const format = formatOf(options.format);
  const into = resolve(io.cwd, options.into);
  // All of them before anything is written: a folder that was mistyped is no reason for half an import.
  const tasks: Task[] = [];
  for (const folder of folders) tasks.push(...(await tasksIn(resolve(io.cwd, folder), format)));
  const told: Told = { imported: [], refused: [] };
  const open = openImport(options.config, io);
  try {
    for (const task of tasks) {
      io.signal.throwIfAborted();
      for (const one of await importTask(task, open))
        await keep(one, task, { into, options, io, open, told });
    }
  } finally {
    await open.close();
  }
  return told;
}

function formatOf(name: string | undefined): Format | null {
  if (name === undefined) return null;
  const format = formats.find((one) => one === name);
  if (format !== undefined) return format;
  const [meant] = nearest(name, formats);
  throw new UserError(
    `--format ${name}: not a format that can be imported${meant === undefined ? "" : `; did you mean ${meant}?`} Formats: ${formats.join(", ")}.`,
  );
}

async function tasksIn(folder: string, wanted: Format | null): Promise<readonly Task[]> {
  const fits = (found: Format | null): found is Format => found !== null && (wanted ?? found) === found;
  const own = findFormat(await outlineOf(folder));
  // A skill's evaluations name files by the skill's folder.
  if (own === "evals" && basename(folder) === "evals" && fits(own)) {
    const skill = dirname(folder);
    if ((await outlineOf(skill)).some(({ path }) => path === evalsPaths[0]))
      return [{ folder: skill, format: own }];
  }
  if (fits(own)) return [{ folder, format: own }];
  const tasks: Task[] = [];
  for (const name of await foldersIn(folder)) {
    const inside = join(folder, name);
    const found = findFormat(await outlineOf(inside));
    if (fits(found)) tasks.push({ folder: inside, format: found });
  }
  if (tasks.length > 0) return tasks;
  const looked = formats.filter((format) => wanted === null || format === wanted);
  throw new UserError(
    `${folder}: no task to import there or one folder down. Looked for ${looked.map((format) => `${format}: ${formatMarks[format]}`).join("; ")}.`,
  );
}

async function importTask({ folder, format }: Task, open: OpenImport): Promise<readonly Imported[]> {
  // What a repository keeps for itself is no part of what stands in it.
  const tree = (await readTree(folder)).filter(({ path }) => !path.startsWith(".git/"));
  const id = basename(folder)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]*$/, "task");
  switch (format) {
    case "original":
      return [importOriginal(id, tree)];
    case "harbor":
      return [await importHarbor(id, tree, open.tools)];
    case "evals":
      return importEvals(id, tree);
    default:
      return unreachable(format);
  }
}

/** Writes one bundle and says what was lost, or says why there is none. */
async function keep(
  one: Imported,
  task: Task,
  { into, options, io, open, told }: { into: string; options: Options; io: Io; open: OpenImport; told: Told },
): Promise<void> {
  const folder = join(into, one.id);
  const reasons = one.kind === "refused" ? one.reasons : [...open.faultsOf(one.id, one.tree)];
  const inTheWay = await reasonInTheWay(folder, task, options.force === true, told);
  const all = inTheWay === null || reasons.length > 0 ? reasons : [inTheWay];
  if (one.kind === "refused" || all.length > 0) {
    told.refused.push({ id: one.id, reasons: all });
    io.err(`${one.id}: refused\n${all.map((reason) => `  ${reason}\n`).join("")}`);
    return;
  }
  await writeImported(folder, one.tree, describeLosses(one.id, task.format, one.losses));
  told.imported.push({ id: one.id, folder, format: task.format, losses: one.losses });
  const how = one.readBack === true ? "equal to the bundle that was exported" : `${one.losses.length} losses`;
  io.err(`${one.id}: imported from ${task.format}, ${how}\n`);
  for (const { part, words } of one.losses) io.err(`  ${part}: ${words}\n`);
}

async function reasonInTheWay(
  folder: string,
  task: Task,
  force: boolean,
  told: Told,
): Promise<string | null> {
  if (told.imported.some((other) => other.folder === folder))
    return `${folder}: another task of this import has the same id. Rename one of the folders.`;
  if (task.folder === folder || task.folder.startsWith(`${folder}/`))
    return `${folder}: is the task itself. Import into another folder.`;
  return reasonNotToWrite(folder, force);
}

function describe({ imported, refused }: Told, cwd: string): string {
  const total = imported.length + refused.length;
  const lines = imported.map(
    ({ id, folder, losses }) => `imported ${id} to ${shortest(folder, cwd)} (${losses.length} losses)`,
  );
  lines.push(...refused.map(({ id, reasons }) => `refused ${id} (${reasons.length} reasons)`));
  lines.push(`${imported.length} of ${total} imported`);
  if (imported.length > 0) {
    const folders = imported.map(({ folder }) => shortest(folder, cwd));
    lines.push(`None is a benchmark yet. Next: skillproof validate ${folders.join(" ")}`);
  }
  return `${lines.join("\n")}\n`;
}

function shortest(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith("..") ? path : inside;
}
