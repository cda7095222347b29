import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { openRegular } from "./regular-file.ts";

/** What is made of a piece is to be garbage before it is old. */
const pieceBytes = 64 * 1024;
const newline = 0x0a;

/**
 * The lines of a file that end with a newline, in order and a piece of the file at a time, so that its size does not
 * matter. Empty ones are left out, and so is what a kill in mid-append left behind the last newline. No file: no lines.
 */
export async function* wholeLines(path: string): AsyncGenerator<readonly string[]> {
  const file = await openIfThere(path);
  if (file === null) return;
  try {
    const decoder = new StringDecoder("utf8");
    const piece = Buffer.alloc(pieceBytes);
    let begun = "";
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      const lines = decoder.write(piece.subarray(0, bytesRead)).split("\n");
      lines[0] = begun + (lines[0] ?? "");
      begun = lines.pop() ?? "";
      yield lines.filter((line) => line !== "");
    }
  } finally {
    await file.close();
  }
}

export type Tail = {
  /** The last line that ends with a newline and is not empty; null when there is none. */
  readonly last: string | null;
  /** Of the file up to and with its last newline. */
  readonly wholeBytes: number;
  readonly bytes: number;
};

/** Reads a file of lines from its end. No file is as an empty one. */
export async function tailOf(path: string): Promise<Tail> {
  const file = await openIfThere(path);
  if (file === null) return { last: null, wholeBytes: 0, bytes: 0 };
  try {
    const bytes = (await file.stat()).size;
    for (let wanted = pieceBytes; ; wanted *= 2) {
      const from = Math.max(0, bytes - wanted);
      const end = await bytesOf(file, from, bytes - from);
      const whole = end.lastIndexOf(newline) + 1;
      const line = lastLine(end.subarray(0, whole), from === 0);
      if (line !== null || from === 0)
        return { last: line, wholeBytes: whole === 0 ? 0 : from + whole, bytes };
    }
  } finally {
    await file.close();
  }
}

/** Null when none is there from its first byte on. `fromStart`: nothing stands before these bytes. */
function lastLine(lines: Buffer, fromStart: boolean): string | null {
  let end = lines.length;
  while (end > 0 && lines[end - 1] === newline) end--;
  if (end === 0) return null;
  const begin = lines.lastIndexOf(newline, end - 1) + 1;
  return begin === 0 && !fromStart ? null : lines.toString("utf8", begin, end);
}

async function bytesOf(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegular(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
