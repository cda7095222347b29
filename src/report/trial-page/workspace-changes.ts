import { createHash } from "node:crypto";
import { type FileTree, isExecutable, type TreeEntry } from "../../artefacts/tree.ts";
import { sha256 } from "../../hash.ts";
import { diffTexts, type TextDiff } from "./text-diff.ts";

/** A member of a snapshot's archive (sandbox/tar-members.ts), which nobody vouches for and nobody unpacks. */
export type SnapshotMember = {
  readonly kind: "file" | "folder" | "link" | "hard link" | "other";
  readonly path: string | null;
  readonly target: string | null;
  readonly mode: number;
  /** Bytes once unpacked. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
};

/** What is told of a file without its content. */
export type FileFacts =
  | {
      readonly kind: "file";
      readonly bytes: number;
      /** Null for a file too large to be hashed. */
      readonly sha256: string | null;
      readonly executable: boolean;
      /** Another name of the same file. */
      readonly hardLinkTo: string | null;
    }
  | { readonly kind: "link"; readonly target: string }
  /** A device, a pipe, a hard link to nothing. */
  | { readonly kind: "other"; readonly words: string };

export type Change = {
  readonly path: string;
  readonly sort: "added" | "changed" | "removed";
  readonly before: FileFacts | null;
  readonly after: FileFacts | null;
  /** Null for what is no text, is too large, or has the same content as before. */
  readonly diff: TextDiff | null;
};

export type WorkspaceChanges =
  | {
      readonly kind: "compared";
      readonly changes: readonly Change[];
      readonly changesLeftOut: number;
      readonly unchanged: number;
      /** Members whose names are no text. */
      readonly unnamed: number;
    }
  /** Without fixtures there is nothing to compare with. */
  | {
      readonly kind: "listed";
      readonly files: readonly { readonly path: string; readonly facts: FileFacts }[];
      readonly filesLeftOut: number;
      readonly unnamed: number;
    };

const mostShown = 500;
/** Larger files are told by size and hash. */
const mostTextBytes = 256 * 1024;
/** Of the texts of all files together, which are held until the archive has been read. */
const mostHeldBytes = 16 * 1024 * 1024;
/** A sparse file claims any size; hashing its holes would take hours. */
const mostHashedBytes = 64 * 1024 * 1024;
/** Of all files' diffs together; behind them files are told by size and hash. */
const mostDiffLines = 4000;

/** The frozen workspace against the fixtures it began with; `fixtures` null when they are not to be had. */
export async function workspaceChanges(
  fixtures: FileTree | null,
  members: AsyncIterable<SnapshotMember>,
): Promise<WorkspaceChanges> {
  const begun = new Map((fixtures ?? []).map((entry) => [entry.path, entry]));
  const { found, unnamed } = await readMembers(members, begun);
  if (fixtures === null) {
    const files = [...found].sort(byPath).map(([path, { facts }]) => ({ path, facts }));
    return {
      kind: "listed",
      files: files.slice(0, mostShown),
      filesLeftOut: Math.max(0, files.length - mostShown),
      unnamed,
    };
  }
  const pairs = pairsOf(begun, found);
  const changed = pairs.filter(({ before, after }) => !isSame(before?.facts ?? null, after?.facts ?? null));
  const budget = { lines: mostDiffLines };
  return {
    kind: "compared",
    changes: changed.slice(0, mostShown).map((pair) => changeOf(pair, budget)),
    changesLeftOut: Math.max(0, changed.length - mostShown),
    unchanged: pairs.length - changed.length,
    unnamed,
  };
}

/** `text` is null for what is not shown line by line. */
type Held = { readonly facts: FileFacts; readonly bytes: Uint8Array | null };
type Pair = { readonly path: string; readonly before: Held | null; readonly after: Held | null };

async function readMembers(
  members: AsyncIterable<SnapshotMember>,
  begun: ReadonlyMap<string, TreeEntry>,
): Promise<{ readonly found: ReadonlyMap<string, Held>; readonly unnamed: number }> {
  const found = new Map<string, Held>();
  let unnamed = 0;
  let left = mostHeldBytes;
  for await (const member of members) {
    const { path } = member;
    if (path === null) unnamed++;
    if (path === null || path === "" || member.kind === "folder") continue;
    // An archive that has a name twice means the later one, as it would be unpacked.
    const held = await heldOf(member, found, Math.min(left, mostTextBytes));
    const isKnown = isSame(held.facts, factsBefore(begun.get(path)));
    left -= isKnown ? 0 : (held.bytes?.length ?? 0);
    found.set(path, isKnown ? { facts: held.facts, bytes: null } : held);
  }
  return { found, unnamed };
}

async function heldOf(
  member: SnapshotMember,
  found: ReadonlyMap<string, Held>,
  mostBytes: number,
): Promise<Held> {
  switch (member.kind) {
    case "file":
      return heldFile(member, mostBytes);
    case "link":
      return member.target === null
        ? other("a link whose target is no text")
        : { facts: { kind: "link", target: member.target }, bytes: null };
    case "hard link": {
      const target = member.target?.replace(/^(\.\/)+/, "") ?? "";
      const original = found.get(target);
      if (original?.facts.kind !== "file")
        return other("a hard link to something that is not in the snapshot");
      return { facts: { ...original.facts, hardLinkTo: target }, bytes: original.bytes };
    }
    case "folder":
    case "other":
      return other("neither a file nor a link");
  }
}

async function heldFile({ content, size, mode }: SnapshotMember, mostBytes: number): Promise<Held> {
  const executable = isExecutable(mode);
  const facts = { kind: "file", bytes: size, executable, hardLinkTo: null } as const;
  if (size > mostHashedBytes) return { facts: { ...facts, sha256: null }, bytes: null };
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [];
  for await (const piece of content) {
    hash.update(piece);
    // A copy: a piece is a view of a buffer that its sender may use again.
    if (size <= mostBytes) pieces.push(Uint8Array.from(piece));
  }
  const bytes = size <= mostBytes ? new Uint8Array(Buffer.concat(pieces)) : null;
  return { facts: { ...facts, sha256: hash.digest("hex") }, bytes };
}

function other(words: string): Held {
  return { facts: { kind: "other", words }, bytes: null };
}

function pairsOf(begun: ReadonlyMap<string, TreeEntry>, found: ReadonlyMap<string, Held>): readonly Pair[] {
  const paths = [...new Set([...begun.keys(), ...found.keys()])].sort();
  return paths.map((path) => {
    const entry = begun.get(path);
    const facts = factsBefore(entry);
    const bytes = entry?.kind === "file" ? entry.bytes : null;
    return { path, before: facts === null ? null : { facts, bytes }, after: found.get(path) ?? null };
  });
}

const factsOfEntry = new WeakMap<TreeEntry, FileFacts>();

/** Hashed once per fixture, however many trials begin with it. */
function factsBefore(entry: TreeEntry | undefined): FileFacts | null {
  if (entry === undefined) return null;
  const known = factsOfEntry.get(entry);
  if (known !== undefined) return known;
  const facts: FileFacts =
    entry.kind === "link"
      ? { kind: "link", target: entry.target }
      : {
          ...{ kind: "file", bytes: entry.bytes.length, sha256: sha256(entry.bytes) },
          ...{ executable: isExecutable(entry.mode), hardLinkTo: null },
        };
  factsOfEntry.set(entry, facts);
  return facts;
}

/** What cannot be compared counts as changed. */
function isSame(a: FileFacts | null, b: FileFacts | null): boolean {
  if (a?.kind === "link" && b?.kind === "link") return a.target === b.target;
  if (a?.kind !== "file" || b?.kind !== "file") return false;
  return a.sha256 !== null && a.sha256 === b.sha256 && a.executable === b.executable;
}

function changeOf({ path, before, after }: Pair, budget: { lines: number }): Change {
  const sort = before === null ? "added" : after === null ? "removed" : "changed";
  const facts = { path, sort, before: before?.facts ?? null, after: after?.facts ?? null } as const;
  const diff = budget.lines > 0 ? diffOf(before, after) : null;
  budget.lines -= diff?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
  return { ...facts, diff };
}

function diffOf(before: Held | null, after: Held | null): TextDiff | null {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === undefined || now === undefined || old === now) return null;
  const diff = diffTexts(old, now);
  return diff.hunks.length === 0 ? null : diff;
}

/** Null where there is no file; undefined for what is no text or is not held. */
function textOf(held: Held | null): string | null | undefined {
  if (held === null) return null;
  const { facts, bytes } = held;
  if (facts.kind !== "file") return null;
  if (bytes === null || bytes.length > mostTextBytes || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
