import { lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FileTree, sortedTree, type TreeEntry } from "../artefacts/tree.ts";
import { UserError } from "../errors.ts";

/**
 * Reads a folder into memory without following links. Devices, sockets and pipes are refused: a skill or a bundle
 * has no use for them.
 */
export async function readTree(folder: string): Promise<FileTree> {
  const entries: TreeEntry[] = [];
  const visit = async (relative: string): Promise<void> => {
    for (const name of await readdir(join(folder, relative))) {
      const path = relative === "" ? name : `${relative}/${name}`;
      const full = join(folder, path);
      const stat = await lstat(full);
      if (stat.isSymbolicLink()) entries.push({ kind: "link", path, target: await readlink(full) });
      else if (stat.isDirectory()) await visit(path);
      else if (stat.isFile()) {
        entries.push({ kind: "file", path, mode: stat.mode & 0o777, bytes: await readFile(full) });
      } else throw new UserError(`${full}: not a file, folder or link. Remove it.`);
    }
  };
  await visit("");
  return sortedTree(entries);
}

/** Writes a tree below `folder`, which is emptied first. Paths must have been checked by whoever made the tree. */
export async function writeTree(folder: string, tree: FileTree): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const entry of tree) {
    const full = join(folder, entry.path);
    await mkdir(dirname(full), { recursive: true });
    if (entry.kind === "link") await symlink(entry.target, full);
    else await writeFile(full, entry.bytes, { mode: entry.mode });
  }
}
