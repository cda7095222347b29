import { createHash } from "node:crypto";
import type { SnapshotRef } from "../artefacts/trial.ts";
import { messageOf } from "../errors.ts";
import { openSnapshot } from "./spool.ts";

/** Why the spooled snapshot at `path` is not the recorded one; null when it is. Reads all of it. */
export async function snapshotFault(path: string, { sha256, bytes }: SnapshotRef): Promise<string | null> {
  const content = createHash("sha256");
  let read = 0;
  try {
    for await (const piece of openSnapshot(path)) {
      content.update(piece);
      read += piece.length;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return `workspace.tar.gz cannot be read (${messageOf(error)})`;
  }
  const found = content.digest("hex");
  if (found === sha256) return null;
  const short = (hash: string): string => hash.slice(0, 12);
  return `workspace.tar.gz holds ${read} byte(s), hash ${short(found)}, where trial.json says ${bytes}, hash ${short(sha256)}`;
}

/** Of the file itself; a disk that fails is no damage of it. */
function isDamage(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && (code === "ENOENT" || code.startsWith("Z_"));
}
