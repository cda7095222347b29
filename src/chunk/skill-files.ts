import { posix } from "node:path";
import type { Chunks } from "../artefacts/chunks.ts";
import { type FileTree, isExecutable, type TreeEntry } from "../artefacts/tree.ts";

type FileEntry = Extract<TreeEntry, { readonly kind: "file" }>;

function isSkillMarkdown(path: string): boolean {
  return posix.basename(path).toLowerCase() === "skill.md";
}

/** Sub-folders with a SKILL.md (in any case) of their own: other skills, sorted by path. */
export function nestedSkillFolders(tree: FileTree): readonly string[] {
  const folders = tree.filter(({ path }) => path.includes("/") && isSkillMarkdown(path));
  return [...new Set(folders.map(({ path }) => posix.dirname(path)))].sort();
}

/** What belongs to this skill: its tree without the skills nested in it. */
export function skillFiles(tree: FileTree): FileTree {
  const prefixes = nestedSkillFolders(tree).map((folder) => `${folder}/`);
  return tree.filter(({ path }) => !prefixes.some((prefix) => path.startsWith(prefix)));
}

/** The SKILL.md at the root: the exact name where there are several, else any case. Links are not followed. */
export function findSkillMarkdown(tree: FileTree): FileEntry | undefined {
  const candidates = tree.filter(
    (entry): entry is FileEntry =>
      entry.kind === "file" && !entry.path.includes("/") && isSkillMarkdown(entry.path),
  );
  return candidates.find(({ path }) => path === "SKILL.md") ?? candidates[0];
}

/** The files of the artefact, SKILL.md included. A symbolic link has no bytes of its own. */
export function describeFiles(files: FileTree): Chunks["files"] {
  return files.map((entry) =>
    entry.kind === "link"
      ? { path: entry.path, bytes: 0, executable: false, link: entry.target }
      : { path: entry.path, bytes: entry.bytes.length, executable: isExecutable(entry.mode), link: null },
  );
}
