import type { FileTree } from "../../artefacts/tree.ts";
import { withoutShebang } from "./neutral-files.ts";

/** Fewer words in a row are shared by texts that have nothing to do with each other. */
export const sequenceWords = 5;

/**
 * What a text could be known by: each row of five words within one sentence, and each name as programs have them
 * (with a digit, an underscore, a capital inside, or a letter that English has not), in lower case.
 */
export function sequencesOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const sentence of text.split(/[.!?:;|\n\r]+/)) {
    const written = sentence.match(/[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*/gu) ?? [];
    const words = written.map((word) => word.toLowerCase());
    for (const word of written) if (isName(word)) found.add(word.toLowerCase());
    for (let at = 0; at + sequenceWords <= words.length; at++) {
      found.add(words.slice(at, at + sequenceWords).join(" "));
    }
  }
  return found;
}

function isName(word: string): boolean {
  return /[\p{N}_]|\p{Ll}\p{Lu}|[^\p{ASCII}’]/u.test(word) && word.length > 2;
}

/** Of all text files, SKILL.md included. Which program a script is for is no secret. */
export function sequencesIn(files: FileTree): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entry of files) {
    if (entry.kind !== "file" || entry.bytes.includes(0)) continue;
    for (const sequence of sequencesOf(withoutShebang(new TextDecoder().decode(entry.bytes))))
      found.add(sequence);
  }
  return found;
}
