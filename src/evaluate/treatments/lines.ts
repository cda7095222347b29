/** Lines of a file by number, 1-based, both ends included. */
export type LineSpan = { readonly from: number; readonly to: number };

/**
 * A file's bytes cut into its lines, each with its end (LF, CR or CRLF), so that whatever else is in them survives.
 * Line n is element n - 1; an end at the very end is followed by an empty last line, as editors count.
 */
export function byteLines(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte !== 0x0a && byte !== 0x0d) continue;
    if (byte === 0x0d && bytes[index + 1] === 0x0a) index++;
    lines.push(bytes.subarray(start, index + 1));
    start = index + 1;
  }
  lines.push(bytes.subarray(start));
  return lines;
}

/** The bytes without these lines; every other byte as it was. */
export function withoutLines(bytes: Uint8Array, spans: readonly LineSpan[]): Uint8Array {
  const kept = byteLines(bytes).filter(
    (_, index) => !spans.some(({ from, to }) => from <= index + 1 && index < to),
  );
  return Buffer.concat(kept);
}
