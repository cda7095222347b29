import type { FileTree } from "../../artefacts/tree.ts";
import type { Loss } from "../losses.ts";
import { strictText } from "./strict-text.ts";
import { printed } from "../printed.ts";

/** Absolute folders of a Harbor container and where a bundle has them. */
export type Moves = Readonly<Record<string, string>>;

/** Every mention of a moved folder as a path of its own in `text`, replaced; `/app` is not in `/data/app` or `/apple`. */
export function rewritePaths(
  text: string,
  moves: Moves,
): { readonly text: string; readonly counts: ReadonlyMap<string, number> } {
  const counts = new Map<string, number>();
  const moved = Object.entries(moves).filter(([from, to]) => from !== to);
  if (moved.length === 0) return { text, counts };
  const names = moved
    .map(([from]) => from)
    .sort((a, b) => b.length - a.length)
    .map((from) => from.replace(/[^\w/]/g, "\\$&"));
  // What stands before a path: no part of another path and no variable, in quotes or not, that begins one.
  const before = String.raw`(?:(?<=\\[nrt])|(?<![\w.\-/~)}\]*?%@\\]|\$\{?\w{1,60}\}?["']))`;
  const after = String.raw`(?![\w-]|\.\w)`;
  const pattern = new RegExp(`${before}(${names.join("|")})${after}`, "g");
  const rewritten = text.replace(pattern, (from) => {
    counts.set(from, (counts.get(from) ?? 0) + 1);
    return moves[from] ?? from;
  });
  return { text: rewritten, counts };
}

/** The same for all text files of a tree, with a loss for every file that changed. `folder` is where they lay. */
export function rewriteTree(
  tree: FileTree,
  moves: Moves,
  folder: string,
): { readonly tree: FileTree; readonly losses: readonly Loss[] } {
  const losses: Loss[] = [];
  const rewritten = tree.map((entry) => {
    const text = entry.kind === "file" ? strictText(entry.bytes) : null;
    if (entry.kind !== "file" || text === null) return entry;
    const changed = rewritePaths(text, moves);
    if (changed.counts.size === 0) return entry;
    losses.push(lossOf(`${folder}/${printed(entry.path)}`, changed.counts, moves));
    return { ...entry, bytes: new TextEncoder().encode(changed.text) };
  });
  return { tree: rewritten, losses };
}

export function lossOf(part: string, counts: ReadonlyMap<string, number>, moves: Moves): Loss {
  const each = [...counts].map(([from, count]) => `${from} by ${moves[from] ?? from} (${count}×)`);
  return { part, words: `paths that are elsewhere here were replaced: ${each.join(", ")}` };
}
