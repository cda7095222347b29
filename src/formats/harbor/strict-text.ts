import type { FileTree } from "../../artefacts/tree.ts";

/** Bytes as text, a byte order mark included, so that writing it back gives the same bytes; null for binary data. */
export function strictText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Bytes of one file of a tree, or undefined. */
export function bytesOf(tree: FileTree, path: string): Uint8Array | undefined {
  const entry = tree.find((candidate) => candidate.path === path);
  return entry?.kind === "file" ? entry.bytes : undefined;
}
