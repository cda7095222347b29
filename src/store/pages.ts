import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readHead } from "./trial-files.ts";

/** How a page says what it was made of; the first thing in it, so that a look at its beginning is enough. */
const mark = /^<!-- made of ([0-9a-f]{64}) -->\n/;
const markBytes = 100;

/** The hash of what the page at `path` was made of; null where there is no page of ours. */
export async function madeOf(path: string): Promise<string | null> {
  return mark.exec((await readHead(path, markBytes))?.text ?? "")?.[1] ?? null;
}

/**
 * Writes a page that can be made again at any time: whole or not at all, but without waiting for the disk, which for
 * thousands of pages would take minutes.
 */
export async function writePage(path: string, hash: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, `<!-- made of ${hash} -->\n${text}`);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
