/** As much of a text as a page shows: its beginning and, where something is left out, its end. Sizes in bytes. */
export type CutText = {
  readonly head: string;
  /** Null when nothing is left out. */
  readonly tail: string | null;
  readonly shownBytes: number;
  readonly wholeBytes: number;
};

/** Enough for a test's output; a page of a hundred turns stays one that a browser opens at once. */
export const mostBytesShown = 16 * 1024;

/** Keeps three parts of the beginning and one of the end, where outputs say how they ended. */
export function cutText(text: string, mostBytes = mostBytesShown): CutText {
  const wholeBytes = Buffer.byteLength(text);
  if (wholeBytes <= mostBytes) return { head: text, tail: null, shownBytes: wholeBytes, wholeBytes };
  const tailBytes = Math.floor(mostBytes / 4);
  const head = beginning(text, mostBytes - tailBytes);
  const tail = ending(text, tailBytes);
  const shownBytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  return { head, tail, shownBytes, wholeBytes };
}

/** `12 of 340 KB`, in units of 1,000 bytes. */
export function shownOfWhole(shownBytes: number, wholeBytes: number): string {
  if (wholeBytes < 1000) return `${shownBytes} of ${wholeBytes} bytes`;
  return `${thousands(shownBytes)} of ${thousands(wholeBytes)} KB`;
}

/** `340 KB`, or bytes where that would be nothing. */
export function sizeWords(bytes: number): string {
  if (bytes === 1) return "1 byte";
  return bytes < 1000 ? `${bytes} bytes` : `${thousands(bytes)} KB`;
}

function thousands(bytes: number): string {
  const value = bytes / 1000;
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

/** The longest beginning of at most so many bytes that ends behind a whole character. */
function beginning(text: string, mostBytes: number): string {
  // A character of UTF-16 takes at least one byte, so this holds all that can be shown.
  const bytes = Buffer.from(text.slice(0, mostBytes));
  let end = Math.min(mostBytes, bytes.length);
  while (end > 0 && isInside(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

function ending(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text.slice(-mostBytes));
  let begin = Math.max(0, bytes.length - mostBytes);
  while (begin < bytes.length && isInside(bytes[begin])) begin++;
  return bytes.toString("utf8", begin);
}

/** Second to fourth bytes of a character in UTF-8. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
