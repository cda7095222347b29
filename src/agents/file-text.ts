import { cleanText, outputLimitBytes, captureText, trimEnd, wholeCapture } from "./tool-output.ts";

/** Read from the container at most; beyond it a file's tail is not seen and only its head is shown. */
export const readLimitBytes = 4 * 1024 * 1024;

const signatures: readonly (readonly [name: string, hex: string])[] = [
  ["PNG image", "89504e47"],
  ["JPEG image", "ffd8ff"],
  ["GIF image", "47494638"],
  ["PDF document", "25504446"],
  ["ZIP archive (also docx, xlsx, pptx)", "504b0304"],
  ["gzip data", "1f8b"],
  ["ELF program", "7f454c46"],
  ["SQLite database", "53514c69746520666f726d6174"],
];

/**
 * What read_file says of a file. `bytes` is its head (all of it up to `readLimitBytes`), `totalBytes` its size.
 * Text is cut in the middle; a file whose tail was not read shows its head alone; anything that is not UTF-8, or
 * holds a NUL, is described instead.
 */
export function fileText(bytes: Uint8Array, totalBytes: number): string {
  if (totalBytes === 0) return "(empty file)";
  const whole = bytes.length === totalBytes;
  const text = utf8(whole ? bytes : trimEnd(bytes));
  if (text === undefined) return describe(bytes, totalBytes);
  if (whole) return captureText(wholeCapture(bytes), outputLimitBytes);
  const head = trimEnd(bytes.subarray(0, outputLimitBytes));
  const rest = totalBytes - head.length;
  return `${cleanText(new TextDecoder().decode(head))}\n[… ${rest} more bytes: read them with bash, for example sed or tail …]`;
}

function describe(bytes: Uint8Array, totalBytes: number): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const name = signatures.find(([, hex]) => start.startsWith(hex))?.[0] ?? "not UTF-8 text";
  return `(binary file: ${name}, ${totalBytes} bytes, begins with ${start.replace(/(..)(?=.)/g, "$1 ")})`;
}

function utf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // binary: said by the caller
  }
}
