import type { FileHandle } from "node:fs/promises";
import { type TranscriptLine, transcriptLineSchema } from "../artefacts/transcript.ts";
import { UserError } from "../errors.ts";
import { openRegular } from "./regular-file.ts";

/** A line of a transcript, or why it cannot be read. */
export type TranscriptRead =
  | { readonly kind: "line"; readonly line: TranscriptLine }
  | { readonly kind: "unreadable"; readonly words: string };

const pieceBytes = 64 * 1024;
/** Far more than any tool answers; what a model sends in one turn has been 20 MB. */
const mostLineBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/**
 * The lines of transcript.jsonl at `path`, one held at a time, so that its size does not matter. A damaged line, and one
 * that is longer than a line can be, is told as such, and so is what is no regular file. No file: no lines.
 */
export async function* readTranscript(
  path: string,
  mostBytes = mostLineBytes,
): AsyncGenerator<TranscriptRead> {
  let number = 0;
  try {
    for await (const { bytes, text } of boundedLines(path, mostBytes)) {
      number++;
      if (text === "") continue;
      yield text === null
        ? {
            kind: "unreadable",
            words: `Line ${number} of the transcript has ${bytes} bytes, too many to be shown.`,
          }
        : lineOf(text, number);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    yield { kind: "unreadable", words: "The transcript is not a regular file." };
  }
}

function lineOf(text: string, number: number): TranscriptRead {
  const damaged = { kind: "unreadable", words: `Line ${number} of the transcript is damaged.` } as const;
  try {
    const parsed = transcriptLineSchema.safeParse(JSON.parse(text));
    return parsed.success ? { kind: "line", line: parsed.data } : damaged;
  } catch (error) {
    if (error instanceof SyntaxError) return damaged;
    throw error;
  }
}

type BoundedLine = { readonly bytes: number; readonly text: string | null };

/** `text` is null for a line of more than `mostBytes`, which is never held. */
async function* boundedLines(path: string, mostBytes: number): AsyncGenerator<BoundedLine> {
  let held: Buffer[] = [];
  let bytes = 0;
  const take = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > mostBytes) held = [];
    // A copy: the piece is read into again.
    else held.push(Buffer.from(part));
  };
  const line = (): BoundedLine => {
    const ended = { bytes, text: bytes > mostBytes ? null : Buffer.concat(held).toString("utf8") };
    held = [];
    bytes = 0;
    return ended;
  };
  for await (const piece of pieces(path)) {
    let begin = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, begin)) {
      take(piece.subarray(begin, end));
      begin = end + 1;
      yield line();
    }
    take(piece.subarray(begin));
  }
  // What a kill in mid-append left behind the last newline.
  if (bytes > 0) yield line();
}

async function* pieces(path: string): AsyncGenerator<Buffer> {
  const file = await openIfThere(path);
  if (file === null) return;
  try {
    const piece = Buffer.alloc(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegular(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
