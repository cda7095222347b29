import { hashJson, sha256 } from "../hash.ts";

/** One member of a folder held in memory. `path` is relative, with `/`, without `.` or `..` parts. */
export type TreeEntry =
  | { readonly kind: "file"; readonly path: string; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/** A folder held in memory, sorted by path. Folders themselves are implied by their members. */
export type FileTree = readonly TreeEntry[];

/** Of a file's mode only the executable bit survives git and every file system, so only that is hashed. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Hash of names, contents, executable bits and link targets; times and owners do not count. */
export function hashTree(tree: FileTree): string {
  const rows = tree
    .map((entry) =>
      entry.kind === "file"
        ? [entry.path, isExecutable(entry.mode) ? "x" : "-", sha256(entry.bytes)]
        : [entry.path, "l", sha256(entry.target)],
    )
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0));
  return hashJson(rows);
}

/** The members below `folder` (`fixtures`, `grader`, …), with paths relative to it. */
export function subtree(tree: FileTree, folder: string): FileTree {
  const prefix = `${folder}/`;
  return tree
    .filter((entry) => entry.path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
}

/** The text of one file of a tree, or undefined when it is not there. */
export function textOf(tree: FileTree, path: string): string | undefined {
  const entry = tree.find((candidate) => candidate.path === path);
  return entry?.kind === "file" ? new TextDecoder().decode(entry.bytes) : undefined;
}

/** `over` laid on top of `base`: same paths are replaced, `removes` are left out. Sorted by path. */
export function overlay(base: FileTree, over: FileTree, removes: readonly string[] = []): FileTree {
  const byPath = new Map(base.map((entry) => [entry.path, entry]));
  for (const path of removes) byPath.delete(path);
  for (const entry of over) byPath.set(entry.path, entry);
  return sortedTree([...byPath.values()]);
}

export function sortedTree(entries: readonly TreeEntry[]): FileTree {
  return [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** How a tree becomes an archive, where that is to vary. */
export type Packing = {
  /** Of every member, in milliseconds since 1970; a fixed time when absent. */
  readonly mtimeMs?: number;
  /** Members from last to first, so that folders list them in another order. */
  readonly reversed?: boolean;
  /** Modes as the tree has them, instead of 0755 and 0644. */
  readonly ownModes?: boolean;
};
