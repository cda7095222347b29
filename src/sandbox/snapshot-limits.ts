import type { SandboxSettings } from "./settings.ts";

/** What a snapshot keeps at most; the server leaves the rest out (docker/server/packing.py). */
export type SnapshotLimits = {
  /** Of data, in whole pages. */
  readonly bytes: number;
  readonly entries: number;
  /** Folders on the way to an entry. */
  readonly depth: number;
  /** Of a whole path below /workspace. */
  readonly nameBytes: number;
};

const entriesPerMiB = 200;
/** One pass over these takes a few seconds; the harness gives up on a server that is silent for a minute. */
const mostEntries = 500_000;
/** A name, its long-name header and the member's own header, all in blocks. */
const headerBytes = 2048;

/** Files and folders a workspace may have: the inodes of the memory mount, and what a snapshot keeps. */
export function entriesFor(workspaceMiB: number): number {
  return Math.min(workspaceMiB * entriesPerMiB, mostEntries);
}

/**
 * The same in both workspace modes. A memory mount cannot hold more bytes or entries than these, so only what is too
 * deep or named too long for a program to reach by its path is left out of it.
 */
export function snapshotLimits({ workspaceMiB }: Pick<SandboxSettings, "workspaceMiB">): SnapshotLimits {
  const bytes = workspaceMiB * 2 ** 20;
  return { bytes, entries: entriesFor(workspaceMiB), depth: 100, nameBytes: 4000 };
}

/** Bytes that no archive within the limits exceeds; a larger one means that something is wrong below us. */
export function largestArchive({ bytes, entries, nameBytes }: SnapshotLimits): number {
  // A sparse file's map takes 512 bytes for 21 parts of at least a page.
  return Math.ceil(bytes * 1.01) + (entries + 1) * (headerBytes + 2 * nameBytes) + 2 ** 20;
}
