import { pack } from "tar-stream";
import { type FileTree, isExecutable, type Packing, sortedTree, type TreeEntry } from "../artefacts/tree.ts";
import { tarMembers, type TarMember } from "./tar-members.ts";

/** What `readTarTree` keeps at most. `below` takes one folder of the archive and leaves the rest out. */
export type TarLimits = {
  /** Of all files together. */
  readonly bytes: number;
  readonly entries: number;
  /** Parts of a path. */
  readonly depth: number;
  readonly nameBytes: number;
  readonly below?: string;
};

/** The head of a member, at most what the limit allows, and its whole size. */
export type MemberHead = { readonly bytes: Uint8Array; readonly size: number };

/** Not before 1980: ZIP cannot hold older times, and tools that pack fixtures would fail. */
const usualTime = new Date("2024-01-01T00:00:00Z");
const maxFaults = 50;

/**
 * The same tree gives the same bytes on every machine: owner 0, folders before members and, unless `packing` says
 * otherwise, one time and 0755 or 0644.
 */
export async function* packTree(tree: FileTree, packing: Packing = {}): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const folders = new Set<string>();
  const mtime = packing.mtimeMs === undefined ? usualTime : new Date(packing.mtimeMs);
  const sorted = sortedTree(tree);
  for (const entry of packing.reversed === true ? sorted.toReversed() : sorted) {
    for (const folder of foldersAbove(entry.path)) {
      if (folders.has(folder)) continue;
      folders.add(folder);
      archive.entry({ name: `${folder}/`, type: "directory", mode: 0o755, mtime });
    }
    if (entry.kind === "link") {
      archive.entry({ name: entry.path, type: "symlink", linkname: entry.target, mode: 0o777, mtime });
    } else {
      const usual = isExecutable(entry.mode) ? 0o755 : 0o644;
      const mode = packing.ownModes === true ? entry.mode & 0o777 : usual;
      archive.entry({ name: entry.path, mode, mtime, size: entry.bytes.length }, Buffer.from(entry.bytes));
    }
  }
  archive.finalize();
  for await (const piece of archive) {
    if (!(piece instanceof Uint8Array)) throw new TypeError("tar-stream gave something other than bytes");
    yield piece;
  }
}

/**
 * Heads of the files `wanted` names (paths relative to the archive's root, without `./`). What is missing, a link, a
 * hard link or a device has no entry in the answer. Throws `SandboxError` for a truncated or damaged archive.
 */
export async function readTarMember(
  tar: AsyncIterable<Uint8Array>,
  wanted: (path: string) => boolean,
  limits: { readonly bytesEach: number },
): Promise<Map<string, MemberHead>> {
  const heads = new Map<string, MemberHead>();
  for await (const member of tarMembers(tar)) {
    if (member.path === null || member.kind !== "file" || !wanted(member.path)) continue;
    heads.set(member.path, { bytes: await headOf(member, limits.bytesEach), size: member.size });
  }
  return heads;
}

/**
 * A folder out of an archive nobody vouches for. Files, folders and symbolic links are kept; hard links become
 * copies; everything else, and whatever breaks a limit, is left out and named in `faults`. Throws `SandboxError`
 * for a truncated or damaged archive.
 */
export async function readTarTree(
  tar: AsyncIterable<Uint8Array>,
  limits: TarLimits,
): Promise<{ readonly tree: FileTree; readonly faults: readonly string[] }> {
  const kept = new Map<string, TreeEntry>();
  const faults: string[] = [];
  let bytes = 0;
  let unnamed = 0;
  for await (const member of tarMembers(tar)) {
    const path = pathBelow(member, limits.below);
    if (path === undefined) continue;
    const fault =
      pathFault(path, limits) ??
      memberFault(member) ??
      (kept.size >= limits.entries ? `more than ${limits.entries} files` : null) ??
      (bytes + member.size > limits.bytes ? `more than ${limits.bytes} bytes in all` : null);
    const entry = fault === null && path !== null ? await entryOf(member, path, kept, limits) : fault;
    if (entry === null) continue;
    if (typeof entry === "string") {
      if (faults.length < maxFaults) faults.push(`${path ?? "(a name that is not UTF-8)"}: ${entry}`);
      else unnamed++;
      continue;
    }
    if (entry.kind === "file") bytes += entry.bytes.length;
    kept.set(entry.path, entry);
  }
  if (unnamed > 0) faults.push(`and ${unnamed} more`);
  return { tree: sortedTree([...kept.values()]), faults };
}

/** The entry to keep, null for a folder (implied by its members), or a fault. */
async function entryOf(
  member: TarMember,
  path: string,
  kept: ReadonlyMap<string, TreeEntry>,
  limits: TarLimits,
): Promise<TreeEntry | string | null> {
  switch (member.kind) {
    case "folder":
      return null;
    case "file":
      return { kind: "file", path, mode: member.mode & 0o777, bytes: await headOf(member, member.size) };
    case "link":
      return member.target === null || member.target === ""
        ? "a link without a readable target"
        : { kind: "link", path, target: member.target };
    case "hard link": {
      const target = pathBelow({ ...member, path: withoutDot(member.target) }, limits.below);
      const original = kept.get(target ?? "");
      if (original?.kind !== "file") return "a hard link to something that was not delivered";
      return { ...original, path };
    }
    case "other":
      return "not a file, folder or link";
  }
}

async function headOf(member: TarMember, atMost: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let held = 0;
  for await (const piece of member.content) {
    // A copy: a piece is a view of a buffer that its sender may use again.
    const part = Uint8Array.from(piece.subarray(0, atMost - held));
    pieces.push(part);
    held += part.length;
    if (held >= atMost) break;
  }
  return new Uint8Array(Buffer.concat(pieces));
}

function memberFault(member: TarMember): string | null {
  if (member.kind === "other") return "not a file, folder or link";
  return (member.mode & 0o6000) !== 0 && member.kind === "file" ? "has a setuid or setgid bit" : null;
}

function pathFault(path: string | null, limits: TarLimits): string | null {
  if (path === null) return "the name is not UTF-8 or far too long";
  if (path.startsWith("/")) return "an absolute name";
  const parts = path.split("/");
  if (parts.includes("..")) return "the name has a `..` part";
  if (parts.length > limits.depth) return `more than ${limits.depth} folders deep`;
  return Buffer.byteLength(path) > limits.nameBytes ? `a name of more than ${limits.nameBytes} bytes` : null;
}

/** The path relative to `below`; undefined for the root and for what lies elsewhere. */
function pathBelow(member: Pick<TarMember, "path">, below: string | undefined): string | null | undefined {
  const { path } = member;
  if (path === null) return null;
  if (below === undefined) return path === "" ? undefined : path;
  return path.startsWith(`${below}/`) ? path.slice(below.length + 1) : undefined;
}

function withoutDot(target: string | null): string | null {
  return target?.startsWith("./") === true ? target.slice(2) : target;
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join("/"));
}
