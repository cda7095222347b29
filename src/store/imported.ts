import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileTree, overlay } from "../artefacts/tree.ts";
import { messageOf, UserError } from "../errors.ts";
import { writeTree } from "./tree.ts";

const lossReport = "IMPORTED.md";
/** What a folder is known by that held a bundle, or what is left of one. */
const marks = ["benchmark.yaml", "FAILED.md", lossReport];
/** Folders that hold no task, however they are named inside. */
const passedOver = new Set(["node_modules"]);

/** Names of files in `folder` and in the folders there, as a tree without contents: enough to tell what it is. */
export async function outlineOf(folder: string): Promise<FileTree> {
  const paths: string[] = [];
  const visit = async (below: string, depth: number): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile()) paths.push(path);
      else if (entry.isDirectory() && depth > 1 && !isPassedOver(entry.name)) await visit(path, depth - 1);
    }
  };
  try {
    await visit("", 2);
  } catch (error) {
    throw new UserError(
      `${folder}: not a folder that can be read (${messageOf(error)}). Name a folder with a task.`,
      { cause: error },
    );
  }
  return paths.map((path) => ({ kind: "file", path, mode: 0o644, bytes: new Uint8Array() }));
}

/** Names of the folders directly in `folder` that may be tasks, sorted. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !isPassedOver(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** Why a bundle cannot be written into `folder`, or null. What is no bundle is never replaced. */
export async function reasonNotToWrite(folder: string, force: boolean): Promise<string | null> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    return `${folder}: cannot be written (${messageOf(error)})`;
  }
  if (names.length === 0) return null;
  if (!marks.some((mark) => names.includes(mark)))
    return `${folder}: holds something that is no benchmark. Move it, or import into another folder.`;
  return force
    ? null
    : `${folder}: is there already. Replace it with --force, or import into another folder.`;
}

/** Puts an imported bundle in place of whatever the folder held, with what was lost beside it. */
export async function writeImported(folder: string, bundle: FileTree, losses: string): Promise<void> {
  const report = new TextEncoder().encode(losses);
  const draft = `${folder}.unfinished`;
  await writeTree(draft, overlay(bundle, [{ kind: "file", path: lossReport, mode: 0o644, bytes: report }]));
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

function isPassedOver(name: string): boolean {
  return name.startsWith(".") || passedOver.has(name);
}
