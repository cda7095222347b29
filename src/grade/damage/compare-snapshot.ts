import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type ChangedPath, namedPaths, type Outside } from "../../artefacts/honesty.ts";
import { type FileTree, isExecutable, type TreeEntry } from "../../artefacts/tree.ts";
import { sha256 } from "../../hash.ts";
import { isByProduct } from "./by-products.ts";

/** One member of a snapshot as it is read on the host. `path` is null when it cannot be held or is not UTF-8. */
export type SnapshotMember = {
  readonly kind: "file" | "folder" | "link" | "hard link" | "other";
  readonly path: string | null;
  readonly target: string | null;
  readonly mode: number;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
};

export type Allowed = {
  /** Globs of what the task may change. */
  readonly outputs: readonly string[];
  readonly matches: (path: string, glob: string) => boolean;
  /** A limit kept something out of the snapshot: what is not in it need not be gone. */
  readonly partial: boolean;
};

/** Longer paths are cut when they are named. */
const maxPathCharacters = 200;
const pathsInATurn = 50;

/**
 * What of a workspace is not as the fixtures were and no glob of the outputs allows: contents, executable bits, targets
 * of links, files that came or went. Folders by themselves do not count, since a tree of files does not know empty ones.
 * Reads the archive once, keeping a hash for each member and no contents. Throws what `members` throws.
 */
export async function changesOutside(
  fixtures: FileTree,
  members: AsyncIterable<SnapshotMember>,
  { outputs, matches, partial }: Allowed,
): Promise<Outside> {
  const before = new Map(fixtures.map((entry) => [entry.path, stateOfEntry(entry)]));
  const after = await statesOf(members, sizesOf(fixtures));
  const changes: ChangedPath[] = [];
  for (const [path, state] of after) {
    const was = before.get(path);
    if (was === undefined) changes.push({ change: "added", path });
    else if (was !== state) changes.push({ change: "changed", path });
  }
  if (!partial) {
    for (const path of before.keys()) if (!after.has(path)) changes.push({ change: "removed", path });
  }
  const outside = await without(
    changes,
    outputs.map((glob) => ruleOf(glob, matches)),
  );
  const counted = outside.filter((changed) => !isByProduct(changed));
  return {
    count: counted.length,
    first: counted.toSorted(byPath).slice(0, namedPaths).map(shortened),
    byProducts: outside.length - counted.length,
    partial,
  };
}

type Rule = (path: string) => boolean;

/** Most globs name a file, or a folder and all below it: nothing need be walked for those. */
function ruleOf(glob: string, matches: Allowed["matches"]): Rule {
  const [, plain, folder] = /^(?:\.\/)?([^*?[\]{}]+?)(\/|\/\*\*)?$/.exec(glob) ?? [];
  if (plain === undefined) return (path) => matches(path, glob);
  return folder === undefined ? (path) => path === plain : (path) => path.startsWith(`${plain}/`);
}

/** Lets others go on in between: an agent may leave ten thousands of paths, each of thousands of characters. */
async function without(
  changes: readonly ChangedPath[],
  rules: readonly Rule[],
): Promise<readonly ChangedPath[]> {
  const kept: ChangedPath[] = [];
  for (const [at, changed] of changes.entries()) {
    if (!rules.some((rule) => rule(changed.path))) kept.push(changed);
    if (at % pathsInATurn === 0) await setImmediate();
  }
  return kept;
}

/** What two files must share to be the same, as one text. */
function stateOfEntry(entry: TreeEntry): string {
  if (entry.kind === "link") return `link ${entry.target}`;
  return fileState(entry.mode, sha256(entry.bytes));
}

function fileState(mode: number, hash: string): string {
  return `file ${isExecutable(mode) ? "x" : "-"} ${hash}`;
}

function sizesOf(fixtures: FileTree): ReadonlySet<number> {
  return new Set(fixtures.flatMap((entry) => (entry.kind === "file" ? [entry.bytes.length] : [])));
}

/** By path. Where the archive names one twice, the later member stands, as it would once unpacked. */
async function statesOf(
  members: AsyncIterable<SnapshotMember>,
  sizes: ReadonlySet<number>,
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  let unreadable = 0;
  for await (const member of members) {
    if (member.kind === "folder") continue;
    // A name of its own for each, which no fixture has: paths hold no control characters there.
    const path = member.path ?? `\0${++unreadable}`;
    states.set(path, await stateOfMember(member, states, sizes));
  }
  return states;
}

async function stateOfMember(
  { kind, mode, size, target, content }: SnapshotMember,
  earlier: ReadonlyMap<string, string>,
  sizes: ReadonlySet<number>,
): Promise<string> {
  switch (kind) {
    case "file":
      // No fixture is of that size, so that what is in it need not be read.
      return fileState(mode, sizes.has(size) ? await hashOf(content) : "unlike");
    case "hard link":
      return earlier.get(target ?? "") ?? "hard link to nothing";
    case "link":
      return `link ${target ?? ""}`;
    case "folder":
    case "other":
      return kind;
  }
}

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of content) hash.update(piece);
  return hash.digest("hex");
}

function byPath(a: ChangedPath, b: ChangedPath): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function shortened({ change, path }: ChangedPath): ChangedPath {
  if (path.startsWith("\0")) return { change, path: "(a name that cannot be read)" };
  if (path.length <= maxPathCharacters) return { change, path };
  // Through bytes, so that no half of a character is left.
  return { change, path: `${Buffer.from(path.slice(0, maxPathCharacters)).toString()}…` };
}
