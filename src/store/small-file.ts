import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readAtOnce } from "./regular-file.ts";

/** Files up to this size are read at once. */
const largest = 1024 * 1024;

/**
 * Bytes of a plain file of at most a megabyte; null for anything else, which has to be read in another way. Synchronous:
 * a campaign has half a million small files, and a call per file through the thread pool takes ten times as long.
 */
export function readSmall(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, readAtOnce);
  } catch {
    return null; // whoever reads it in another way meets the reason
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > largest) return null;
    const bytes = Buffer.allocUnsafe(stat.size);
    let read = 0;
    while (read < bytes.length) {
      const more = readSync(file, bytes, read, bytes.length - read, read);
      if (more === 0) break;
      read += more;
    }
    return bytes.subarray(0, read);
  } finally {
    closeSync(file);
  }
}
