import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes the whole file or nothing: temporary name, fsync, rename. Makes parent folders. Pieces are text. */
export async function writeAtomic(path: string, data: string | Uint8Array | Iterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // With the process in its name, so that `skillproof clean` knows when nobody will finish it.
  const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "w");
    try {
      await writeFile(file, typeof data === "string" || data instanceof Uint8Array ? data : gathered(data));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Characters that are written at once. */
const atOnce = 64 * 1024;

/** Pieces that are worth a call of the file system. */
function* gathered(pieces: Iterable<string>): Generator<string> {
  let some: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    some.push(piece);
    length += piece.length;
    if (length < atOnce) continue;
    yield some.join("");
    [some, length] = [[], 0];
  }
  if (some.length > 0) yield some.join("");
}

/** JSON as people read it: two spaces, a final newline, members in the order given. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}
