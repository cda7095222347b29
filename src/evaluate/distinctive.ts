import type { FileTree } from "../artefacts/tree.ts";

/** Shorter pieces stand in unrelated files by chance. */
const leastBytes = 24;
const mostBytes = 96;
const leastValues = 12;
/** Each costs a pass over everything that is searched. */
const mostFiles = 8;

export type Block = { readonly path: string; readonly bytes: Uint8Array };

/**
 * One block of each file, at most eight, by which its content would be known elsewhere: long and varied enough, and in
 * none of `known`, what may rightly be found. Files without such a block are left out.
 */
export function distinctiveBlocks(tree: FileTree, known: readonly Uint8Array[]): Block[] {
  const legitimate = known.map((bytes) => Buffer.from(bytes));
  const blocks = tree.flatMap((entry) => {
    if (entry.kind !== "file") return [];
    const block = candidates(entry.bytes).find(
      (bytes) =>
        bytes.length >= leastBytes &&
        new Set(bytes).size >= leastValues &&
        !legitimate.some((text) => text.includes(Buffer.from(bytes))),
    );
    return block === undefined ? [] : [{ path: entry.path, bytes: block }];
  });
  return blocks.slice(0, mostFiles);
}

/** From the middle outwards: beginnings are often the same shebang, licence or header. */
function candidates(bytes: Uint8Array): Uint8Array[] {
  const room = Math.max(0, bytes.length - mostBytes);
  return [0.5, 0.25, 0.75, 1, 0].map((part) => {
    const at = Math.floor(room * part);
    return bytes.subarray(at, at + mostBytes);
  });
}
