import { createHash } from "node:crypto";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { openRegular } from "./regular-file.ts";

export type MeasuredFile = { readonly sha256: string; readonly bytes: number };

/** Hash and size of a file, or of its first `upTo` bytes, read in pieces; null when no regular file lies there. */
export async function measureFile(path: string, upTo = Infinity): Promise<MeasuredFile | null> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const file = await openRegular(path);
    // The stream closes the file.
    for await (const piece of file.createReadStream() as AsyncIterable<Buffer>) {
      const wanted = piece.subarray(0, Math.min(piece.length, upTo - bytes));
      hash.update(wanted);
      bytes += wanted.length;
      if (bytes === upTo) break;
    }
  } catch (error) {
    const isNone =
      error instanceof Error && "code" in error && ["ENOENT", "EISDIR"].includes(String(error.code));
    if (isNone || error instanceof UserError) return null;
    throw error;
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** Of those of `names` that are there, by name. */
export async function measureFiles(
  folder: string,
  names: readonly string[],
): Promise<Readonly<Record<string, MeasuredFile>>> {
  const measured: Record<string, MeasuredFile> = {};
  for (const name of names) {
    const file = await measureFile(join(folder, name));
    if (file !== null) measured[name] = file;
  }
  return measured;
}

/** The hashes alone. */
export async function hashFiles(
  folder: string,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const measured = Object.entries(await measureFiles(folder, names));
  return Object.fromEntries(measured.map(([name, { sha256 }]) => [name, sha256]));
}
