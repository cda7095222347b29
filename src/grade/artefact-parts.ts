import { cutInMiddle } from "./grader-log.ts";

/** Files of a workspace by path: the head of each, at most what was asked for, and its whole size in bytes. */
export type Artefacts = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly size: number }>;

/** What a judge gets to see of one artefact. */
export type Shown =
  | { readonly kind: "text"; readonly path: string; readonly text: string }
  | { readonly kind: "image"; readonly path: string; readonly url: string }
  /** Nothing to show: the words say why. */
  | { readonly kind: "words"; readonly path: string; readonly words: string };

const maxCharacters = 60_000;
const maxImageBytes = 4 * 1024 * 1024;

export function showArtefact(path: string, artefacts: Artefacts): Shown {
  const artefact = artefacts.get(path);
  if (artefact === undefined) return { kind: "words", path, words: "(file is missing)" };
  const { bytes, size } = artefact;
  if (size === 0) return { kind: "words", path, words: "(file is empty)" };
  const mediaType = imageType(bytes);
  if (mediaType !== null) {
    if (size > maxImageBytes || bytes.length < size)
      return { kind: "words", path, words: `(image of ${size} bytes, too large to show)` };
    return { kind: "image", path, url: `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}` };
  }
  const text = textOrNull(bytes, bytes.length < size);
  if (text === null) return { kind: "words", path, words: `(binary file of ${size} bytes, cannot be shown)` };
  const rest = size > bytes.length ? `\n[… the last ${size - bytes.length} bytes left out …]` : "";
  return { kind: "text", path, text: cutInMiddle(text, maxCharacters) + rest };
}

/** Media type by the file's first bytes; its name is the agent's to choose. */
function imageType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : null;
}

/** A head may end inside a character, which then is not a reason to call the file binary. */
function textOrNull(bytes: Uint8Array, isHead: boolean): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isHead });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
