import type { FileTree, TreeEntry } from "../artefacts/tree.ts";

export const draftLimits = {
  fileBytes: 1024 * 1024,
  bytes: 8 * 1024 * 1024,
  files: 500,
  /** Of a whole path. */
  pathBytes: 240,
  depth: 16,
} as const;

/** Files that agents read on their own: in a workspace they would instruct both arms. Compared without case. */
export const reservedNames = [".claude", ".agents", ".codex", "AGENTS.md", "CLAUDE.md", ".mcp.json"] as const;

export const topLevelMembers = ["benchmark.yaml", "task.md", "fixtures", "reference", "grader"] as const;

/** Only in the draft of a judged bundle. */
export const judgedMembers = ["sentinels"] as const;

const allMembers = [...topLevelMembers, ...judgedMembers];
const maxFaultsOfAKind = 20;

/** Everything wrong with the names, kinds and sizes of a delivered folder's members. */
export function pathFaults(tree: FileTree): readonly string[] {
  const each = tree.flatMap((entry) => {
    const fault = entryFault(entry);
    return fault === null ? [] : [`${printed(entry.path)}: ${fault}`];
  });
  const shown = each.slice(0, maxFaultsOfAKind);
  if (each.length > shown.length) shown.push(`and ${each.length - shown.length} more files with such faults`);
  return [...shown, ...memberFaults(tree), ...clashFaults(tree), ...sizeFaults(tree)];
}

function entryFault(entry: TreeEntry): string | null {
  const { path } = entry;
  const parts = path.split("/");
  if (path === "" || path.startsWith("/"))
    return "an absolute name. Deliver names relative to the draft folder.";
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    return "a name with an empty, `.` or `..` part.";
  if (/[\0-\x1f\x7f\\]/.test(path)) return "a name with a control character or a backslash.";
  if (parts.length > draftLimits.depth) return `more than ${draftLimits.depth} folders deep.`;
  if (Buffer.byteLength(path) > draftLimits.pathBytes)
    return `a name of more than ${draftLimits.pathBytes} bytes.`;
  const reserved = parts.find((part) =>
    reservedNames.some((name) => name.toLowerCase() === part.toLowerCase()),
  );
  if (reserved !== undefined)
    return `${reserved} is a reserved name: agents read it as instructions. Use another.`;
  if (entry.kind === "link") return `a symbolic link (to ${printed(entry.target)}). Deliver a file instead.`;
  if (entry.bytes.length > draftLimits.fileBytes) {
    return `${entry.bytes.length} bytes; a file may have at most ${draftLimits.fileBytes}.`;
  }
  return null;
}

function memberFaults(tree: FileTree): readonly string[] {
  const faults = new Set<string>();
  for (const { path } of tree) {
    const [top = ""] = path.split("/");
    const known = allMembers.find((member) => member === top);
    const shouldBeFile = top.includes(".");
    if (known === undefined) {
      faults.add(`${printed(top)}: does not belong here. A draft has only ${allMembers.join(", ")}.`);
    } else if ((top === path) !== shouldBeFile) {
      faults.add(`${top}: must be a ${shouldBeFile ? "file" : "folder"}.`);
    }
  }
  return [...faults].slice(0, maxFaultsOfAKind);
}

/** A name that is a file and also the folder of another, or two names that differ only in case. */
function clashFaults(tree: FileTree): readonly string[] {
  const files = new Set(tree.map((entry) => entry.path));
  const faults: string[] = [];
  for (const { path } of tree) {
    const parts = path.split("/");
    const above = parts.map((_part, at) => parts.slice(0, at).join("/")).find((folder) => files.has(folder));
    if (above !== undefined) faults.push(`${printed(path)}: ${printed(above)} is delivered as a file too.`);
  }
  const seen = new Map<string, string>();
  for (const { path } of tree) {
    const folded = path.normalize("NFC").toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined)
      faults.push(`${printed(path)}: the same name as ${printed(other)} on some file systems.`);
    seen.set(folded, path);
  }
  return faults.slice(0, maxFaultsOfAKind);
}

function sizeFaults(tree: FileTree): readonly string[] {
  const bytes = tree.reduce((sum, entry) => sum + (entry.kind === "file" ? entry.bytes.length : 0), 0);
  const faults: string[] = [];
  if (tree.length > draftLimits.files)
    faults.push(`${tree.length} files; a draft may have at most ${draftLimits.files}.`);
  if (bytes > draftLimits.bytes)
    faults.push(`${bytes} bytes in all; a draft may have at most ${draftLimits.bytes}.`);
  return faults;
}

/** A hostile name in a message is quoted, so that it cannot write lines or colours of its own. */
function printed(path: string): string {
  const short = path.length > 300 ? `${path.slice(0, 300)}…` : path;
  return /^[\p{L}\p{N} ._@+=,()/-]+$/u.test(short) ? short : JSON.stringify(short);
}
