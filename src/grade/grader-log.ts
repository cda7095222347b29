import type { Capture, CommandOutcome } from "../sandbox/port.ts";

const maxStreamCharacters = 32_000;

/**
 * Everything the grader wrote, for people and for the bundle's author: never parsed again. Agents' programs can
 * write here too, so control characters and text-direction marks are replaced, and each stream is cut in the middle.
 */
export function graderLog(ended: CommandOutcome, refused: string): string {
  const parts: readonly (readonly [string, string])[] = [
    ["not unpacked from the snapshot", refused],
    ["stdout", captureText(ended.stdout)],
    ["stderr", captureText(ended.stderr)],
    ["assertions (descriptor 3)", captureText(ended.descriptor3)],
  ];
  const sections = parts.map(([name, text]) => [name, harmless(text).trimEnd()] as const);
  return sections
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `--- ${name}\n${cutInMiddle(text, maxStreamCharacters)}\n`)
    .join("");
}

/** Keeps both ends of a text and says how much is left out between them. */
export function cutInMiddle(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  const left = characters.length - 2 * half;
  return `${characters.slice(0, half).join("")}\n[… ${left} characters left out …]\n${characters.slice(-half).join("")}`;
}

function captureText(capture: Capture): string {
  const decoder = new TextDecoder();
  const gap = capture.totalBytes - capture.head.length - capture.tail.length;
  // Without a gap the two parts are one text, and a character may lie across them.
  if (gap === 0) return decoder.decode(Buffer.concat([capture.head, capture.tail]));
  return `${decoder.decode(capture.head)}\n[… ${gap} bytes left out …]\n${decoder.decode(capture.tail)}`;
}

/** C0 but tab and newline, C1, and the marks that turn the direction of text. */
function harmless(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
