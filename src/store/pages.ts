import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256 } from "../hash.ts";
import { readHead } from "./trial-files.ts";

/** How a page says what it was made of, and what it was when it was made. */
const mark = /^<!-- made of ([0-9a-f]{64}), this page ([0-9a-f]{64}) -->\n/;
/** No page of ours is as large. */
const mostPageBytes = 32 * 1024 * 1024;

/** The hash of what the page at `path` was made of; null where there is no page of ours, or one that was changed since. */
export async function madeOf(path: string): Promise<string | null> {
  const page = await readHead(path, mostPageBytes);
  const [first = "", hash, own] = mark.exec(page?.text ?? "") ?? [];
  if (page === null || hash === undefined) return null;
  return sha256(page.text.slice(first.length)) === own ? hash : null;
}

/** A page as it lies on disk: `hash` is of what it was made of. */
export function markedPage(hash: string, text: string): string {
  return `<!-- made of ${hash}, this page ${sha256(text)} -->\n${text}`;
}

/**
 * Writes a page that can be made again at any time: whole or not at all, but without waiting for the disk, which for
 * thousands of pages would take minutes.
 */
export async function writePage(path: string, hash: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, markedPage(hash, text));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
