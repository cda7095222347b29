import type { FileTree } from "../../artefacts/tree.ts";

/** A file that can be read as text. `place` names it in messages, `path` is relative to its tree. */
export type TextFile = { readonly place: string; readonly path: string; readonly text: string };

/** The text files of a tree, line ends as line feeds and without a byte order mark. Binary files and links are left out. */
export function textsOf(tree: FileTree, folder: string): readonly TextFile[] {
  return tree.flatMap((entry) => {
    if (entry.kind !== "file") return [];
    const text = decode(entry.bytes);
    return text === null ? [] : [{ place: `${folder}/${entry.path}`, path: entry.path, text }];
  });
}

/** Null for what is no text. Bytes that are no UTF-8 become marks that count as punctuation. */
function decode(bytes: Uint8Array): string | null {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (!utf16 && bytes.includes(0)) return null;
  return plainText(new TextDecoder(utf16 ? "utf-16le" : "utf-8").decode(bytes));
}

export function plainText(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .normalize("NFC");
}

/** A passage as messages and records show it: one line of at most 200 characters. */
export function shown(passage: string): string {
  const line = passage.replace(/[\s\p{C}]+/gu, " ").trim();
  const characters = Array.from(line.slice(0, 2 * shownCharacters));
  return characters.length > shownCharacters ? `${characters.slice(0, shownCharacters - 1).join("")}…` : line;
}

const shownCharacters = 200;

const codeNames =
  /\.(py|pyi|js|mjs|cjs|ts|tsx|jsx|sh|bash|rb|pl|php|go|rs|java|kt|c|h|cc|cpp|hpp|cs|swift|lua|r|jl|sql|ps1|awk)(\.(orig|bak|old|txt))?~?$/i;

/** Whether a file is a program rather than data or prose. */
export function isCode({ path, text }: Pick<TextFile, "path" | "text">): boolean {
  return codeNames.test(path) || text.startsWith("#!");
}
