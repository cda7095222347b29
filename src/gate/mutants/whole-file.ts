import { decodeText } from "./file-kind.ts";
import type { Change } from "./mutant.ts";

/** Breaks a file as a whole. `original` is the fixture that the reference replaced, null where there was none. */
export function wholeFileChanges(bytes: Uint8Array, original: Uint8Array | null): readonly Change[] {
  const changes: Change[] = [{ kind: "missing", words: "the file is missing", bytes: null }];
  if (original !== null && !saysTheSame(bytes, original))
    changes.push({ kind: "original", words: "the fixture is as it was", bytes: original });
  if (!isBlank(bytes))
    changes.push({ kind: "emptied", words: `all ${bytes.length} bytes gone`, bytes: new Uint8Array() });
  const half = firstHalf(bytes);
  const words = `cut off after ${half.length} of ${bytes.length} bytes`;
  if (!isBlank(bytes.subarray(half.length))) changes.push({ kind: "truncated", words, bytes: half });
  return changes;
}

/** Nothing, or text of white space only. */
function isBlank(bytes: Uint8Array): boolean {
  return decodeText(bytes)?.body.trim() === "";
}

/** Not within a character, where it is text: what remains of the file is text as well. */
function firstHalf(bytes: Uint8Array): Uint8Array {
  let length = Math.floor(bytes.length / 2);
  if (decodeText(bytes) !== null) while (isContinuation(bytes[length])) length--;
  return bytes.subarray(0, length);
}

/** A byte of UTF-8 that no character begins with. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

/** Equal, or text that differs in white space only. */
function saysTheSame(before: Uint8Array, after: Uint8Array): boolean {
  if (Buffer.from(before.buffer, before.byteOffset, before.length).equals(after)) return true;
  const [a, b] = [decodeText(before), decodeText(after)];
  return a !== null && b !== null && withoutSpace(a.body) === withoutSpace(b.body);
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
