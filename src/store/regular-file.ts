import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UserError } from "../errors.ts";

/**
 * To open a pipe for reading is to wait for whoever writes into it, for ever where nobody does. With these flags it is
 * opened at once, so that it can be asked what it is. They change nothing for a regular file.
 */
export const readAtOnce = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading, or a folder, of which reading says that it is one. Throws `UserError` for a pipe, a
 * device or a socket, which may have no end, and what the file system throws for what is not there.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await openAtOnce(path);
  const stat = await file.stat();
  if (stat.isFile() || stat.isDirectory()) return file;
  await file.close();
  throw notRegular(path);
}

/** Text of a regular file; undefined when there is none. Throws as `openRegular` does. */
export async function textIfThere(path: string): Promise<string | undefined> {
  try {
    const file = await openRegular(path);
    try {
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function openAtOnce(path: string): Promise<FileHandle> {
  try {
    return await open(path, readAtOnce);
  } catch (error) {
    // What opening a socket says, or a device without a driver.
    const isOdd =
      error instanceof Error && "code" in error && ["ENXIO", "ENODEV"].includes(String(error.code));
    throw isOdd ? notRegular(path) : error;
  }
}

function notRegular(path: string): UserError {
  return new UserError(`${path}: not a regular file. Expected one; take away what lies in its place.`);
}
